// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/attention/query_attention.hpp"
#include "heed/data/query_instance.hpp"

namespace heed::test {

/// One entry of `loss_evals`: where, and the values to 50 digits.
struct QueryEvaluation {
  QueryPoint point;
  Rational loss, quadratic;
  Matrix<Rational> gradient, product;
};

/// Values after a number of steps of gradient descent, to 30 digits; not all are given.
struct QueryCheckpoint {
  long steps;
  std::vector<Rational> gaps;  ///< to the selected tokens
  std::optional<Rational> loss_before_step, loss, gradient_norm, norm;
};

/// A run of gradient descent, W_k+1 = W_k - eta G with G the gradient, or divided by its norm.
struct QueryRun {
  QueryLoss loss = QueryLoss::logistic;
  bool normalised = true;
  Rational step;
  Matrix<Rational> start;
  std::vector<QueryCheckpoint> checkpoints;
};

struct QueryFixture {
  std::string file;
  QueryInstance instance;
  std::vector<QueryEvaluation> evaluations;
  std::vector<QueryRun> runs;
};

/// The reference files of query attention, by name.
std::vector<QueryFixture> query_fixtures();
/// One of them: "attsvm_14_causal_ragged.json".
QueryFixture query_fixture(const std::string& name);

/// Entries row by row.
inline Matrix<Rational> matrix(std::size_t rows, std::size_t cols,
                               const std::vector<Rational>& entries) {
  Matrix<Rational> m(rows, cols);
  m.entries() = entries;
  return m;
}

/// The model of a scalar at a point of a file.
template <class S>
QueryModel<S> query_model(const QueryInstance& instance, const QueryPoint& point) {
  return QueryModel<S>(std::make_shared<QueryInputs<S>>(instance, point.head), point.loss,
                       map(point.weights.W, [](const Rational& q) { return Scalar<S>::from(q); }));
}

}  // namespace heed::test
