// SPDX-License-Identifier: Apache-2.0
#include "checks/support/certified.hpp"

#include "heed/certificate/landscape.hpp"
#include "words.hpp"

namespace heed::checks {

std::string Checked::after(const std::string& words) const {
  for (const std::string& s : statements)
    if (s.rfind(words, 0) == 0) return s.substr(words.size());
  return "";
}

Checked heedcheck(const LandscapeProblem& problem, const std::string& certificate) {
  std::string word(kernel_word(problem.kernel));
  for (const KernelBlock block : kernel_blocks)
    if (problem.trained.contains(block))
      word += (word.find(':') == std::string::npos ? ":" : ",") + std::string(block_word(block));
  const heedcheck::Answer answer = heedcheck::answer_to(
      "certificate", certificate, {certificate_sha256(problem.instance), word});
  return {answer.exit == heedcheck::valid, answer.reason, answer.verdict.statements};
}

std::vector<LandscapeProblem> landscape_problems(const KernelInstance& layer, std::size_t most) {
  std::vector<LandscapeProblem> list;
  for (const char* trained :
       {"W_Q", "W_K", "W_Q,W_K", "W_V", "W_O", "W_V,W_O", "W_Q,W_V", "W_K,W_V,W_O", "all"}) {
    LandscapeProblem p{layer, *layer.kernel, *KernelBlocks::parse(trained)};
    if (p.parameters() <= most) list.push_back(std::move(p));
  }
  return list;
}

}  // namespace heed::checks
