// SPDX-License-Identifier: Apache-2.0
#include "mha_case.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "heed/attention/mha_enclosed.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "unit/attention/fast_support.hpp"
#include "unit/attention/hessian_distance.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace conformance {
namespace {

using heed::Ball;
using heed::EnclosedMha;
using heed::FloatEnvironmentScope;
using heed::PointSaddle;
using heed::SelfTest;
using heed::approx::to_double;
using heed::test::Hard;

constexpr heed::FloatEnvironment standard{"standard", FE_TONEAREST, false};

template <class F>
bool refuses(const F& f) {
  try {
    f();
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

// False where either end is NaN.
bool contains(double lower, double upper, const Ball& x) {
  if (!(lower <= upper)) return false;
  return !certainly(less(x, Ball(lower))) && !certainly(less(Ball(upper), x));
}

void check_values(SelfTest& t, const MhaCase& c, const EnclosedMha& found) {
  for (std::size_t i = 0; i < c.exact.phi().size(); ++i)
    t.expect(found.phi_ball(i).contains(c.exact.phi()[i]));
  t.expect(found.loss().contains(c.loss));
  const heed::DoubleBall slope = found.mean_slope();
  t.expect(certainly(less_equal(abs(c.mean_slope - Ball(slope.mid())), Ball(slope.rad()))));
  double radius = 0, largest = 0;
  for (std::size_t k = 0; k < c.gradient.size(); ++k) {
    t.expect(found.gradient_ball(k).contains(c.gradient[k]));
    const double r = found.gradient_radius(k);
    radius = r <= radius ? radius : r;
    largest = std::max(largest, std::fabs(to_double(c.gradient[k])));
  }
  t.expect(radius <= c.tightness * largest);
}

// Whatever the environment: the bounds behind it hold in each.
void check_spectrum(SelfTest& t, const MhaCase& c, const PointSaddle& hessian,
                    const heed::FloatEnvironment& environment) {
  const auto [quotient, least, largest] = [&] {
    const FloatEnvironmentScope scope(environment);
    return std::tuple(hessian.rayleigh_quotient(c.direction), heed::fast_lambda_min(hessian),
                      heed::fast_lambda_max(hessian));
  }();
  const Ball unit = ldexp(Ball(1), hessian.exponent());
  t.expect(contains(quotient.lower, quotient.upper, c.rayleigh_quotient / unit));
  t.expect(contains(least.lower, least.upper, c.least));
  t.expect(contains(largest.lower, largest.upper, c.largest));
  const double norm = std::max(std::fabs(to_double(c.least)), std::fabs(to_double(c.largest)));
  t.expect(least.upper - least.lower <= 100 * c.tightness * norm);
  t.expect(largest.upper - largest.lower <= 100 * c.tightness * norm);
  t.expect(quotient.upper - quotient.lower <= 100 * c.tightness * norm / to_double(unit));
}

}  // namespace

MhaCase::MhaCase(const heed::MhaInstance& instance, std::string title, double width)
    : name(std::move(title)),
      tightness(width),
      inputs(heed::mha_inputs<double>(instance)),
      exact(heed::mha_inputs<Ball>(instance)),
      loss(exact.loss()),
      mean_slope(exact.mean_slope()),
      gradient(exact.gradient()),
      direction(heed::test::random_vector(gradient.size(), 1)) {
  const auto both = heed::extremes(exact.loss_blocks(), exact.weighted_gradients());
  least = both.least;
  largest = both.largest;
  const std::vector<Ball> v(direction.begin(), direction.end());
  const std::vector<Ball> product = exact.hessian_vector_product(v);
  rayleigh_quotient =
      dot(v.size(), v.data(), 1, product.data(), 1) / dot(v.size(), v.data(), 1, v.data(), 1);
}

double MhaCase::largest_gap() const {
  double widest = 0;
  for (std::size_t i = 0; i < inputs.samples(); ++i)
    for (const heed::Matrix<double>& w : inputs.W) {
      const heed::Matrix<double>& x = inputs.X[i];
      for (std::size_t t = 0; t < x.rows(); ++t)
        for (std::size_t row = 0; row < inputs.dX[i].rows(); ++row) {
          double gap = 0;
          for (std::size_t b = 0; b < x.cols(); ++b)
            for (std::size_t k = 0; k < x.cols(); ++k)
              gap += x(t, b) * w(b, k) * inputs.dX[i](row, k);
          widest = std::max(widest, gap);
        }
    }
  return widest;
}

std::vector<MhaCase> mha_cases() {
  const heed::test::Shape four{3, 4, 4, 3}, eight{2, 8, 8, 2}, other{3, 5, 3, 2}, one{2, 1, 2, 1};
  std::vector<MhaCase> cases;
  const auto add = [&](Hard kind, std::uint64_t seed, const heed::test::Shape& s,
                       const std::string& name, double tightness) {
    cases.emplace_back(heed::test::random_instance(kind, seed, s), name, tightness);
  };
  add(Hard::nothing, 1, four, "four", 1e-11);
  add(Hard::nothing, 1, eight, "eight", 1e-10);
  add(Hard::nothing, 4, other, "other, exponential loss", 1e-10);
  add(Hard::nothing, 1, one, "one token", 1e-11);
  add(Hard::saturated, 2, four, "four, saturated", 1e-9);
  add(Hard::saturated, 2, eight, "eight, saturated", 1e-9);
  add(Hard::saturated, 2, other, "other, saturated", 1e-9);
  add(Hard::zeros, 1, four, "four, zero tokens", 1e-11);
  add(Hard::zeros, 1, other, "other, zero tokens", 1e-11);
  add(Hard::duplicates, 1, four, "four, equal tokens", 1e-11);
  add(Hard::duplicates, 1, other, "other, equal tokens", 1e-11);
  return cases;
}

SelfTest check(const MhaCase& c, const std::string& instruction_set,
               const heed::FloatEnvironment& environment) {
  SelfTest t{std::string(environment.name) + ": " + instruction_set + ": " + c.name, 0, 0};
  EnclosedMha before(c.inputs, instruction_set);
  if (environment.rounding == FE_TONEAREST) {
    const auto [found, hessian] = [&] {
      const FloatEnvironmentScope scope(environment);
      EnclosedMha mha(c.inputs, instruction_set);
      PointSaddle h = mha.hessian();
      return std::pair(std::move(mha), std::move(h));
    }();
    check_values(t, c, found);
    const heed::test::HessianDistance d = heed::test::hessian_distance(hessian, c.exact);
    t.expect(d.found <= d.bound);
    t.expect(d.bound <= 10 * c.tightness * d.norm);
    check_spectrum(t, c, hessian, environment);
    return t;
  }
  {
    const FloatEnvironmentScope scope(environment);
    t.expect(refuses([&] { EnclosedMha(c.inputs, instruction_set); }));
    t.expect(refuses([&] { before.evaluate(before.initial_parameters()); }));
    t.expect(refuses([&] { before.hessian(); }));
  }
  {
    const FloatEnvironmentScope scope(standard);
    check_values(t, c, before);
  }
  check_spectrum(t, c, before.hessian(), environment);
  return t;
}

SelfTest check_vector_rounding(const MhaCase& c) {
  SelfTest t{"rounding of the vector unit alone", 0, 0};
#if defined(__SSE2__)
  EnclosedMha before(c.inputs);
  for (const unsigned mode : {_MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO}) {
    const FloatEnvironmentScope scope(standard);  // restores what is set by hand
    _MM_SET_ROUNDING_MODE(mode);
    t.expect(refuses([&] { before.evaluate(before.initial_parameters()); }));
    t.expect(refuses([&] { before.hessian(); }));
  }
#else
  t.expect(refuses([] { throw std::runtime_error(""); }));
#endif
  return t;
}

}  // namespace conformance
