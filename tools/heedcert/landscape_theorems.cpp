// SPDX-License-Identifier: Apache-2.0
#include "landscape_theorems.hpp"

#include "heed/landscape/descent_pl.hpp"
#include "heed/landscape/token_pl.hpp"

namespace heedcert {

SeparateTokens separate_tokens(const heed::LandscapeProblem& problem) {
  SeparateTokens s{heed::decouple(problem.instance, problem.kernel), {}, {}};
  if (!s.decoupling.applies) return s;
  for (const heed::TokenProblem& token : s.decoupling.tokens)
    s.tokens.push_back(heed::complete_1d(token));
  s.sum = heed::combine(s.decoupling, s.tokens);
  return s;
}

std::vector<heed::PositiveCertificate> positive_certificates(
    const heed::LandscapeProblem& problem) {
  if (problem.trained == heed::KernelBlocks(heed::KernelBlock::query))
    return {heed::certify_lojasiewicz(problem.instance, problem.kernel),
            heed::certify_overshoot(problem.instance, problem.kernel)};
  return {heed::certify_pl(problem.instance, problem.kernel, problem.trained)};
}

}  // namespace heedcert
