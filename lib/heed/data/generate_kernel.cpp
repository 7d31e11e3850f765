// SPDX-License-Identifier: Apache-2.0
#include "heed/data/generate_kernel.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "heed/data/detail/random.hpp"

namespace heed {
namespace {

constexpr std::size_t grid = 6, curve_cells = 5, places = (grid / 2) * (grid / 2);

Matrix<double> one_label(bool positive) {
  Matrix<double> y(1, 1);
  y(0, 0) = positive ? 1 : -1;
  return y;
}

struct Cell {
  int row, col;
  friend bool operator==(const Cell&, const Cell&) = default;
};
using Curve = std::vector<Cell>;

// Right, down, left, up: the order in which the reference looks around.
std::array<Cell, 4> neighbours(const Cell& c) {
  return {{{c.row, c.col + 1}, {c.row + 1, c.col}, {c.row, c.col - 1}, {c.row - 1, c.col}}};
}

bool holds(const Curve& curve, const Cell& c) {
  for (const Cell& other : curve)
    if (other == c) return true;
  return false;
}

int neighbours_in(const Curve& curve, const Cell& c) {
  int count = 0;
  for (const Cell& next : neighbours(c)) count += holds(curve, next) ? 1 : 0;
  return count;
}

bool touches(const Curve& curve, const Cell& c) {
  return holds(curve, c) || neighbours_in(curve, c) > 0;
}

bool in_grid(const Cell& c) {
  const int size = static_cast<int>(grid);
  return 0 <= c.row && c.row < size && 0 <= c.col && c.col < size;
}

// A curve away from `other`; nothing if it gets stuck. A further cell touches only the last one.
std::optional<Curve> draw_curve(SplitMix64& stream, const Curve& other) {
  const int row = static_cast<int>(stream.below(grid)), col = static_cast<int>(stream.below(grid));
  Curve curve = {{row, col}};
  if (touches(other, curve.front())) return std::nullopt;
  while (curve.size() < curve_cells) {
    Curve admissible;
    for (const Cell& next : neighbours(curve.back()))
      if (in_grid(next) && !holds(curve, next) && !touches(other, next) &&
          neighbours_in(curve, next) == 1)
        admissible.push_back(next);
    if (admissible.empty()) return std::nullopt;
    curve.push_back(admissible[stream.below(admissible.size())]);
  }
  return curve;
}

Cell an_end(SplitMix64& stream, const Curve& curve) {
  return stream.below(2) != 0 ? curve.back() : curve.front();
}

Matrix<double> patches(const Matrix<double>& image) {
  Matrix<double> x(places, 4 + places);
  for (std::size_t token = 0; token < places; ++token) {
    const std::size_t row = 2 * (token / (grid / 2)), col = 2 * (token % (grid / 2));
    for (std::size_t cell = 0; cell < 4; ++cell)
      x(token, cell) = image(row + cell / 2, col + cell % 2);
    x(token, 4 + token) = 1;
  }
  return x;
}

std::vector<Matrix<Rational>> exact(const std::vector<Matrix<double>>& matrices) {
  std::vector<Matrix<Rational>> result;
  for (const Matrix<double>& m : matrices)
    result.push_back(map(m, [](double x) { return Rational(x); }));
  return result;
}

}  // namespace

KernelData token_task(std::uint64_t seed, std::size_t samples, std::size_t tokens,
                      std::size_t dim) {
  detail::require_sizes(samples, tokens, dim);
  detail::require_parameter(tokens >= 4, "tokens", "at least 4 tokens for the token task",
                            std::to_string(tokens));
  SplitMix64 stream(seed);
  Matrix<double> embedding(20, dim);
  for (double& x : embedding.entries())
    x = (stream.below(2) != 0 ? 1.0 : -1.0) / std::sqrt(static_cast<double>(dim)) * 2;
  KernelData data;
  for (std::size_t i = 0; i < samples; ++i) {
    std::vector<std::size_t> words;
    int sentiment = 0;
    for (int k = 0; k < 3; ++k) {
      const bool positive = stream.below(2) != 0;
      sentiment += positive ? 1 : -1;
      words.push_back(stream.below(4) + (positive ? 0 : 4));
    }
    const bool negated = stream.below(2) != 0;
    if (negated) words.push_back(8);
    while (words.size() < tokens) words.push_back(9 + stream.below(11));
    for (std::size_t k = tokens - 1; k > 0; --k) std::swap(words[k], words[stream.below(k + 1)]);
    Matrix<double> x(tokens, dim);
    for (std::size_t a = 0; a < tokens; ++a)
      for (std::size_t c = 0; c < dim; ++c) x(a, c) = embedding(words[a], c);
    data.X.push_back(std::move(x));
    data.Y.push_back(one_label((sentiment > 0) != negated));
  }
  return data;
}

KernelData pathfinder(std::uint64_t seed, std::size_t samples) {
  detail::require_sizes(samples, places, 4 + places);
  SplitMix64 stream(seed);
  KernelData data;
  while (data.X.size() < samples) {
    const std::optional<Curve> a = draw_curve(stream, {});
    if (!a) continue;
    const std::optional<Curve> b = draw_curve(stream, *a);
    if (!b) continue;
    const bool same = stream.below(2) != 0;
    std::array<Cell, 2> ends{a->front(), a->back()};
    if (same && stream.below(2) != 0) {
      ends = {b->front(), b->back()};
    } else if (!same) {
      ends[0] = an_end(stream, *a);
      ends[1] = an_end(stream, *b);
    }
    Matrix<double> image(grid, grid);
    const auto paint = [&](const Cell& c, double value) {
      image(static_cast<std::size_t>(c.row), static_cast<std::size_t>(c.col)) = value;
    };
    for (const Curve* curve : {&*a, &*b})
      for (const Cell& c : *curve) paint(c, 1);
    for (const Cell& c : ends) paint(c, 2);
    data.X.push_back(patches(image));
    data.Y.push_back(one_label(same));
  }
  return data;
}

KernelData normal_data(SplitMix64& stream, std::size_t samples, std::size_t tokens, std::size_t dim,
                       std::size_t rows, std::size_t outputs) {
  KernelData data;
  for (std::size_t i = 0; i < samples; ++i) data.X.push_back(stream.normal_matrix(tokens, dim));
  for (std::size_t i = 0; i < samples; ++i) data.Y.push_back(stream.normal_matrix(rows, outputs));
  return data;
}

KernelWeights<double> normal_weights(SplitMix64& stream, const KernelShape& shape) {
  const double by_dim = 1 / std::sqrt(static_cast<double>(shape.dim)),
               by_value = 1 / std::sqrt(static_cast<double>(shape.value_dim));
  KernelWeights<double> w;
  const auto draw = [&](std::vector<Matrix<double>>& block, std::size_t rows, std::size_t cols,
                        double scale) {
    for (std::size_t h = 0; h < shape.heads; ++h)
      block.push_back(stream.normal_matrix(rows, cols, scale));
  };
  draw(w.W_Q, shape.dim, shape.key_dim, by_dim);
  draw(w.W_K, shape.dim, shape.key_dim, by_dim);
  draw(w.W_V, shape.dim, shape.value_dim, by_dim);
  draw(w.W_O, shape.value_dim, shape.outputs, by_value);
  return w;
}

KernelInstance kernel_instance(const KernelData& data, const KernelWeights<double>& weights,
                               Matrix<Rational> readout, const KernelBeta& beta) {
  KernelInstance m;
  m.X = exact(data.X);
  m.Y = exact(data.Y);
  m.readout = std::move(readout);
  m.beta = beta;
  m.weights = {exact(weights.W_Q), exact(weights.W_K), exact(weights.W_V), exact(weights.W_O)};
  return m;
}

KernelInstance generate_kernel(const KernelSpec& spec) {
  using Data = KernelSpec::Data;
  const KernelShape& s = spec.shape;
  detail::require_sizes(spec.samples, spec.tokens, s.dim);
  detail::require_sizes(s.heads, s.dim, s.key_dim);
  detail::require_sizes(s.heads, s.dim, s.value_dim);
  detail::require_sizes(s.heads, s.value_dim, s.outputs);
  detail::require_sizes(spec.samples, spec.tokens, s.outputs);
  const bool task = spec.data != Data::normal;
  detail::require_parameter(!task || s.outputs == 1, "outputs", "1 for this task",
                            std::to_string(s.outputs));
  detail::require_parameter(
      spec.data != Data::pathfinder || (spec.tokens == places && s.dim == 4 + places),
      "tokens, dim", "9 tokens of dimension 13 for pathfinder",
      std::to_string(spec.tokens) + " of dimension " + std::to_string(s.dim));
  SplitMix64 stream(spec.seed);
  const KernelData data =
      spec.data == Data::token_task ? token_task(spec.seed, spec.samples, spec.tokens, s.dim)
      : spec.data == Data::pathfinder
          ? pathfinder(spec.seed, spec.samples)
          : normal_data(stream, spec.samples, spec.tokens, s.dim, spec.tokens, s.outputs);
  const std::uint64_t weight_seed = spec.weight_seed.value_or(spec.seed + (std::uint64_t{1} << 32));
  SplitMix64 weight_stream(weight_seed);
  KernelInstance m =
      kernel_instance(data, normal_weights(weight_stream, s),
                      task ? pooled_readout(spec.tokens) : token_readout(spec.tokens),
                      inverse_root_beta(s.key_dim));
  m.origin = std::string(spec.data == Data::token_task   ? "token task"
                         : spec.data == Data::pathfinder ? "pathfinder"
                                                         : "normal data") +
             ", seed " + std::to_string(spec.seed) + ", weights of seed " +
             std::to_string(weight_seed);
  return m;
}

}  // namespace heed
