// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/theory/claim.hpp"
#include "heed/theory/kernel_analysis.hpp"

namespace heed {

/// Gradient descent on W_V alone, by residuals: r_{t+1} = (I - eta G_V) r_t.
template <class S>
struct ValueDescent {
  S eta;
  std::vector<S> losses;     ///< f_0 .. f_T
  std::vector<S> distances;  ///< |W_t - W_0|, t = 0 .. T
  std::vector<S> steps;      ///< |W_{t+1} - W_t|
};
template <class S>
ValueDescent<S> descend_values(const KernelAnalysis<S>& a, const S& eta, std::size_t steps);

/// kernel.gd_value_only. Note: proofs-notes/kernel_pl.md.
template <class S>
void descent_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all);

/// kernel.pl_value_only, rung general: sigma_+ is the least nonzero singular value of J_V. Speaks where
/// the rank of J_V is known: full row or column rank by an enclosure, or rational attention.
template <class S>
RungValues<S> general_value_rung(const KernelAnalysis<S>& a, const std::string& id,
                                 const std::string& rung);

}  // namespace heed
