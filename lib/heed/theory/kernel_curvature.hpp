// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/theory/kernel_ends.hpp"

namespace heed {

/// What to evaluate besides loss and gradient.
struct KernelCurvatureOptions {
  KernelBlocks blocks = KernelBlocks::all();  ///< of the gradient, the Hessian and the product
  std::optional<KernelWeights<Rational>> direction;  ///< adds hvp; zero outside of the blocks
  bool full = false;                                 ///< adds arrays, spectra and singular values
  /// hessian_ends of the instance, to spare a repetition; made where it is missing and needed.
  std::shared_ptr<const HessianEnds> ends = nullptr;
};

/// Loss and derivatives of kernel attention at the weights of an instance, enclosed.
template <class S>
struct KernelCurvature {
  S loss;
  KernelWeights<S> gradient;            ///< zero outside of the blocks
  S gradient_norm, gradient_squared;    ///< over the blocks
  std::map<KernelBlock, S> squared;     ///< |df/d block|^2, of the blocks
  Extremes<S> hessian;                  ///< by the blocks; see HessianEnds beyond max_full_hessian
  std::optional<KernelWeights<S>> hvp;  ///< (hess f) direction, in the blocks

  /// Only with `full`.
  std::vector<Matrix<S>> attention;         ///< S_ih at [i H + h]
  std::vector<Matrix<S>> outputs;           ///< F_i
  std::map<std::string, Extremes<S>> gram;  ///< of J J^T, by block word, and `all`
  std::vector<std::vector<Ball>> sigma_B,
      sigma_O;                    ///< of the features and of W_O, by head, falling
  Matrix<S> hessian_matrix;       ///< empty beyond max_full_hessian parameters
  std::vector<Ball> eigenvalues;  ///< of it, rising
};

/// Largest number of parameters for which the whole spectrum is enclosed, and the ends of it from the
/// dense matrix.
inline constexpr std::size_t max_full_hessian = 64;

/// Evaluates an instance in S (DoubleBall, or Ball at the working precision).
/// Cost: a gradient; up to max_full_hessian parameters one Hessian-vector product each, beyond that
/// hessian_ends, and sharpened_ends for Ball. Notes: proofs-notes/kernel_attention.md, kernel_ends.md.
template <class S>
KernelCurvature<S> kernel_curvature(const KernelInstance& instance, AttentionKernel kernel,
                                    const KernelCurvatureOptions& options);

extern template KernelCurvature<DoubleBall> kernel_curvature(const KernelInstance&, AttentionKernel,
                                                             const KernelCurvatureOptions&);
extern template KernelCurvature<Ball> kernel_curvature(const KernelInstance&, AttentionKernel,
                                                       const KernelCurvatureOptions&);

}  // namespace heed
