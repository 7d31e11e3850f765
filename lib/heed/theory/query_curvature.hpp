// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// Loss and derivatives of query attention at one point, enclosed.
template <class S>
struct QueryCurvature {
  S loss;
  std::vector<S> margins;                 ///< u_i = y_i h(o_i)
  std::vector<std::vector<S>> attention;  ///< per input, s_t
  /// The rest is there only where the head is proved differentiable; otherwise `kink` says where not.
  std::string kink;
  Matrix<S> gradient;  ///< d x d
  S gradient_norm;
  std::optional<Matrix<S>> hvp;        ///< (hess L)[D], if the point has a direction D
  std::optional<S> quadratic;          ///< <D, (hess L)[D]>
  std::optional<Extremes<S>> hessian;  ///< of the d^2 x d^2 Hessian, for d <= max_hessian_dim
};

/// Largest d for which the eigenvalues of the Hessian are enclosed: it has d^4 entries.
inline constexpr std::size_t max_hessian_dim = 12;

/// Evaluates an instance at one of its points in S (DoubleBall, or Ball at the working precision).
/// Cost: a gradient and a Hessian-vector product; with eigenvalues d^2 Hessian-vector products and an
/// eigenvalue problem of order d^2. Errors: std::invalid_argument if there is no such point.
/// Note: proofs-notes/query_attention.md.
template <class S>
QueryCurvature<S> query_curvature(const QueryInstance& instance, std::size_t point);

extern template QueryCurvature<DoubleBall> query_curvature(const QueryInstance&, std::size_t);
extern template QueryCurvature<Ball> query_curvature(const QueryInstance&, std::size_t);

}  // namespace heed
