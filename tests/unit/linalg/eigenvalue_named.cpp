// SPDX-License-Identifier: Apache-2.0
// Matrices whose extreme eigenvalues are known in closed form.
#include <catch2/catch.hpp>
#include <vector>

#include "heed/linalg/dense_symmetric.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"

using heed::Ball;
using heed::Matrix;
using heed::PrecisionScope;
using heed::Rational;
using heed::test::balls;
using heed::test::RationalMatrix;

namespace {

struct Known {
  const char* name;
  RationalMatrix matrix;
  Ball (*least)();
  Ball (*largest)();
};

Ball root(long square) { return sqrt(Ball(square)); }
Ball cosine_of_pi_over(long n) {
  Ball r, angle = Ball::pi() / Ball(n);
  arb_cos(arb(r), arb(angle), heed::working_precision());
  return r;
}

RationalMatrix diagonal(const std::vector<Rational>& d) {
  RationalMatrix a(d.size(), d.size());
  for (std::size_t i = 0; i < d.size(); ++i) a(i, i) = d[i];
  return a;
}

/// [[0, B], [B^T, 0]] with B = diag(1, 2, 3) and a zero column: eigenvalues +-1, +-2, +-3, 0.
RationalMatrix saddle() {
  RationalMatrix a(7, 7);
  for (std::size_t k = 0; k < 3; ++k)
    a(k, 3 + k) = a(3 + k, k) = Rational(static_cast<long>(k) + 1);
  return a;
}

std::vector<Known> known() {
  using namespace heed::test;
  std::vector<Known> list;
  list.push_back({"Rosser", rosser(), [] { return Ball(-10) * root(10405); },
                  [] { return Ball(10) * root(10405); }});
  list.push_back({"Hadamard 8", hadamard(3), [] { return -root(8); }, [] { return root(8); }});
  list.push_back({"all ones", ones(6), [] { return Ball(0); }, [] { return Ball(6); }});
  list.push_back({"cycle of 9", cycle(9), [] { return Ball(-2) * cosine_of_pi_over(9); },
                  [] { return Ball(2); }});
  list.push_back({"cycle of 12", cycle(12), [] { return Ball(-2); }, [] { return Ball(2); }});
  list.push_back({"saddle", saddle(), [] { return Ball(-3); }, [] { return Ball(3); }});
  list.push_back({"identity", diagonal(std::vector<Rational>(5, Rational(1))),
                  [] { return Ball(1); }, [] { return Ball(1); }});
  list.push_back({"double ends", diagonal({-1, -1, 0, 0, 2, 2}), [] { return Ball(-1); },
                  [] { return Ball(2); }});
  list.push_back(
      {"second difference 10",
       symmetric(10, [](long i, long j) { return i == j ? 2L : (i == j + 1 ? -1L : 0L); }),
       [] { return Ball(2) - Ball(2) * cosine_of_pi_over(11); },
       [] { return Ball(2) + Ball(2) * cosine_of_pi_over(11); }});
  list.push_back({"2 x 2", symmetric(2, [](long i, long j) { return i == j ? 0L : 5L; }),
                  [] { return Ball(-5); }, [] { return Ball(5); }});
  return list;
}

}  // namespace

TEST_CASE("Extreme eigenvalues of named matrices are enclosed to the digits asked for") {
  for (const Known& k : known()) {
    for (const int bits : {64, 128, 400}) {
      const int digits = bits / 5;
      Ball least, largest;
      {
        const PrecisionScope scope(bits);
        least = enclose_lambda_min(balls(k.matrix), digits);
        largest = enclose_lambda_max(balls(k.matrix), digits);
      }
      const PrecisionScope scope(2000);
      INFO(k.name << " at " << bits << " bits");
      CHECK(least.overlaps(k.least()));
      CHECK(largest.overlaps(k.largest()));
      if (!k.least().contains_zero()) CHECK(least.has_relative_digits(digits));
      if (k.least().contains_zero()) CHECK(certainly(less(abs(least), ldexp(Ball(1), -bits / 2))));
      CHECK(largest.has_relative_digits(digits));
    }
  }
}

TEST_CASE("Extreme eigenvalues agree with exact inertia counts") {
  using namespace heed::test;
  const std::pair<const char*, RationalMatrix> cases[] = {{"Rosser", rosser()},
                                                          {"Wilkinson W21+", wilkinson(10)},
                                                          {"Hilbert 4", hilbert(4)},
                                                          {"Hilbert 12", hilbert(12)}};
  for (const auto& [name, a] : cases) {
    for (const int bits : {53, 128, 300}) {
      const PrecisionScope scope(bits);
      const Ball least = enclose_lambda_min(balls(a), bits / 5);
      const Ball largest = enclose_lambda_max(balls(a), bits / 5);
      INFO(name << " at " << bits << " bits");
      CHECK(encloses_least(least, a));
      CHECK(encloses_largest(largest, a));
      CHECK(largest.has_relative_digits(bits / 5));
      // The least eigenvalue of Hilbert 12 is 1e-16 of the norm, of which 3/4 of the bits resolve.
      if (bits >= 128) CHECK(least.has_relative_digits(bits * 3 / 4 * 3 / 10 - 17));
    }
  }
}

TEST_CASE("Clement's matrix: the spectrum is -(n-1), -(n-3), ..., n-1") {
  for (const long n : {2L, 5L, 10L, 13L}) {
    const PrecisionScope scope(160);
    const auto size = static_cast<std::size_t>(n);
    Matrix<Ball> a(size, size);
    for (long k = 1; k < n; ++k) {
      const auto i = static_cast<std::size_t>(k);
      a(i, i - 1) = a(i - 1, i) = root(k * (n - k));
    }
    const Ball least = enclose_lambda_min(a, 30), largest = enclose_lambda_max(a, 30);
    INFO(n);
    CHECK(least.contains(Rational(-(n - 1))));
    CHECK(largest.contains(Rational(n - 1)));
    CHECK(least.has_relative_digits(30));
    CHECK(largest.has_relative_digits(30));
  }
}

TEST_CASE("A matrix on which values-only solvers in double fail: -0.189228418572") {
  RationalMatrix a(4, 4);
  const char* const last[] = {"1.10177969e-78", "0.184495215", "-14.2561191", "1074.0203"};
  for (std::size_t k = 0; k < 4; ++k) a(k, 3) = a(3, k) = Rational::parse(last[k]);
  const Ball least = enclose_lambda_min(balls(a), 15);
  CHECK(heed::test::encloses_least(least, a));
  CHECK(least.has_relative_digits(15));
  CHECK(certainly(less(abs(least + Ball(Rational::parse("0.189228418572"))), Ball(1e-12))));
}

TEST_CASE("The spectral norm is the larger absolute value") {
  using namespace heed::test;
  const PrecisionScope scope(160);
  CHECK(enclose_spectral_norm(balls(rosser()), 20).overlaps(Ball(10) * root(10405)));
  CHECK(enclose_spectral_norm(balls(rosser()), 20).has_relative_digits(20));
  const Ball negative = enclose_spectral_norm(balls(diagonal({-7, 2, 3})), 20);
  CHECK(negative.contains(Rational(7)));
  CHECK(negative.has_relative_digits(20));
}
