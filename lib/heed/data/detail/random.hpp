// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/generate.hpp"

namespace heed::detail {

/// Independent streams for one seed.
enum class Stream : std::uint64_t { tokens = 1, labels = 2, weights = 3, rotation = 4 };

/// Draws whose sequence is the same on every machine.
class Random {
 public:
  Random(std::uint64_t seed, Stream stream);
  ~Random();

  double normal(double sd);
  /// Uniform in 0..count-1. Precondition: count > 0.
  std::size_t below(std::size_t count);
  int sign();

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

std::vector<int> random_labels(std::size_t samples, Labels labels, std::uint64_t seed);

/// Throws InputError "PARAMETER: expected ..., found ..." unless the condition holds.
void require_parameter(bool holds, const std::string& parameter, const std::string& expected,
                       const std::string& found);
/// The most numbers that one tensor is generated with.
inline constexpr std::size_t max_generated_numbers = 20'000'000;
/// Throws InputError if a size is zero or the product exceeds max_generated_numbers.
void require_sizes(std::size_t samples, std::size_t tokens, std::size_t dim);

/// The shortest decimal that reads as this double.
std::string double_text(double value);

}  // namespace heed::detail
