// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/margin/kernel_margin.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed {

/// A step from the weights along the NTK direction, and what the margin promises there.
///
/// v = sum_i alpha_i y_i psi_i / N with N >= ||sum_i alpha_i y_i psi_i||, so ||v|| <= 1 and
/// y_i <psi_i, v> >= gamma for the lower end gamma of the margin. Then
///
///     y_i Phi(X_i; theta + t v) >= promised = t gamma - B - t^2 b2(M) / (2 sqrt H),
///
/// B = max_i |Phi(X_i)|, M = max_h (||U_h|| + t ||v_{U,h}||).
template <class S>
struct NtkStep {
  double t = 0;
  S promised;
  std::vector<S> margins;  ///< y_i Phi(X_i; theta + t v)
  S loss;                  ///< L(theta + t v)
};

/// Takes the least t found in double with promised >= target, a little enlarged; where there is none,
/// the one with the largest promise. Nothing if gamma > 0 is not proved or t is not a finite positive double.
/// Cost: one evaluation of the model. Note: proofs-notes/ntk.md.
template <class S>
std::optional<NtkStep<S>> ntk_step(const MhaAnalysis<S>& a, const KernelMargin& margin,
                                   const S& target);

extern template std::optional<NtkStep<DoubleBall>> ntk_step(const MhaAnalysis<DoubleBall>&,
                                                            const KernelMargin&, const DoubleBall&);
extern template std::optional<NtkStep<Ball>> ntk_step(const MhaAnalysis<Ball>&, const KernelMargin&,
                                                      const Ball&);

}  // namespace heed
