// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/linalg/matrix.hpp"

namespace heed {

/// The stream SplitMix64, from which the reference experiments on kernel attention draw everything.
/// The same seed gives the same words on every machine; normals agree up to the accuracy of the
/// machine's logarithm and cosine.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t word();
  /// Uniform in 0..count-1, words above the last multiple of count rejected.
  /// Precondition: count > 0.
  std::uint64_t below(std::uint64_t count);
  /// Uniform in [0, 1): the upper 53 bits.
  double unit();
  /// sqrt(-2 log(1 - a)) cos(2 pi b), with a = unit(), then b = unit().
  double normal();
  /// Entries scale * normal(), row by row.
  Matrix<double> normal_matrix(std::size_t rows, std::size_t cols, double scale = 1);

 private:
  std::uint64_t state_;
};

}  // namespace heed
