// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

enum class Loss { logistic, exponential };

/// The word of an instance file: `logistic` or `exponential`.
std::string_view loss_word(Loss loss);
/// The loss named by a word, or nothing.
std::optional<Loss> parse_loss(std::string_view word);

/// Parameters of all heads: U[h]: T x d, W[h]: d x d.
struct MhaWeights {
  std::vector<Matrix<Rational>> U;
  std::vector<Matrix<Rational>> W;

  friend bool operator==(const MhaWeights&, const MhaWeights&) = default;
};

/// Exact instance of the multi-head attention model (instance file model `mha`).
///
/// X[i]: T_i x d, y[i] in {-1, +1}; ragged inputs share d, and T = max T_i.
/// Every number is the exact value that the file states.
struct MhaInstance {
  std::string name;
  /// Free text of the file's key `note`: where the numbers come from.
  std::string origin;
  Loss loss = Loss::logistic;
  std::vector<Matrix<Rational>> X;
  std::vector<int> y;
  std::optional<MhaWeights> weights;
  /// What the reader or the generator wants to say, such as ignored keys. Never written to a file.
  std::vector<std::string> notes;

  std::size_t samples() const { return X.size(); }
  std::size_t dim() const { return X.empty() ? 0 : X.front().cols(); }
  std::size_t heads() const { return weights ? weights->U.size() : 0; }
  std::size_t max_tokens() const;
  /// P = H (T d + d^2).
  std::size_t parameters() const;
};

/// True if loss, X, y and weights agree exactly; name, origin and notes are not compared.
bool same_numbers(const MhaInstance& a, const MhaInstance& b);

}  // namespace heed
