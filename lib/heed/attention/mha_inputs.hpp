// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/data/instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// The numbers of an instance in one scalar.
///
/// Differences of tokens are formed before the conversion, so equal tokens give exact zeros and
/// nearly equal ones keep their relative accuracy, also for tokens such as 1/3.
template <class S>
struct MhaInputs {
  Loss loss = Loss::logistic;
  std::vector<Matrix<S>> X;   ///< per sample: T_i x d
  std::vector<Matrix<S>> dX;  ///< per sample: (T_i T_i) x d, row s T_i + r holds x_s - x_r
  std::vector<int> y;
  std::vector<Matrix<S>> U;  ///< per head: T x d
  std::vector<Matrix<S>> W;  ///< per head: d x d
  /// Index of the first sample with exactly the same tokens; may be left empty.
  std::vector<std::size_t> first_equal;
  /// Index of the first head with exactly the same weights; may be left empty.
  std::vector<std::size_t> first_equal_head;

  std::size_t samples() const { return X.size(); }
  std::size_t heads() const { return U.size(); }
  std::size_t tokens() const { return U.front().rows(); }  ///< T = max T_i
  std::size_t dim() const { return U.front().cols(); }
  std::size_t head_parameters() const { return (tokens() + dim()) * dim(); }
  std::size_t parameters() const { return heads() * head_parameters(); }
  /// x_s - x_r of sample i.
  const S* difference(std::size_t i, std::size_t s, std::size_t r) const {
    return dX[i].row(s * X[i].rows() + r);
  }
};

/// Index of the first sample with exactly the same tokens, for each sample.
std::vector<std::size_t> first_equal_samples(const std::vector<Matrix<Rational>>& X);

/// The same for heads, by U_h and W_h.
std::vector<std::size_t> first_equal_heads(const MhaWeights& weights);

/// Throws std::invalid_argument unless the instance has samples, and weights of shapes that match.
void require_weights(const MhaInstance& instance);

/// Throws std::invalid_argument unless X, dX, y, U and W agree in number and shape; `who` begins the
/// message.
void require_shapes(const MhaInputs<double>& in, const std::string& who);

/// Converts an instance. Precondition: require_weights.
template <class S>
MhaInputs<S> mha_inputs(const MhaInstance& instance) {
  require_weights(instance);
  const auto convert = [](const Rational& q) { return Scalar<S>::from(q); };
  MhaInputs<S> in;
  in.loss = instance.loss;
  in.y = instance.y;
  in.first_equal = first_equal_samples(instance.X);
  in.first_equal_head = first_equal_heads(*instance.weights);
  for (const Matrix<Rational>& x : instance.X) {
    in.X.push_back(map(x, convert));
    Matrix<S> d(x.rows() * x.rows(), x.cols());
    for (std::size_t s = 0; s < x.rows(); ++s)
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t c = 0; c < x.cols(); ++c)
          d(s * x.rows() + r, c) = Scalar<S>::from(x(s, c) - x(r, c));
    in.dX.push_back(std::move(d));
  }
  for (const Matrix<Rational>& u : instance.weights->U) in.U.push_back(map(u, convert));
  for (const Matrix<Rational>& w : instance.weights->W) in.W.push_back(map(w, convert));
  return in;
}

}  // namespace heed
