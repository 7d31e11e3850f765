// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// What is certain about V_k . o for every convex combination o of the tokens of one input.
enum class UnitSign {
  positive,  ///< V_k . x_t >= 0 for every t, and > 0 for one: V_k . o > 0 at every W
  negative,  ///< likewise
  zero,      ///< V_k . x_t = 0 for every t
  open       ///< depends on the attention
};

/// Throws std::invalid_argument unless the instance has inputs, labels and queries of one dimension
/// and the head has what it needs of that dimension (`v`, or V and w).
void require_query_shapes(const QueryInstance& instance, const QueryHead& head);

/// Features P_i = X_i F^T of every input, exactly: F = v^T (linear, quadratic) or V (ReLU).
std::vector<Matrix<Rational>> query_features(const QueryInstance& instance, const QueryHead& head);

/// The sign of one column of features.
UnitSign unit_sign(const Matrix<Rational>& features, std::size_t unit);

/// The numbers of an instance of query attention in one scalar, for one head.
///
/// Differences of tokens and of features are formed exactly before the conversion: equal tokens give
/// exact zeros, nearly equal ones keep their relative accuracy. Differences to a token are converted
/// when they are first asked for, at the precision of that moment. Not thread-safe for that reason.
/// Errors: std::invalid_argument as for require_query_shapes.
template <class S>
class QueryInputs {
 public:
  /// Differences to the token r of one input, row by row.
  struct Differences {
    Matrix<S> tokens;    ///< T_i x d, row t = x_r - x_t
    Matrix<S> features;  ///< T_i x m, row t = P_r - P_t
  };

  QueryInputs(const QueryInstance& instance, const QueryHead& head);

  std::size_t inputs() const { return exact_x_.size(); }
  std::size_t dim() const { return Z_.cols(); }
  std::size_t tokens(std::size_t i) const { return exact_x_[i].rows(); }
  /// Values per token lie one input after the other in one vector: those of input i start here.
  std::size_t offset(std::size_t i) const { return offset_[i]; }
  std::size_t total_tokens() const { return offset_.back(); }

  const Matrix<S>& X(std::size_t i) const { return X_[i]; }         ///< T_i x d
  const Matrix<S>& Z() const { return Z_; }                         ///< n x d
  int label(std::size_t i) const { return y_[i]; }                  ///< +1 or -1
  const Matrix<S>& features(std::size_t i) const { return P_[i]; }  ///< T_i x m
  const Differences& differences(std::size_t i, std::size_t r) const;

  const Matrix<Rational>& exact_tokens(std::size_t i) const { return exact_x_[i]; }
  const Matrix<Rational>& exact_queries() const { return exact_z_; }
  const Matrix<Rational>& exact_features(std::size_t i) const { return exact_p_[i]; }
  /// First index with the largest y_i P_it (first feature): the optimal token of a linear head.
  std::size_t best_token(std::size_t i) const { return best_[i]; }

  const QueryHead& head() const { return head_; }
  std::size_t units() const { return P_.front().cols(); }    ///< m
  const std::vector<S>& unit_weights() const { return w_; }  ///< ReLU: w; else 1
  UnitSign sign(std::size_t i, std::size_t unit) const { return signs_[i * units() + unit]; }
  const S& lambda() const { return lambda_; }  ///< quadratic head, else 0

 private:
  std::vector<Matrix<Rational>> exact_x_, exact_p_;
  Matrix<Rational> exact_z_;
  std::vector<int> y_;
  QueryHead head_;
  std::vector<std::size_t> offset_, best_;
  std::vector<UnitSign> signs_;
  std::vector<Matrix<S>> X_, P_;
  Matrix<S> Z_;
  std::vector<S> w_;
  S lambda_;
  mutable std::vector<std::unique_ptr<Differences>> differences_;
};

extern template class QueryInputs<double>;
extern template class QueryInputs<DoubleBall>;
extern template class QueryInputs<Ball>;

}  // namespace heed
