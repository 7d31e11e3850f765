// SPDX-License-Identifier: Apache-2.0
#include "heed/data/query_instance.hpp"

#include <algorithm>

namespace heed {

std::string_view loss_word(QueryLoss loss) {
  switch (loss) {
    case QueryLoss::exponential:
      return "exponential";
    case QueryLoss::correlation:
      return "correlation";
    case QueryLoss::logistic:
      break;
  }
  return "logistic";
}

std::optional<QueryLoss> parse_query_loss(std::string_view word) {
  if (word == "logistic") return QueryLoss::logistic;
  if (word == "exponential" || word == "exp") return QueryLoss::exponential;
  if (word == "correlation" || word == "corr") return QueryLoss::correlation;
  return std::nullopt;
}

std::size_t QueryInstance::max_tokens() const {
  std::size_t tokens = 0;
  for (const auto& x : X) tokens = std::max(tokens, x.rows());
  return tokens;
}

std::vector<std::vector<Rational>> scores(const QueryInstance& instance) {
  std::vector<std::vector<Rational>> gamma;
  for (std::size_t i = 0; i < instance.inputs(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    std::vector<Rational> of_input(x.rows());
    for (std::size_t t = 0; t < x.rows(); ++t) {
      for (std::size_t c = 0; c < x.cols(); ++c) of_input[t] += x(t, c) * (*instance.v)[c];
      if (instance.y[i] < 0) of_input[t] = -of_input[t];
    }
    gamma.push_back(std::move(of_input));
  }
  return gamma;
}

bool same_numbers(const QueryInstance& a, const QueryInstance& b) {
  return a.X == b.X && a.Z == b.Z && a.self == b.self && a.y == b.y && a.v == b.v &&
         a.selected == b.selected && a.points == b.points;
}

bool same_numbers(const RowsInstance& a, const RowsInstance& b) { return a.F == b.F; }

}  // namespace heed
