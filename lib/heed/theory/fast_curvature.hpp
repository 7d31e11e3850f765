// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/instance.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/double_ball.hpp"
#include "heed/theory/mha_hessian.hpp"

namespace heed {

/// What `heedcert curvature` prints, without arrays.
struct FastCurvature {
  DoubleBall loss, mean_slope, gradient_norm;
  Extremes<DoubleBall> hessian;  ///< of hess L
  CurvatureRatios<DoubleBall> ratios;
  std::vector<DoubleBall> block_minima;  ///< per head
  std::string reduction;                 ///< as MhaAnalysis::reduction_note
};

/// The curvature of an instance by the kernels of EnclosedMha and fast_lambda_min: seconds at P = 32768,
/// where MhaAnalysis<DoubleBall> takes minutes.
///
/// Guarantee: every value contains the exact one. Not guaranteed: widths; parts may be unknown. Nothing
/// if the numbers of the (reduced) instance are not known as EnclosedMha asks.
/// Precondition: require_weights. Errors: std::runtime_error outside of the standard float environment.
/// Cost: see EnclosedMha::hessian and fast_lambda_min. Notes: proofs-notes/gradient_enclosure.md,
/// hessian_enclosure.md, fast_eigenvalue.md, token_rank.md.
std::optional<FastCurvature> fast_curvature(const MhaInstance& instance);

}  // namespace heed
