// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/numeric/scalar.hpp"

namespace heed {

/// Stable forms of the logistic loss l(t) = log(1 + e^{-t}) and its derivatives, in any scalar.
///
/// Each branch is an identity on the whole real line, so on enclosures either branch encloses; the
/// branch is chosen by the sign of the midpoint, for width alone. Cancellation-free and without
/// overflow for |t| beyond 800 in double. Note: proofs-notes/elementary.md.
template <class S>
struct Logistic {
  /// e^{-|t|} <= 1, the only exponential that the four forms need.
  static S decay(const S& t) { return approx::sign(t) < 0 ? S(exp(t)) : S(exp(S(-t))); }

  /// l(t) = max(-t, 0) + log1p(e^{-|t|}).
  static S value(const S& t) {
    const S tail = log1p(decay(t));
    return approx::sign(t) < 0 ? S(tail - t) : tail;
  }

  /// p(t) = |l'(t)| = sigma(-t) = 1 - e^{-l(t)}.
  static S probability(const S& t) {
    const S e = decay(t);
    return approx::sign(t) < 0 ? S(S(1) / (S(1) + e)) : S(e / (S(1) + e));
  }

  /// l'(t) = -p(t).
  static S first(const S& t) { return -probability(t); }

  /// l''(t) = sigma(t) sigma(-t) = e^{-|t|} / (1 + e^{-|t|})^2.
  static S second(const S& t) {
    const S e = decay(t);
    // Not e / (1 + e)^2: the square of a wide enclosure of 1 + e may reach 0.
    const S q = S(1) / (S(1) + e);
    return S(e * q) * q;
  }

  /// l'''(t) = -l''(t) tanh(t / 2).
  static S third(const S& t) { return -(second(t) * tanh(ldexp(t, -1))); }
};

/// 1 - e^{-x}, without cancellation for small x.
template <class S>
S one_minus_exp_neg(const S& x) {
  return -expm1(S(-x));
}

}  // namespace heed
