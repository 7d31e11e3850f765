// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {

/// Sizes up to which both ends of the Hessian of a layer are enclosed from the matrix: P parameters,
/// and M_r residuals.
inline constexpr std::size_t max_hessian_parameters = 8192, max_hessian_residuals = 4096;

/// Largest P at which balls enclose the ends from the matrix where HessianEnd::others is not known.
inline constexpr std::size_t max_ball_hessian = 1024;

/// One end of the spectrum of hess f, and what makes it narrower at a higher precision.
struct HessianEnd {
  DoubleBall value;              ///< contains the eigenvalue
  std::vector<double> vector;    ///< candidate for its eigenvector, in the flat order
  std::optional<double> others;  ///< bounds all other eigenvalues: SeparatedEnd
};

struct HessianEnds {
  HessianEnd least, largest;
  /// Beyond the sizes above: of each interval one end is a Rayleigh quotient and the other a bound of
  /// norms, -|r| L_J(0) <= lambda_min and lambda_max <= |J|^2 + |r| L_J(0).
  bool one_sided = false;
};

/// Both ends of the Hessian by some blocks, enclosed in double.
///
/// Guarantee: each value contains the eigenvalue. Not guaranteed: its width, about 1e-9 of the norm where
/// the matrix is within range; the whole line if the model overflows.
/// Cost: layer_hessian and some factorisations of its blocks: 0.3 s at P = 784, N = 32 (the token task),
/// 1.1 s at P = 3136, 7 s at 4672, 18 s at 6208 (tests/bench/bench_ends.cpp). Beyond the sizes: two Lanczos runs on FastKernel, a
/// product in DoubleBall each, and a Jacobian.
/// Note: proofs-notes/kernel_ends.md.
HessianEnds hessian_ends(const KernelInstance& instance, AttentionKernel kernel,
                         KernelBlocks blocks);

/// What hessian_ends gives beyond the sizes, for any: one_sided.
HessianEnds hessian_bounds(const KernelInstance& instance, AttentionKernel kernel,
                           KernelBlocks blocks);

/// The same ends in balls at the working precision: Rayleigh quotients of the vectors, improved by
/// conjugate gradients in double, and the bound of Kato and Temple where `others` is known. Where it is
/// not, up to max_ball_hessian parameters, from the matrix in balls.
///
/// Guarantee: as above. Not guaranteed: the width; nothing is gained on the side of the norms if
/// one_sided, or if an end is a multiple eigenvalue and P is larger.
/// Cost: one product in balls and some hundred in double for each 16 bits or so.
Extremes<Ball> sharpened_ends(const HessianEnds& ends, const KernelInstance& instance,
                              const KernelModel<Ball>& model, KernelBlocks blocks);

/// False if sharpened_ends will not be narrower at a higher precision, for one of the ends.
bool ends_can_sharpen(const HessianEnds& ends, std::size_t parameters);

}  // namespace heed
