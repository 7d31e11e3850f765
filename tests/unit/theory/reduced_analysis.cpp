// SPDX-License-Identifier: Apache-2.0
// Instances of full rank r, mapped into d > r dimensions by a rational isometry: the analysis of the
// image is reduced, that of the original is not, and the two have to agree.
#include <catch2/catch.hpp>

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/mha_analysis.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Ball;
using heed::Matrix;
using heed::MhaAnalysis;
using heed::MhaInstance;
using heed::Rational;
using heed::test::Random;
using RationalMatrix = Matrix<Rational>;

namespace {

RationalMatrix random_matrix(Random& random, std::size_t rows, std::size_t cols) {
  RationalMatrix m(rows, cols);
  for (Rational& x : m.entries()) x = Rational(random.integer(-9, 9), random.chance(50) ? 8 : 7);
  return m;
}

/// First r rows of a product of rational rotations of R^d.
RationalMatrix isometry(std::size_t r, std::size_t d) {
  RationalMatrix q(r, d);
  for (std::size_t i = 0; i < r; ++i) q(i, i) = Rational(1);
  const Rational c(3, 5), s(4, 5);
  for (std::size_t k = 0; k + 1 < d; ++k)
    for (std::size_t i = 0; i < r; ++i) {
      const Rational a = q(i, k), b = q(i, k + 1);
      q(i, k) = c * a - s * b;
      q(i, k + 1) = s * a + c * b;
    }
  return q;
}

RationalMatrix transposed(const RationalMatrix& a) {
  RationalMatrix t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

struct Pair {
  MhaInstance small, large;
};

/// `beyond` adds weights that the tokens do not see.
Pair pair(Random& random, std::size_t r, std::size_t d, bool beyond) {
  Pair p;
  const RationalMatrix q = isometry(r, d);
  heed::MhaWeights small, large;
  for (std::size_t i = 0; i < 3; ++i) {
    p.small.X.push_back(random_matrix(random, i == 1 ? 2 : 3, r));
    if (i == 2) p.small.X[2] = p.small.X[0];
    p.large.X.push_back(heed::multiply(p.small.X[i], q));
  }
  p.small.y = p.large.y = {1, -1, -1};
  for (std::size_t h = 0; h < 2; ++h) {
    small.U.push_back(random_matrix(random, 3, r));
    small.W.push_back(random_matrix(random, r, r));
    large.U.push_back(heed::multiply(small.U[h], q));
    large.W.push_back(heed::multiply(heed::multiply(transposed(q), small.W[h]), q));
    if (!beyond) continue;
    // A - A Q Q^T has rows orthogonal to all tokens.
    const RationalMatrix u = random_matrix(random, 3, d), w = random_matrix(random, d, d);
    const RationalMatrix projector = heed::multiply(transposed(q), q);
    const RationalMatrix pu = heed::multiply(u, projector), pw = heed::multiply(w, projector);
    for (std::size_t k = 0; k < u.size(); ++k) large.U[h].data()[k] += u.data()[k] - pu.data()[k];
    for (std::size_t k = 0; k < w.size(); ++k) large.W[h].data()[k] += w.data()[k] - pw.data()[k];
  }
  p.small.weights = small;
  p.large.weights = large;
  return p;
}

bool narrow(const Ball& x) {
  return x.is_finite() && certainly(less_equal(x.radius(), ldexp(Ball(1) + abs(x), -60)));
}

void check_same(const char* what, const std::vector<Ball>& a, const std::vector<Ball>& b) {
  INFO(what);
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    INFO(k);
    CHECK(a[k].overlaps(b[k]));
    CHECK(narrow(a[k]));
  }
}

std::vector<Ball> ladders(const MhaAnalysis<Ball>& a) {
  const heed::WeightNorms<Ball>& w = a.norms();
  std::vector<Ball> all{w.R, w.M_U, w.mean_U2, w.theta_2inf, a.b1(), a.b2(), a.b1_paper()};
  for (std::size_t i = 0; i < a.samples(); ++i) {
    const heed::SampleBounds<Ball>& b = a.bounds(i);
    all.insert(all.end(), {b.grad_geom, b.grad_state, a.geometry(i).r, a.geometry(i).D});
    all.insert(all.end(), b.hess_geom.begin(), b.hess_geom.end());
    all.insert(all.end(), b.hess_state.begin(), b.hess_state.end());
  }
  return all;
}

std::vector<Ball> exact_values(const MhaAnalysis<Ball>& a) {
  std::vector<Ball> all{a.loss(), a.mean_slope(), a.gradient_norm(), a.hessian_extremes().largest,
                        a.gauss_newton_norm()};
  for (std::size_t i = 0; i < a.samples(); ++i) {
    all.push_back(a.phi_gradient_norm(i));
    for (const Ball& x : a.bounds(i).hess_exact) all.push_back(x);
    for (std::size_t h = 0; h < a.heads(); ++h)
      for (const Ball& x : a.model().head(i, h).A.entries()) all.push_back(x);
  }
  const Matrix<Ball> kernel = a.model().ntk_kernel();
  all.insert(all.end(), kernel.entries().begin(), kernel.entries().end());
  return all;
}

}  // namespace

TEST_CASE("The reduced analysis agrees with the one in the tokens' own dimension") {
  Random random(72);
  for (const auto& [r, d] : {std::pair<std::size_t, std::size_t>{1, 2}, {2, 3}, {2, 4}, {3, 5}})
    for (const bool beyond : {false, true}) {
      INFO("r = " << r << ", d = " << d << ", beyond = " << beyond);
      const Pair p = pair(random, r, d, beyond);
      const MhaAnalysis<Ball> small(p.small), large(p.large);
      REQUIRE(small.reduction_note().empty());
      REQUIRE(large.reduction().reduced());
      CHECK(large.model().inputs().dim() == r);
      check_same("exact values", exact_values(large), exact_values(small));
      CHECK(large.hessian_extremes().least.overlaps(min(small.hessian_extremes().least, Ball(0))));
      CHECK_FALSE(certainly(positive(large.hessian_extremes().least)));
      for (std::size_t h = 0; h < 2; ++h)
        CHECK(large.block_minima()[h].overlaps(min(small.block_minima()[h], Ball(0))));
      if (!beyond) check_same("ladders", ladders(large), ladders(small));
    }
}

TEST_CASE("The reduced analysis agrees with the model in all dimensions") {
  Random random(73);
  for (const auto& [r, d] : {std::pair<std::size_t, std::size_t>{1, 3}, {2, 3}, {2, 4}}) {
    INFO("r = " << r << ", d = " << d);
    const Pair p = pair(random, r, d, true);
    const MhaAnalysis<Ball> reduced(p.large);
    const heed::MhaModel<Ball> full(heed::mha_inputs<Ball>(p.large));
    const std::size_t P = p.large.parameters();
    check_same("phi", reduced.model().phi(), full.phi());
    check_same("gradient", reduced.gradient(), full.gradient());
    std::vector<Ball> v;
    for (std::size_t k = 0; k < P; ++k) v.push_back(Ball(Rational(random.integer(-9, 9), 7)));
    check_same("hvp", reduced.hessian_vector_product(v), full.hessian_vector_product(v));
    const Matrix<Ball> hessian = full.dense_hessian();
    const Ball least = heed::enclose_lambda_min(hessian, 15),
               largest = heed::enclose_lambda_max(hessian, 15);
    CHECK(reduced.hessian_extremes().least.overlaps(least));
    CHECK(reduced.hessian_extremes().largest.overlaps(largest));
    CHECK(narrow(reduced.hessian_extremes().least));
    // Norms and dimension of the worst-case rungs are those of the instance.
    Ball largest_u(0);
    for (const RationalMatrix& u : p.large.weights->U) {
      Rational sum;
      for (const Rational& x : u.entries()) sum += x * x;
      largest_u = max(largest_u, sqrt(Ball(sum)));
    }
    CHECK(reduced.norms().M_U.overlaps(largest_u));
    CHECK(narrow(reduced.norms().M_U));
    const heed::WeightNorms<Ball>& w = reduced.norms();
    const Ball dim(static_cast<int>(d)), T(3);
    CHECK(
        reduced.b2_paper().overlaps(Ball(2) * sqrt(T * dim) * w.R * square(w.R) *
                                    (Ball(3) * sqrt(dim) * square(w.R) * w.theta_2inf + Ball(1))));
  }
}

TEST_CASE("Equal tokens keep differences of exactly 0 in the reduced model") {
  Random random(74);
  Pair p = pair(random, 2, 4, false);
  for (std::size_t c = 0; c < 4; ++c) p.large.X[0](1, c) = p.large.X[0](0, c);
  const MhaAnalysis<Ball> a(p.large);
  REQUIRE(a.reduction().reduced());
  for (std::size_t c = 0; c < 2; ++c) {
    const Ball& x = a.model().inputs().difference(0, 1, 0)[c];
    CHECK(x.is_exact());
    CHECK(x.contains_zero());
  }
}

TEST_CASE("A positive definite Hessian gets the eigenvalue 0 of the directions left out") {
  const long X[6][2] = {{2, 2}, {2, -3}, {3, -1}, {-2, 1}, {3, -3}, {0, 3}};
  MhaInstance small, large;
  small.y = large.y = {1, 1, -1, -1, 1, -1};
  for (const auto& x : X) {
    RationalMatrix tokens(2, 1), wide(2, 2);
    for (std::size_t t = 0; t < 2; ++t) wide(t, 0) = wide(t, 1) = tokens(t, 0) = Rational(x[t]);
    small.X.push_back(tokens);
    large.X.push_back(wide);
  }
  heed::MhaWeights weights{{RationalMatrix(2, 1)}, {RationalMatrix(1, 1)}};
  weights.U[0](1, 0) = Rational(-1, 2);
  weights.W[0](0, 0) = Rational(1, 4);
  small.weights = weights;
  large.weights = heed::MhaWeights{{RationalMatrix(2, 2)}, {RationalMatrix(2, 2)}};
  large.weights->U[0](1, 0) = Rational(-1, 2);
  large.weights->W[0](0, 1) = Rational(1, 4);
  const MhaAnalysis<Ball> own(small), reduced(large);
  CHECK(certainly(positive(own.hessian_extremes().least)));
  const Ball least = reduced.hessian_extremes().least;
  CHECK(least.is_exact());
  CHECK(least.contains_zero());
  CHECK(certainly(positive(reduced.hessian_extremes().largest)));
}
