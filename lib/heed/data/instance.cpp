// SPDX-License-Identifier: Apache-2.0
#include "heed/data/instance.hpp"

#include <algorithm>

namespace heed {

std::string_view loss_word(Loss loss) {
  return loss == Loss::exponential ? "exponential" : "logistic";
}

std::optional<Loss> parse_loss(std::string_view word) {
  for (Loss loss : {Loss::logistic, Loss::exponential}) {
    if (word == loss_word(loss)) return loss;
  }
  return std::nullopt;
}

std::size_t MhaInstance::max_tokens() const {
  std::size_t tokens = 0;
  for (const auto& sample : X) tokens = std::max(tokens, sample.rows());
  return tokens;
}

std::size_t MhaInstance::parameters() const {
  return heads() * (max_tokens() * dim() + dim() * dim());
}

bool same_numbers(const MhaInstance& a, const MhaInstance& b) {
  return a.loss == b.loss && a.X == b.X && a.y == b.y && a.weights == b.weights;
}

}  // namespace heed
