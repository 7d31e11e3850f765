// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/gram_extremes.hpp"

#include <optional>
#include <vector>

namespace heed {
namespace {

Ball between(const Ball& low, const Ball& high) { return Ball::hull(low, high); }
DoubleBall between(const DoubleBall& low, const DoubleBall& high) {
  return DoubleBall::between(low.lower(), high.upper());
}

bool is_narrower(const Ball& a, const Ball& b) { return certainly(less(a.radius(), b.radius())); }
bool is_narrower(const DoubleBall& a, const DoubleBall& b) { return a.rad() < b.rad(); }

template <class S>
std::optional<S> graded_factor(const Matrix<S>& G) {
  const std::size_t n = G.rows();
  std::vector<S> root;
  for (std::size_t i = 0; i < n; ++i) {
    if (!certainly(positive(G(i, i)))) return std::nullopt;
    root.push_back(sqrt(G(i, i)));
  }
  Matrix<S> A(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) A(i, j) = A(j, i) = G(i, j) / root[i] / root[j];
    A(i, i) = S(1);
  }
  return max(extremes(A).least, S(0));
}

}  // namespace

template <class S>
Extremes<S> gram_extremes(const Matrix<S>& G) {
  Extremes<S> e = extremes(G);
  e.largest = max(e.largest, S(0));
  e.least = max(e.least, S(0));
  const std::optional<S> factor = graded_factor(G);
  if (!factor) return e;
  S least_diagonal = G(0, 0);
  for (std::size_t i = 1; i < G.rows(); ++i) least_diagonal = min(least_diagonal, G(i, i));
  const S graded = between(S(least_diagonal * *factor), least_diagonal);
  if (is_narrower(graded, e.least)) e.least = graded;
  return e;
}

template Extremes<DoubleBall> gram_extremes(const Matrix<DoubleBall>&);
template Extremes<Ball> gram_extremes(const Matrix<Ball>&);

}  // namespace heed
