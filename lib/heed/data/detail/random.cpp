// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/random.hpp"

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <charconv>

#include "heed/data/input_error.hpp"

namespace heed::detail {
namespace {

/// Mixes seed and stream number so that neighbouring seeds do not share streams.
std::uint64_t mixed(std::uint64_t seed, Stream stream) {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15u * static_cast<std::uint64_t>(stream);
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

struct Random::Engine {
  explicit Engine(std::uint64_t seed) : bits(seed) {}
  boost::random::mt19937_64 bits;
  boost::random::normal_distribution<double> normal;
};

Random::Random(std::uint64_t seed, Stream stream)
    : engine_(std::make_unique<Engine>(mixed(seed, stream))) {}

Random::~Random() = default;

double Random::normal(double sd) { return sd * engine_->normal(engine_->bits); }

std::size_t Random::below(std::size_t count) {
  return boost::random::uniform_int_distribution<std::size_t>(0, count - 1)(engine_->bits);
}

int Random::sign() { return below(2) == 0 ? 1 : -1; }

std::vector<int> random_labels(std::size_t samples, Labels labels, std::uint64_t seed) {
  Random random(seed, Stream::labels);
  std::vector<int> y(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    y[i] = labels == Labels::coin ? random.sign() : i % 2 == 0 ? 1 : -1;
  }
  return y;
}

void require_parameter(bool holds, const std::string& parameter, const std::string& expected,
                       const std::string& found) {
  if (!holds) throw InputError(parameter + ": expected " + expected + ", found " + found);
}

void require_sizes(std::size_t samples, std::size_t tokens, std::size_t dim) {
  require_parameter(samples > 0, "n", "at least one sample", "0");
  require_parameter(tokens > 0, "tokens", "at least one token", "0");
  require_parameter(dim > 0, "dim", "at least dimension 1", "0");
  const bool fits = samples <= max_generated_numbers && tokens <= max_generated_numbers / samples &&
                    dim <= max_generated_numbers / (samples * tokens);
  require_parameter(
      fits, "n, tokens, dim",
      "at most " + std::to_string(max_generated_numbers) + " numbers in all",
      std::to_string(samples) + " x " + std::to_string(tokens) + " x " + std::to_string(dim));
}

std::string double_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace heed::detail
