// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <rapidcheck.h>
#include <utility>
#include <vector>

namespace heed::checks {

/// Draws from RapidCheck's random engine. RapidCheck's own generators of numbers never give 0,
/// subnormals or ties and tie the magnitude to the size, so every generator here starts from bits.
class Source {
 public:
  explicit Source(const rc::Random& random) : random_(random) {}

  std::uint64_t bits() { return random_.next(); }
  /// Uniform in lo..hi.
  int between(int lo, int hi) {
    return lo + static_cast<int>(bits() % (static_cast<std::uint64_t>(hi - lo) + 1));
  }
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
  /// True with probability percent/100.
  bool chance(int percent) { return between(1, 100) <= percent; }
  int sign() { return (bits() & 1) != 0 ? 1 : -1; }
  /// Uniform in (0, 1), 53 bits.
  double unit() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

  /// One of the values, with the given weights.
  template <class T>
  T weighted(std::initializer_list<std::pair<int, T>> choices) {
    int total = 0;
    for (const auto& c : choices) total += c.first;
    int k = between(1, total);
    for (const auto& c : choices)
      if ((k -= c.first) <= 0) return c.second;
    return choices.begin()->second;
  }

 private:
  rc::Random random_;
};

}  // namespace heed::checks
