// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "heed/attention/detail/mha_kernels.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/precision.hpp"
#include "heed/numeric/rational.hpp"

namespace {

using heed::Ball;
using heed::Rational;
using heed::approx::to_double;
namespace detail = heed::approx::detail;

std::vector<const detail::MhaKernels*> available() {
  std::vector<const detail::MhaKernels*> list;
  for (const char* set : {"baseline", "avx2", "avx512"})
    if (list.empty() || list.back() != &detail::mha_kernels(set))
      list.push_back(&detail::mha_kernels(set));
  return list;
}

// Relative error in units of 2^-53, rounded up.
double error_units(double x, double found) {
  const Ball exact = exp(Ball(x));
  return to_double(ldexp(abs(Ball(found) - exact) / exact, 53).upper());
}

TEST_CASE("exp of the kernels: relative error at most 2^-50 down to the cut-off") {
  const heed::PrecisionScope precision(128);
  std::mt19937_64 random(11);
  for (const auto* kernels : available()) {
    double worst = 0, worst_at = 0;
    const auto try_at = [&](double x) {
      const double e = error_units(x, kernels->exp_nonpositive(x));
      REQUIRE(e <= 8);
      if (e > worst) worst = e, worst_at = x;
    };
    for (int k = 0; k < 60'000; ++k) {
      const double unit = std::ldexp(static_cast<double>(random() >> 11), -53);
      try_at(-707 * unit);
      try_at(-std::ldexp(1 + unit, -static_cast<int>(random() % 60)));
    }
    // Where the multiple of ln 2 changes, the reduced argument is largest.
    for (int k = 0; k < 1020; ++k) {
      const double x = -(k + 0.5) * 0.6931471805599453;
      if (x < -707) break;
      for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, -1e3)}) try_at(y);
    }
    INFO(kernels->name << ": worst " << worst << " half units at " << worst_at);
    CHECK(worst < 2.5);
    CHECK(kernels->exp_nonpositive(0) == 1);
    CHECK(kernels->exp_nonpositive(-5e-324) == 1);
  }
}

TEST_CASE("exp of the kernels: special values") {
  for (const auto* kernels : available()) {
    INFO(kernels->name);
    CHECK(kernels->exp_nonpositive(-707.5) == 0);
    CHECK(kernels->exp_nonpositive(-1e300) == 0);
    CHECK(kernels->exp_nonpositive(-707) > 0);
    CHECK(std::isnan(kernels->exp_nonpositive(std::numeric_limits<double>::quiet_NaN())));
    CHECK_FALSE(kernels->exp_nonpositive(-std::numeric_limits<double>::infinity()) > 0);
  }
}

// |1 + r + r^2 Q(r) - e^r| < 2^-55 for |r| <= 0.34658: the part of the proof that is a computation.
// The difference is a polynomial D of small coefficients but for a tail; on [a, a + w] it is bounded
// by |D(a)| + w max |D'|.
TEST_CASE("exp of the kernels: the polynomial, by interval arithmetic") {
  const heed::PrecisionScope precision(160);
  const double q[10] = {0x1.000000000000bp-1,  0x1.5555555555561p-3,  0x1.5555555550030p-5,
                        0x1.111111110d642p-7,  0x1.6c16c185a751dp-10, 0x1.a01a01badf235p-13,
                        0x1.a0199693cf72ep-16, 0x1.71dddfd3a60bap-19, 0x1.28b049009386bp-22,
                        0x1.af857a5042f7ep-26};
  constexpr int degree = 24;
  std::vector<Ball> c(degree + 1, Ball(0));
  Ball factorial(1);
  for (int j = 2; j <= degree; ++j) {
    factorial *= Ball(j);
    c[static_cast<std::size_t>(j)] = Ball(j < 12 ? q[j - 2] : 0.0) - Ball(1) / factorial;
  }
  constexpr int pieces = 4000;
  const Ball half(Rational::parse("0.34658")), width = ldexp(half, 1) / Ball(pieces);
  Ball tail = Ball(2) / factorial;
  for (int j = 0; j <= degree; ++j) tail *= half;
  Ball worst(0);
  for (int k = 0; k < pieces; ++k) {
    const Ball left = (Ball(k) * width - half).midpoint();
    const auto value_and_slope = [&](const Ball& r) {
      Ball value(0), slope(0);
      for (std::size_t j = c.size(); j-- > 0;) {
        slope = slope * r + value;
        value = value * r + c[j];
      }
      return std::pair{value, slope};
    };
    const Ball step = width * Ball(Rational::parse("1.001"));
    const Ball slope = value_and_slope(Ball::hull(left, left + step)).second;
    worst = max(worst, abs(value_and_slope(left).first) + step * abs(slope) + tail).upper();
  }
  INFO("bound " << to_double(worst) * 0x1p53 << " half units");
  CHECK(certainly(less(worst, ldexp(Ball(1), -55))));
}

}  // namespace
