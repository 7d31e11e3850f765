// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/causal.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("causal_instance: ") + what);
}

Matrix<Rational> first_rows(const Matrix<Rational>& m, std::size_t rows) {
  Matrix<Rational> head(rows, m.cols());
  for (std::size_t k = 0; k < head.size(); ++k) head.data()[k] = m.data()[k];
  return head;
}

}  // namespace

std::vector<CausalPosition> causal_positions(const std::vector<CausalSequence>& sequences,
                                             std::size_t first_position) {
  std::vector<CausalPosition> all;
  for (std::size_t i = 0; i < sequences.size(); ++i)
    for (std::size_t k = first_position; k < sequences[i].X.rows(); ++k) all.push_back({i, k});
  return all;
}

QueryInstance causal_instance(const std::vector<CausalSequence>& sequences,
                              std::optional<std::vector<Rational>> v, std::size_t first_position) {
  require(!sequences.empty(), "expected at least one sequence");
  const std::size_t d = sequences.front().X.cols();
  for (const CausalSequence& s : sequences) {
    require(s.X.rows() > 0 && d > 0 && s.X.cols() == d, "expected tokens of one dimension d > 0");
    require(s.y.size() == 1 || s.y.size() == s.X.rows(), "expected one label, or one a position");
    for (const int y : s.y) require(y == 1 || y == -1, "expected labels +1 or -1");
  }
  const std::vector<CausalPosition> positions = causal_positions(sequences, first_position);
  require(!positions.empty(), "no position is left");
  QueryInstance instance;
  instance.v = std::move(v);
  instance.Z = Matrix<Rational>(positions.size(), d);
  for (std::size_t j = 0; j < positions.size(); ++j) {
    const auto& [i, k] = positions[j];
    const CausalSequence& s = sequences[i];
    instance.X.push_back(first_rows(s.X, k + 1));
    instance.y.push_back(s.y.size() == 1 ? s.y[0] : s.y[k]);
    for (std::size_t c = 0; c < d; ++c) instance.Z(j, c) = s.X(k, c);
  }
  return instance;
}

}  // namespace heed
