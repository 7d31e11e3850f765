// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "heed/data/kernel_instance.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::detail {

/// (u + v q) e^{beta (e0 + e1 q + e2 q^2)}.
struct ExpTerm {
  Rational u, v, e0, e1, e2;
};

/// Exact sum of such terms; phi', phi - y times a positive factor for every kernel.
struct ExpSum {
  std::vector<ExpTerm> terms;  ///< distinct exponents, falling by (e2, e1, e0); no term is 0
  KernelBeta beta;
};

/// Collects terms of one exponent and drops those that cancel.
ExpSum exp_sum(std::vector<ExpTerm> terms, const KernelBeta& beta);

/// q -> -q.
ExpSum mirrored(const ExpSum& sum);

/// A power of two Q >= 1 such that the sum has no zero in [Q, infinity), and its sign there;
/// nothing if none is found up to 2^1100. Precondition: not empty.
struct TailBound {
  long exponent;  ///< Q = 2^exponent
  int sign;
};
std::optional<TailBound> right_tail(const ExpSum& sum);

/// Enclosures of the two ends of a range.
struct Range {
  Ball lo, hi;
  /// +1 or -1 if the whole range has that sign, else 0.
  int sign() const;
};

/// A sum with its coefficients at one working precision. Values and ranges are those of the sum
/// divided by e^{exponent of the term `reference`}: the same zeros and signs, and no overflow.
class PreparedSum {
 public:
  explicit PreparedSum(const ExpSum& sum);

  /// The term that is largest near q, by approximate arithmetic.
  std::size_t reference(const Ball& q) const;
  Ball value(const Ball& q, std::size_t reference) const;
  /// Derivatives of orders 0 .. most.
  std::vector<Ball> derivatives(const Ball& q, std::size_t reference, int most) const;
  /// The sign at an exact point; 0 if the precision does not tell.
  int sign(const Ball& q) const;
  /// Ranges over [a, b] of the scaled sum and its derivatives of orders 0 .. most, term by term;
  /// a <= b exact points.
  std::vector<Range> ranges(const Ball& a, const Ball& b, std::size_t reference, int most) const;
  /// The same for orders 0 and 1, also by Taylor's formula at the middle: overestimates of the
  /// fifth and fourth power of b - a, so that few boxes stay unclear around a multiple zero.
  std::vector<Range> taylor_ranges(const Ball& a, const Ball& b, std::size_t reference) const;

 private:
  struct Term {
    Ball u, v, e0, e1, e2;  ///< exponents times beta
    bool quadratic;
  };
  std::vector<Term> terms_;
};

}  // namespace heed::detail
