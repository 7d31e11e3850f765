// SPDX-License-Identifier: Apache-2.0
#include "heed/data/splitmix.hpp"

#include <cmath>
#include <numbers>

namespace heed {

std::uint64_t SplitMix64::word() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

std::uint64_t SplitMix64::below(std::uint64_t count) {
  const std::uint64_t excess = (0 - count) % count;  // 2^64 mod count
  for (;;) {
    const std::uint64_t w = word();
    if (w <= ~excess) return w % count;
  }
}

double SplitMix64::unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }

double SplitMix64::normal() {
  const double a = unit(), b = unit();
  return std::sqrt(-2 * std::log(1 - a)) * std::cos(2 * std::numbers::pi * b);
}

Matrix<double> SplitMix64::normal_matrix(std::size_t rows, std::size_t cols, double scale) {
  Matrix<double> m(rows, cols);
  for (double& x : m.entries()) x = scale * normal();
  return m;
}

}  // namespace heed
