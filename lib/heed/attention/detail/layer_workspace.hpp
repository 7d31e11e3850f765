// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/detail/layer_kernels.hpp"
#include "heed/attention/kernel_attention.hpp"

namespace heed::approx::detail {

inline std::ptrdiff_t padded(std::ptrdiff_t count) {
  return (count + lane_pad - 1) / lane_pad * lane_pad;
}

/// Rows of doubles padded to whole vectors; rows start on cache lines.
class PaddedRows {
 public:
  using Size = std::ptrdiff_t;
  PaddedRows() = default;
  PaddedRows(Size rows, Size width)
      : step_(padded(width)), entries_(static_cast<std::size_t>(rows * step_)) {}

  Size step() const { return step_; }
  double* row(Size r) { return entries_.data() + r * step_; }
  const double* row(Size r) const { return entries_.data() + r * step_; }
  Rows from(Size r = 0, Size column = 0) { return {row(r) + column, step_}; }
  ConstRows from(Size r = 0, Size column = 0) const { return {row(r) + column, step_}; }
  void clear() { std::fill(entries_.begin(), entries_.end(), 0.0); }
  Strided matrix(Size r = 0, Size column = 0) const { return {row(r) + column, step_, 1}; }
  Strided transposed(Size r = 0, Size column = 0) const { return {row(r) + column, 1, step_}; }

 private:
  template <class T>
  struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <class U>
    Aligned(const Aligned<U>&) {}
    T* allocate(std::size_t n) {
      return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    friend bool operator==(const Aligned&, const Aligned&) { return true; }
  };
  Size step_ = 0;
  std::vector<double, Aligned<double>> entries_;
};

/// The parameters of one head, or a direction: W = [W_Q W_K W_V], D x columns, each block padded; W_O
/// and its transpose. For softmax W_Q carries the factor beta.
struct PackedHead {
  PaddedRows W, O, OT;
};

/// What one head keeps of all samples, stacked: row i n + a is token a of sample i.
struct LayerHead {
  PackedHead weights, direction;
  PaddedRows projected;         ///< [Q K P]
  PaddedRows keys_t, values_t;  ///< K^T and P^T of sample i from row i d, i d_v
  PaddedRows A, slope, Psi;     ///< attention; M relative to its mean; A M centred
  PaddedRows T, Go;             ///< A P; G W_O^T
  std::vector<std::ptrdiff_t> reference;
  PaddedRows moved, dA, dT;  ///< of the sample in hand: [dQ dK dP], changes of A and T
  PaddedRows W_sum, O_sum;   ///< gradient or product by W and W_O, up to beta
};

/// Everything that FastKernel keeps. Names as in kernel_attention.hpp.
struct LayerWorkspace {
  using Size = std::ptrdiff_t;

  LayerWorkspace(const KernelInputs<double>& inputs, AttentionKernel kernel,
                 const KernelWeights<double>& weights, KernelBlocks trained,
                 const std::string& instruction_set);

  /// At theta.
  void evaluate();
  void product(std::span<const double> v, std::span<double> out);

  const LayerKernels& kernels;
  const AttentionKernel kernel;
  const KernelBlocks trained;
  const bool normalised, distances, scores_trained, values_trained;
  const Size N, n, D, d, v, p, m;
  const Size key_column, value_column, columns;  ///< of W
  const double beta;
  PaddedRows X, Y, U;  ///< stacked N n x D; stacked N m x p; m x n
  std::vector<LayerHead> heads;
  PaddedRows R, G, dG;  ///< residuals, stacked N m x p; U^T R, N n x p; its change in one sample
  std::vector<double> mask;
  KernelWeights<double> weights;  ///< as given; trained blocks are in theta
  std::vector<double> theta, gradient;
  double loss = 0;
  bool underflow = false;

 private:
  Size column_of(KernelBlock block) const;
  void pack(std::span<const double> flat, PackedHead LayerHead::*target);
  void unpack(std::span<double> flat) const;
  void clear_sums();
  AttentionRows rows(LayerHead& head, Size i);
  void attend(LayerHead& head, Size i);
  void forward(Size i);
  void backward(LayerHead& head, Size i);
  void scores_backward(LayerHead& head, Size i);
  void tangent(Size i);
  void tangent_backward(LayerHead& head, Size i);
  void scores_tangent_backward(LayerHead& head, Size i);
  /// Adds the slopes by Q and K of the change psi of the attention, for rows [Q K].
  void pull(const double* psi, ConstRows Q);
  void clear_pulled();
  void add_sums(LayerHead& head, Size i);

  PaddedRows sum_, change_, second_, dR_, moved_t_, dGo_;
  PaddedRows pulled_;  ///< of the sample and head in hand: slopes by [Q K P], up to beta
};

}  // namespace heed::approx::detail
