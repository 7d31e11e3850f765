// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/curvature_test.hpp"

#include <stdexcept>

#include "heed/landscape/detail/curvature_of.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace detail {
namespace {

constexpr int direction_bits = 30;

Verdict verdict(bool holds, const std::string& reason) {
  return {holds ? VerdictKind::proved : VerdictKind::undecided, holds ? "" : reason,
          working_precision(), false};
}

Ball along(const Matrix<Ball>& H, const std::vector<Rational>& v) {
  std::vector<Ball> balls;
  for (const Rational& x : v) balls.emplace_back(x);
  return dot(balls, multiply(H, balls));
}

std::vector<Rational> rounded(const Matrix<double>& vectors, std::size_t column) {
  std::vector<Rational> v;
  for (std::size_t k = 0; k < vectors.rows(); ++k)
    v.push_back(round_binary(Rational(vectors(k, column)), direction_bits));
  return v;
}

bool usable(const Matrix<Ball>& H) { return H.rows() > 0 && is_finite(H); }
const std::string unusable = "the Hessian has no free coordinate or is not finite over the box";

}  // namespace

SliceScope slice_scope(const LandscapeProblem& problem, const PointBox& box) {
  if (box.frozen.empty()) return SliceScope::nothing_frozen;
  return transversality(problem, box, FlatScope::nearby).kind == VerdictKind::proved
             ? SliceScope::modulo_flat
             : SliceScope::slice_only;
}

MinimumResult minimum_of(const Matrix<Ball>& H, SliceScope scope) {
  MinimumResult r;
  r.gauged = scope != SliceScope::nothing_frozen;
  r.of_all = scope != SliceScope::slice_only;
  r.words = "strict local minimum";
  if (r.gauged) r.words += " in the slice of the frozen coordinates";
  if (scope == SliceScope::modulo_flat)
    r.words += "; of all trained coordinates a local minimum, strict modulo the flat directions";
  if (scope == SliceScope::slice_only) r.words += " only";
  if (!usable(H)) {
    r.verdict = verdict(false, unusable);
    return r;
  }
  const Extremes<Ball> ends = extremes(H);
  r.least = ends.least;
  r.largest = ends.largest;
  r.verdict = verdict(certainly(positive(r.least)),
                      "the least eigenvalue of the Hessian over the box is not proved positive");
  return r;
}

NotMinimumResult not_minimum_of(const Matrix<Ball>& H, std::vector<Rational> v) {
  NotMinimumResult r;
  if (!usable(H)) {
    r.verdict = verdict(false, unusable);
    return r;
  }
  r.v = v.empty() ? rounded(approx_eigenvectors(H), 0) : std::move(v);
  r.along_v = along(H, r.v);
  r.verdict = verdict(certainly(negative(r.along_v)), "v^T H v < 0 is not proved over the box");
  return r;
}

SaddleResult saddle_of(const Matrix<Ball>& H, std::vector<Rational> u, std::vector<Rational> v) {
  SaddleResult r;
  if (!usable(H)) {
    r.verdict = verdict(false, unusable);
    return r;
  }
  const Matrix<double> vectors = approx_eigenvectors(H);
  r.u = u.empty() ? rounded(vectors, H.rows() - 1) : std::move(u);
  r.v = v.empty() ? rounded(vectors, 0) : std::move(v);
  r.along_u = along(H, r.u);
  r.along_v = along(H, r.v);
  const bool up = certainly(positive(r.along_u)), down = certainly(negative(r.along_v));
  r.verdict = verdict(up && down, up ? "v^T H v < 0 is not proved over the box"
                                     : "u^T H u > 0 is not proved over the box");
  return r;
}

IndexResult index_of(const Matrix<Ball>& H, Matrix<Rational> V) {
  IndexResult r;
  if (!usable(H)) {
    r.verdict = verdict(false, unusable);
    return r;
  }
  const std::size_t n = H.rows();
  r.V = V.size() != 0 ? std::move(V)
                      : map(approx_eigenvectors(H), [](const double& x) { return Rational(x); });
  const Matrix<Ball> W = map(r.V, [](const Rational& q) { return Ball(q); });
  const Matrix<Ball> gram = gram_of_columns(W), congruent = transposed_multiply(W, multiply(H, W));
  bool nonsingular = true, apart = true;
  for (std::size_t i = 0; i < n; ++i) {
    Ball defect, disc;
    for (std::size_t j = 0; j < n; ++j) {
      defect += abs(Ball(i == j ? 1 : 0) - gram(i, j));
      if (j != i) disc += abs(congruent(i, j));
    }
    nonsingular = nonsingular && certainly(less(defect, Ball(1)));
    const bool below = certainly(negative(congruent(i, i) + disc));
    apart = apart && (below || certainly(positive(congruent(i, i) - disc)));
    if (below) ++r.index;
  }
  r.verdict =
      verdict(nonsingular && apart, nonsingular ? "a Gershgorin disc is not proved to exclude 0"
                                                : "|I - V^T V| < 1 is not proved");
  if (r.verdict.kind != VerdictKind::proved) r.index = 0;
  return r;
}

CurvatureResults curvature_of(const Matrix<Ball>& H, SliceScope scope) {
  return {minimum_of(H, scope), not_minimum_of(H, {}), saddle_of(H, {}, {}), index_of(H, {})};
}

std::vector<Rational> pad(const std::vector<Rational>& v, const PointBox& box) {
  if (v.empty()) return v;
  std::vector<Rational> padded(box.centre.size());
  const std::vector<std::size_t> free = box.free_indices();
  for (std::size_t k = 0; k < free.size(); ++k) padded[free[k]] = v[k];
  return padded;
}

}  // namespace detail

namespace {

Matrix<Ball> hessian_over(const LandscapeProblem& problem, const PointBox& box) {
  require_fits(problem, box);
  return free_hessian(LandscapeModel(problem).at(enclose_box(box)), problem.trained,
                      box.free_indices());
}

// The free part of a direction of all trained coordinates.
std::vector<Rational> free_part(const std::vector<Rational>& v, const PointBox& box,
                                const char* name) {
  if (v.empty()) return v;
  if (v.size() != box.centre.size())
    throw std::invalid_argument(std::string("landscape: expected a direction ") + name + " of " +
                                std::to_string(box.centre.size()) + " trained coordinates, found " +
                                std::to_string(v.size()));
  for (const std::size_t k : box.frozen)
    if (v[k].sign() != 0)
      throw std::invalid_argument(std::string("landscape: expected a direction ") + name +
                                  " that is 0 at the frozen coordinates");
  std::vector<Rational> part;
  for (const std::size_t k : box.free_indices()) part.push_back(v[k]);
  return part;
}

}  // namespace

MinimumResult certify_minimum(const LandscapeProblem& problem, const PointBox& box) {
  return detail::minimum_of(hessian_over(problem, box), detail::slice_scope(problem, box));
}

NotMinimumResult certify_not_minimum(const LandscapeProblem& problem, const PointBox& box,
                                     std::vector<Rational> v) {
  const Matrix<Ball> H = hessian_over(problem, box);
  NotMinimumResult r = detail::not_minimum_of(H, free_part(v, box, "v"));
  r.v = detail::pad(r.v, box);
  return r;
}

SaddleResult certify_saddle(const LandscapeProblem& problem, const PointBox& box,
                            std::vector<Rational> u, std::vector<Rational> v) {
  const Matrix<Ball> H = hessian_over(problem, box);
  SaddleResult r = detail::saddle_of(H, free_part(u, box, "u"), free_part(v, box, "v"));
  r.u = detail::pad(r.u, box);
  r.v = detail::pad(r.v, box);
  return r;
}

IndexResult certify_index(const LandscapeProblem& problem, const PointBox& box,
                          Matrix<Rational> V) {
  const Matrix<Ball> H = hessian_over(problem, box);
  if (V.size() != 0 && (V.rows() != H.rows() || V.cols() != H.rows()))
    throw std::invalid_argument("landscape: expected V of the order " + std::to_string(H.rows()) +
                                " of the free coordinates");
  return detail::index_of(H, std::move(V));
}

CurvatureResults certify_curvature(const LandscapeProblem& problem, const PointBox& box) {
  CurvatureResults r =
      detail::curvature_of(hessian_over(problem, box), detail::slice_scope(problem, box));
  r.not_minimum.v = detail::pad(r.not_minimum.v, box);
  r.saddle.u = detail::pad(r.saddle.u, box);
  r.saddle.v = detail::pad(r.saddle.v, box);
  return r;
}

}  // namespace heed
