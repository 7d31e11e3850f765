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
  const heed::KernelInstance& in = problem.instance;
  std::vector<heed::PositiveCertificate> all;
  if (problem.trained == heed::KernelBlocks(heed::KernelBlock::query)) {
    all.push_back(heed::certify_lojasiewicz(in, problem.kernel));
    all.push_back(heed::certify_overshoot(in, problem.kernel));
  } else {
    all.push_back(heed::certify_pl(in, problem.kernel, problem.trained));
  }
  all.push_back(heed::certify_init(in, problem.kernel, problem.trained));
  return all;
}

}  // namespace heedcert
