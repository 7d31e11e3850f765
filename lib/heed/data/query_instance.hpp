// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// log(1 + e^-u), e^-u and -u.
enum class QueryLoss { logistic, exponential, correlation };

/// The word of an instance file: `logistic`, `exponential` or `correlation`.
std::string_view loss_word(QueryLoss loss);
/// The loss named by a word (`corr` and `exp` are known too), or nothing.
std::optional<QueryLoss> parse_query_loss(std::string_view word);

/// h(o) = v^T o, with the instance's v.
struct LinearHead {
  friend bool operator==(const LinearHead&, const LinearHead&) = default;
};
/// h(o) = w^T relu(V o), V: m x d, w: m.
struct ReluHead {
  Matrix<Rational> V;
  std::vector<Rational> w;
  friend bool operator==(const ReluHead&, const ReluHead&) = default;
};
/// h(o) = v^T o - lambda |o|^2, with the instance's v.
struct QuadraticHead {
  Rational lambda;
  friend bool operator==(const QuadraticHead&, const QuadraticHead&) = default;
};
using QueryHead = std::variant<LinearHead, ReluHead, QuadraticHead>;

/// Parameters at which a loss is evaluated: W, or K and Q with W = K Q^T (K, Q: d x m).
struct QueryWeights {
  Matrix<Rational> W;  ///< d x d; K Q^T if the file gives the factors
  std::optional<Matrix<Rational>> K, Q;

  friend bool operator==(const QueryWeights&, const QueryWeights&) = default;
};

/// One point of a file at which the loss is to be evaluated (`loss_evals` of the reference files, or
/// the instance's own W, loss and head).
struct QueryPoint {
  QueryLoss loss = QueryLoss::logistic;
  QueryHead head = LinearHead{};
  QueryWeights weights;
  std::optional<Matrix<Rational>> direction;  ///< D: d x d

  friend bool operator==(const QueryPoint&, const QueryPoint&) = default;
};

/// Exact instance of attention with one query an input (instance file model `attsvm`).
///
/// X[i]: T_i x d, Z: n x d; logits a_it = x_it^T W z_i, output h(X_i^T softmax(a_i)).
/// Every number is the exact value that the file states.
struct QueryInstance {
  std::string name, origin;
  std::vector<Matrix<Rational>> X;
  Matrix<Rational> Z;
  bool self = false;  ///< Z was absent: z_i = x_i0
  std::vector<int> y;
  std::optional<std::vector<Rational>> v;
  /// Per input the selected tokens, the reference first; the others are tied with it by equalities.
  std::vector<std::vector<std::size_t>> selected;
  bool selected_given = false;  ///< by the file; otherwise the unique argmax of y_i v^T x_it
  std::vector<QueryPoint> points;
  /// What the reader or the generator wants to say, such as ignored keys. Never written to a file.
  std::vector<std::string> notes;

  std::size_t inputs() const { return X.size(); }
  std::size_t dim() const { return Z.cols(); }
  std::size_t max_tokens() const;
};

/// gamma_it = y_i v^T x_it. Precondition: v.
std::vector<std::vector<Rational>> scores(const QueryInstance& instance);

/// Exact instance of a max-margin problem over plain rows (instance file model `rows`): find w with
/// <f_k, w> >= 1 for every row f_k of F: m x P.
struct RowsInstance {
  std::string name, origin;
  Matrix<Rational> F;  ///< already multiplied by y where the file has labels
  std::vector<std::string> notes;
};

/// True if all numbers agree exactly; name, origin and notes are not compared.
bool same_numbers(const QueryInstance& a, const QueryInstance& b);
bool same_numbers(const RowsInstance& a, const RowsInstance& b);

}  // namespace heed
