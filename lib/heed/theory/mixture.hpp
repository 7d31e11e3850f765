// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/instance.hpp"

namespace heed {

/// The tokenized mixture seen in the tokens of an instance, exactly: every sample of label y has the
/// token mu_y at the same number zeta T of positions, and mu_+ . mu_- = 0, |mu_+| = |mu_-| = S > 0.
struct MixtureStructure {
  std::size_t T = 0;
  Rational zeta;
  std::vector<Rational> mu_plus, mu_minus;
  Rational S2;  ///< S^2

  const std::vector<Rational>& mu(int y) const { return y > 0 ? mu_plus : mu_minus; }
};

/// The nuisances of a noise-free mixture: all tokens but mu_y are among nu_1, ..., nu_M, which are
/// orthogonal to each other and to mu_+ and mu_-, and of norm S.
struct Nuisances {
  std::size_t M = 0;
  bool balanced = false;  ///< each label has a sample in which every nu_j occurs equally often
};

/// Weights U_h = s_h 1 ubar^T, W_h = 0.
struct OneStepWeights {
  std::vector<Rational> ubar, s;
  Rational c2;  ///< mean_h s_h^2
};

/// Where several tokens could be mu_+ and mu_-, the pair with mu_+ - mu_- parallel to the rows of U is
/// preferred. Nothing without such a pair, with a single label or with samples of different T.
std::optional<MixtureStructure> mixture_structure(const MhaInstance& instance);

std::optional<Nuisances> nuisances(const MhaInstance& instance, const MixtureStructure& mixture);

/// The weights as s_h times `ubar`, or nothing.
std::optional<OneStepWeights> one_step_weights(const MhaInstance& instance,
                                               const std::vector<Rational>& ubar);
/// The same with the first row of U that is not 0 in the place of ubar; of U = 0 with ubar = 0.
std::optional<OneStepWeights> one_step_weights(const MhaInstance& instance);

/// W_h = 0 for every head.
bool zero_attention_weights(const MhaInstance& instance);

/// The instance without noise, if mu_+ and mu_- are multiples S of coordinate vectors: every token but
/// mu_y is replaced by S e_k, k its largest coordinate among the others. Any choice of clean tokens
/// serves mha.dm1.margin_noise; this one is the nearest.
std::optional<MhaInstance> without_noise(const MhaInstance& instance,
                                         const MixtureStructure& mixture);

}  // namespace heed
