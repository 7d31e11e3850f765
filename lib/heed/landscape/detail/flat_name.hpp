// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/attention/kernel_blocks.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::detail {

/// What determines a flat direction at every point, as certificates name it
/// (proofs-notes/certificates.md, section 7.4).
struct FlatName {
  enum class Kind { shift, turn, mix, unseen };
  Kind kind = Kind::shift;
  std::vector<Rational> numbers;  ///< shift: the direction; turn, mix: B; unseen: u
  std::size_t head = 0;           ///< not of a shift
  std::vector<Rational> E = {};   ///< of a turn; empty: the identity
  /// unseen: the block that moves, and c by its pivots and the column where it is 1
  KernelBlock block = KernelBlock::query;
  std::vector<std::size_t> pivots = {};
  std::size_t free = 0;
};

/// A family with the names of its directions.
struct NamedFamily {
  std::string name;
  std::vector<std::vector<Ball>> directions = {};
  std::vector<FlatName> names = {};

  void add(std::vector<Ball> direction, FlatName direction_name) {
    directions.push_back(std::move(direction));
    names.push_back(std::move(direction_name));
  }
};

}  // namespace heed::detail
