// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_blocks.hpp"

namespace heed {

std::string_view block_word(KernelBlock block) {
  switch (block) {
    case KernelBlock::query:
      return "W_Q";
    case KernelBlock::key:
      return "W_K";
    case KernelBlock::value:
      return "W_V";
    case KernelBlock::output:
      break;
  }
  return "W_O";
}

std::optional<KernelBlocks> KernelBlocks::parse(std::string_view text) {
  if (text == "all") return all();
  KernelBlocks result;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    bool known = false;
    for (const KernelBlock block : kernel_blocks) {
      if (word != block_word(block)) continue;
      result = result | block;
      known = true;
    }
    if (!known) return std::nullopt;
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

std::string KernelBlocks::to_string() const {
  if (*this == all()) return "all";
  std::string text;
  for (const KernelBlock block : kernel_blocks) {
    if (!contains(block)) continue;
    if (!text.empty()) text += ',';
    text += block_word(block);
  }
  return text;
}

}  // namespace heed
