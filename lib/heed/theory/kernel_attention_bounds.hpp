// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// kernel.lip_attention and kernel.smoothness_gap: derivatives of one row of S, and of one output by its
/// query. Note: proofs-notes/kernel_smooth.md.
template <class S>
void attention_bound_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                            std::vector<RungValues<S>>& all);

/// s'[z] and s''[z, z] of softmax at s, in differences: s_b (z_b - m), s_b ((z_b - m)^2 - v).
template <class S>
struct SoftmaxJet {
  std::vector<S> first, second;
};
template <class S>
SoftmaxJet<S> softmax_jet(const std::vector<S>& s, const std::vector<S>& z);

/// First and second derivative of exp(-beta/2 |u|^2) = s along w: -beta s u.w,
/// s (beta^2 (u.w)^2 - beta |w|^2).
template <class S>
struct GaussianJet {
  S first, second;
};
template <class S>
GaussianJet<S> gaussian_jet(const S& s, const S& beta, const std::vector<S>& u,
                            const std::vector<S>& w);

/// Constants of a row of outputs: sum_b |P_b|, max_b |P_b|, and diameters of values and keys.
template <class S>
struct RowSizes {
  S sum_P, max_P, dP, dK;
};
template <class S>
RowSizes<S> row_sizes(const KernelAnalysis<S>& a, std::size_t i, std::size_t h);

}  // namespace heed
