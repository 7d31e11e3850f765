// SPDX-License-Identifier: Apache-2.0
// Whatever the candidate vector is, the enclosure holds; most often the digits are reached as well.
#include <cmath>

#include "heed/linalg/dense_symmetric.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::DenseSymmetric;
using heed::Extreme;
using heed::Matrix;
using heed::test::balls;
using heed::test::encloses_largest;
using heed::test::encloses_least;
using heed::test::Random;
using heed::test::RationalMatrix;
using heed::test::rounds;

namespace {

/// A matrix that proposes a vector of the test's choice.
class Misled final : public heed::SymmetricOperator {
 public:
  Misled(Matrix<Ball> a, std::vector<double> candidate)
      : a_(std::move(a)), candidate_(std::move(candidate)) {}
  std::size_t size() const override { return a_.size(); }
  std::vector<Ball> apply(const std::vector<Ball>& v) const override { return a_.apply(v); }
  Ball norm_bound() const override { return a_.norm_bound(); }
  std::unique_ptr<heed::ShiftedFactorization> factor_shifted(const Ball& s) const override {
    return a_.factor_shifted(s);
  }
  std::vector<double> approx_extreme_vector(Extreme) const override { return candidate_; }
  Ball resolution() const override { return a_.resolution(); }

 private:
  DenseSymmetric a_;
  std::vector<double> candidate_;
};

}  // namespace

TEST_CASE("A wrong candidate never makes the enclosure wrong") {
  const double nan = std::nan(""), inf = HUGE_VAL;
  const RationalMatrix a = heed::test::rosser();
  const std::size_t n = a.rows();
  std::vector<std::vector<double>> candidates = {std::vector<double>(n, 1.0),
                                                 std::vector<double>(n, 0.0),
                                                 std::vector<double>(n, nan),
                                                 std::vector<double>(n, inf),
                                                 std::vector<double>(n, 1e-300),
                                                 std::vector<double>(n, 1e308),
                                                 {},
                                                 {1},
                                                 std::vector<double>(n + 3, 1.0)};
  candidates.push_back(DenseSymmetric(balls(a)).approx_extreme_vector(Extreme::largest));
  candidates.push_back(DenseSymmetric(balls(a)).approx_extreme_vector(Extreme::smallest));
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> unit(n);
    unit[k] = 1;
    candidates.push_back(unit);
  }
  int index = 0;
  for (const auto& v : candidates) {
    INFO("candidate " << index++);
    const auto low = enclose_extreme_eigenvalue(Misled(balls(a), v), Extreme::smallest, 15);
    const auto high = enclose_extreme_eigenvalue(Misled(balls(a), v), Extreme::largest, 15);
    CHECK(encloses_least(low.value, a));
    CHECK(encloses_largest(high.value, a));
    CHECK(low.value.has_relative_digits(3));
    CHECK(high.value.has_relative_digits(3));
  }
}

TEST_CASE("An exact eigenvector of another eigenvalue is not taken for the extreme one") {
  // diag(0, 1, ..., 5): every unit vector has residual 0.
  const RationalMatrix a = heed::test::symmetric(6, [](long i, long j) { return i == j ? i : 0L; });
  for (std::size_t k = 0; k < 6; ++k) {
    std::vector<double> unit(6);
    unit[k] = 1;
    const Misled misled(balls(a), unit);
    const Ball least = enclose_extreme_eigenvalue(misled, Extreme::smallest, 10).value;
    const Ball largest = enclose_extreme_eigenvalue(misled, Extreme::largest, 10).value;
    INFO(k);
    CHECK(least.contains_zero());
    CHECK(largest.contains(heed::Rational(5)));
    CHECK(certainly(less(abs(least), Ball(1e-3))));
    CHECK(largest.has_relative_digits(3));
  }
}

TEST_CASE("Random candidates for random matrices") {
  Random random(131);
  for (int round = rounds(60); round > 0; --round) {
    const heed::PrecisionScope scope(static_cast<int>(random.integer(30, 200)));
    const auto n = static_cast<std::size_t>(random.integer(2, 7));
    const RationalMatrix a = heed::test::symmetric(
        n, [&](long, long) { return heed::Rational(random.integer(-20, 20), 7); });
    std::vector<double> v(n);
    for (double& x : v) x = random.chance(30) ? 0.0 : random.uniform();
    const Misled misled(balls(a), v);
    if (!encloses_least(enclose_extreme_eigenvalue(misled, Extreme::smallest, 8).value, a))
      FAIL("least");
    if (!encloses_largest(enclose_extreme_eigenvalue(misled, Extreme::largest, 8).value, a))
      FAIL("largest");
  }
}

TEST_CASE("The vector and residual of the result belong together") {
  const Matrix<Ball> a = balls(heed::test::wilkinson(5));
  const DenseSymmetric op(a);
  const auto e = enclose_extreme_eigenvalue(op, Extreme::smallest, 25);
  const std::vector<Ball> av = op.apply(e.vector);
  Ball vv, vav;
  for (std::size_t k = 0; k < av.size(); ++k) {
    vv += square(e.vector[k]);
    vav += e.vector[k] * av[k];
  }
  const Ball theta = vav / vv;
  Ball r2;
  for (std::size_t k = 0; k < av.size(); ++k) r2 += square(av[k] - theta * e.vector[k]);
  CHECK_FALSE(certainly(less(e.residual * Ball(1.0001), sqrt_nonnegative(r2 / vv))));
  CHECK(theta.overlaps(e.value));
  CHECK(e.factorizations >= 1);
  CHECK(e.factorizations <= 10);
}
