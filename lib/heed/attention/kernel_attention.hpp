// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/kernel_blocks.hpp"
#include "heed/data/kernel_instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/scalar.hpp"

namespace heed {

/// The data of a layer in one scalar: X[i]: n x D, Y[i]: m x p, readout U: m x n, beta.
template <class S>
struct KernelInputs {
  explicit KernelInputs(const KernelInstance& instance);

  std::vector<Matrix<S>> X, Y;
  Matrix<S> readout;
  S beta;

  std::size_t samples() const { return X.size(); }
  std::size_t tokens() const { return readout.cols(); }
};

/// An entry of the attention.
struct AttentionEntry {
  std::size_t sample, head, row, column;
};

/// A layer with square loss, evaluated at its weights:
///
///   Q = X W_Q, K = X W_K, P = X W_V, T = S P, F_i = U sum_h T_ih W_O^h, R_i = F_i - Y_i,
///   f = 1/2 sum_i |R_i|_F^2,   S = S(Q, K; beta) as the kernel says.
///
/// One source for every scalar. Everything is written in differences: of keys and of values to those
/// of the largest score of a row where rows are normalised, of queries to keys where scores are
/// distances; so nothing cancels when attention saturates, tokens coincide, or a query meets a key.
///
/// Guarantee: for a rigorous scalar every returned value encloses the exact one, for every point of
/// the weights if these are boxes. For Rational values are exact; the attention must be given then.
/// For `double` nothing is guaranteed; relative errors are a few hundred units in the last place of
/// the largest term, and what underflows is 0: see `underflow`.
/// Not guaranteed: that a gradient that vanishes is enclosed by exactly 0.
/// Cost: for each sample and head n^2 exponentials (n^3 for a rigorous scalar and rows that sum to 1:
/// each entry is then monotone in every exponential that it holds, which keeps boxes tight) and
/// 4 n D d + 2 n D d_v + 3 n^2 d + 2 n^2 d_v operations; about the same for the gradient, twice that
/// for a Hessian-vector product, without exponentials.
/// Errors: std::invalid_argument for shapes that do not fit.
/// Note: proofs-notes/kernel_attention.md. Source: the model of arXiv 2411.07538.
template <class S>
class KernelModel {
 public:
  using Inputs = std::shared_ptr<const KernelInputs<S>>;

  KernelModel(Inputs inputs, AttentionKernel kernel, KernelWeights<S> weights);
  /// The same with attention that is known otherwise: attention[i H + h] is S_ih, n x n.
  KernelModel(Inputs inputs, AttentionKernel kernel, KernelWeights<S> weights,
              std::vector<Matrix<S>> attention);

  const KernelInputs<S>& inputs() const { return *in_; }
  AttentionKernel kernel() const { return kernel_; }
  const KernelWeights<S>& weights() const { return w_; }
  std::size_t heads() const { return w_.W_Q.size(); }

  const Matrix<S>& queries(std::size_t i, std::size_t h) const { return at(i, h).Q; }  ///< n x d
  const Matrix<S>& keys(std::size_t i, std::size_t h) const { return at(i, h).K; }     ///< n x d
  const Matrix<S>& values(std::size_t i, std::size_t h) const { return at(i, h).P; }   ///< n x d_v
  const Matrix<S>& attention(std::size_t i, std::size_t h) const { return at(i, h).A; }  ///< n x n
  const Matrix<S>& outputs(std::size_t i) const { return F_[i]; }                        ///< m x p
  const Matrix<S>& residuals(std::size_t i) const { return R_[i]; }                      ///< m x p
  S loss() const;
  /// The first entry of S that is 0 in this scalar, though none is in truth: a gradient that vanishes
  /// then says nothing. Never set for a rigorous scalar.
  const std::optional<AttentionEntry>& underflow() const { return underflow_; }

  /// df by the blocks; the other blocks are zero.
  KernelWeights<S> gradient(KernelBlocks blocks = KernelBlocks::all()) const;
  /// (hess f) direction, of which the blocks are returned; the others are zero.
  KernelWeights<S> hessian_vector_product(const KernelWeights<S>& direction,
                                          KernelBlocks blocks = KernelBlocks::all()) const;
  /// Hessian by the blocks in the flat order, exactly symmetric. Cost: one product a parameter.
  Matrix<S> hessian(KernelBlocks blocks) const;

  /// J of one block: M_r x parameters, rows (sample, row of the read-out, output column).
  Matrix<S> jacobian(KernelBlock block) const;
  /// J J^T = sum over the blocks, M_r x M_r, exactly symmetric.
  Matrix<S> jacobian_gram(KernelBlocks blocks) const;
  /// B_h = stack_i(U S_ih X_i): N m x D.
  Matrix<S> features(std::size_t h) const;
  /// C = d phi_a / d q_a for phi_a = sum_b S_ab (P W_O)_b: p x d.
  Matrix<S> query_slope(std::size_t i, std::size_t h, std::size_t a) const;

 private:
  struct State {
    Matrix<S> Q, K, P, A, T;
    std::vector<std::size_t> reference;  // of each row: the largest score
  };
  struct Backward;
  struct Tangent;

  void require_shapes() const;
  void project();
  void attend(std::size_t i, std::size_t h);
  void read_out();
  const State& at(std::size_t i, std::size_t h) const { return states_[i * heads() + h]; }
  State& at(std::size_t i, std::size_t h) { return states_[i * heads() + h]; }
  S score_gap(const State& s, std::size_t a, std::size_t l, std::size_t b) const;
  Matrix<S> tangent_of_attention(const State& s, const Matrix<S>& dQ, const Matrix<S>& dK) const;
  Backward backward(std::size_t i, std::size_t h) const;
  Matrix<S> score_slope(const State& s, std::size_t a, const Matrix<S>& V) const;

  Inputs in_;
  AttentionKernel kernel_;
  KernelWeights<S> w_;
  std::vector<State> states_;
  std::vector<Matrix<S>> F_, R_;
  std::optional<AttentionEntry> underflow_;
};

/// The weights of an instance in the scalar.
template <class S>
KernelWeights<S> weights_as(const KernelWeights<Rational>& exact) {
  return map(exact, [](const Rational& q) { return Scalar<S>::from(q); });
}

/// The model at the instance's own weights.
template <class S>
KernelModel<S> kernel_model(const KernelInstance& instance, AttentionKernel kernel) {
  return KernelModel<S>(std::make_shared<const KernelInputs<S>>(instance), kernel,
                        weights_as<S>(instance.weights));
}

extern template class KernelModel<double>;
extern template class KernelModel<DoubleBall>;
extern template class KernelModel<Ball>;
extern template class KernelModel<Rational>;

}  // namespace heed
