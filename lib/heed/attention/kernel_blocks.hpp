// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/kernel_instance.hpp"

namespace heed {

/// The four blocks of parameters, in the order of the flat vector.
enum class KernelBlock { query, key, value, output };
inline constexpr KernelBlock kernel_blocks[] = {KernelBlock::query, KernelBlock::key,
                                                KernelBlock::value, KernelBlock::output};

/// `W_Q`, `W_K`, `W_V` or `W_O`.
std::string_view block_word(KernelBlock block);

/// A set of blocks: the parameters that are trained, or differentiated by.
class KernelBlocks {
 public:
  constexpr KernelBlocks() = default;
  constexpr KernelBlocks(KernelBlock block) : bits_(bit(block)) {}
  static constexpr KernelBlocks all() {
    return KernelBlocks(KernelBlock::query) | KernelBlock::key | KernelBlock::value |
           KernelBlock::output;
  }
  /// Reads `all`, or block words with commas between them; nothing for anything else.
  static std::optional<KernelBlocks> parse(std::string_view text);

  constexpr bool contains(KernelBlock block) const { return (bits_ & bit(block)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  /// `W_Q,W_K`, or `all`.
  std::string to_string() const;

  friend constexpr KernelBlocks operator|(KernelBlocks a, KernelBlocks b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(KernelBlocks, KernelBlocks) = default;

 private:
  static constexpr unsigned bit(KernelBlock block) { return 1u << static_cast<unsigned>(block); }
  unsigned bits_ = 0;
};

/// The matrices of one block, one a head.
template <class S>
std::vector<Matrix<S>>& block_of(KernelWeights<S>& weights, KernelBlock block) {
  switch (block) {
    case KernelBlock::query:
      return weights.W_Q;
    case KernelBlock::key:
      return weights.W_K;
    case KernelBlock::value:
      return weights.W_V;
    case KernelBlock::output:
      break;
  }
  return weights.W_O;
}
template <class S>
const std::vector<Matrix<S>>& block_of(const KernelWeights<S>& weights, KernelBlock block) {
  return block_of(const_cast<KernelWeights<S>&>(weights), block);
}

/// Calls visit(block, head, matrix) for every matrix of the blocks, in the order of the flat vector:
/// block by block, in a block head by head.
template <class Weights, class F>
void for_each_matrix(Weights& weights, KernelBlocks blocks, F&& visit) {
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    auto& heads = block_of(weights, block);
    for (std::size_t h = 0; h < heads.size(); ++h) visit(block, h, heads[h]);
  }
}

/// Entry by entry f(w), in the scalar that f returns.
template <class F, class S>
auto map(const KernelWeights<S>& weights, F&& f) {
  KernelWeights<std::decay_t<decltype(f(std::declval<const S&>()))>> result;
  for (const KernelBlock block : kernel_blocks)
    for (const Matrix<S>& w : block_of(weights, block))
      block_of(result, block).push_back(map(w, f));
  return result;
}

/// Number of parameters in the blocks.
template <class S>
std::size_t parameter_count(const KernelWeights<S>& weights, KernelBlocks blocks) {
  std::size_t count = 0;
  for_each_matrix(weights, blocks,
                  [&](KernelBlock, std::size_t, const Matrix<S>& w) { count += w.size(); });
  return count;
}

/// The parameters of the blocks as one vector: block, head, row, column.
template <class S>
std::vector<S> flatten(const KernelWeights<S>& weights, KernelBlocks blocks) {
  std::vector<S> flat;
  for_each_matrix(weights, blocks, [&](KernelBlock, std::size_t, const Matrix<S>& w) {
    flat.insert(flat.end(), w.entries().begin(), w.entries().end());
  });
  return flat;
}

/// `weights` with the parameters of the blocks taken from a flat vector.
/// Precondition: flat.size() == parameter_count(weights, blocks).
template <class S>
KernelWeights<S> with_flat(KernelWeights<S> weights, KernelBlocks blocks,
                           const std::vector<S>& flat) {
  auto next = flat.begin();
  for_each_matrix(weights, blocks, [&](KernelBlock, std::size_t, Matrix<S>& w) {
    for (S& entry : w.entries()) entry = *next++;
  });
  return weights;
}

}  // namespace heed
