// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "heed/data/query_instance.hpp"
#include "heed/margin/frobenius_margin.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {

/// The point of the simplex that maximises gamma . s - lambda |s|^2, exactly.
///
///     s_t = max(0, gamma_t - tau) / (2 lambda),   tau = (sum of the k largest gamma - 2 lambda) / k,
///     k   = max{ j : sum_{l < j} (gamma_(l) - gamma_(j)) < 2 lambda },  gamma_(1) >= gamma_(2) >= ...
///
/// k = 1 exactly if gamma_(1) - gamma_(2) >= 2 lambda, and k = T exactly if
/// sum_l (gamma_(l) - gamma_(T)) < 2 lambda.
struct Sparsemax {
  std::size_t count = 0;             ///< k: number of t with s_t > 0
  std::vector<std::size_t> support;  ///< these t, by falling gamma_t, then ascending
  Rational tau;
  std::vector<Rational> s;
};

/// Precondition (std::invalid_argument): gamma not empty, lambda > 0. Cost: T log T.
Sparsemax sparsemax(const std::vector<Rational>& gamma, const Rational& lambda);

/// Whether the values of a softmax limit can be prescribed: log(s_ref / s_t) as logit gaps.
enum class Consistency { consistent, inconsistent, undecided };

/// What attention with the head h(o) = v . o - lambda |o|^2 would select at its best, and whether it can.
struct LambdaHead {
  std::vector<Sparsemax> inputs;
  QueryInstance selection;  ///< the instance with `selected` = the supports
  /// The selected sets are reached, in the limit, exactly if this is no Infeasibility.
  FrobeniusMargin direction;
  bool sets_reachable = false;
  /// The values s are reached exactly if the sets are and the logit gaps that they ask for are
  /// consistent: automatic where the equality rows are independent.
  Consistency gaps = Consistency::undecided;
};

/// LambdaHead, or the reason why the statement does not apply: it needs scores v, labels y_i = 1 and
/// orthonormal tokens (|o|^2 = |s|^2).
/// Cost: exact_frobenius; elimination on the equality rows.
/// Note: proofs-notes/generalised_svm.md. Source: attsvm.lambda_head_sparsemax.
std::variant<LambdaHead, std::string> lambda_head_sparsemax(const QueryInstance& instance,
                                                            const Rational& lambda);

}  // namespace heed
