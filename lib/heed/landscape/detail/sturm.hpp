// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/landscape/detail/polynomial.hpp"

namespace heed::detail {

/// The only root of a polynomial in the open interval (lo, hi); it is no root of its ends.
struct RootInterval {
  Rational lo, hi;
  int sign_lo;  ///< sign of the polynomial at lo, opposite to that at hi
};

/// Sturm's sequence of a polynomial: counts its distinct real roots exactly.
class SturmSequence {
 public:
  /// Precondition: degree >= 0.
  explicit SturmSequence(const Polynomial& p);

  /// Number of roots in (a, b]; neither may be a multiple root.
  long count(const Rational& a, const Rational& b) const;
  long variations(const Rational& u) const;

 private:
  std::vector<Polynomial> sequence_;
};

/// All roots in (0, infinity), rising. Preconditions: no multiple root, 0 is not a root.
std::vector<RootInterval> positive_roots(const Polynomial& p);

}  // namespace heed::detail
