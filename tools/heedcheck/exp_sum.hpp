// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "landscape_instance.hpp"

namespace heedcheck {

// (u + v q) e^{beta (e0 + e1 q + e2 q^2)}.
struct ExpTerm {
  mpq_class u, v, e0, e1, e2;
};

// A sum of such terms, for proofs about its zeros on the line: theorem E of section 7.5 of
// proofs-notes/certificates.md.
class ExpSum {
 public:
  // Terms with equal e1 and e2 and the same e0 are added, those that cancel are dropped.
  ExpSum(std::vector<ExpTerm> terms, const Interval& beta);

  bool is_zero() const { return terms_.empty(); }

  // 1 or -1; 0 where it is not proved.
  int sign_at(const mpq_class& q) const;
  // Proves that [a, b] holds no zero, with as many cells as are left in `cells`.
  bool has_no_zero(const mpq_class& a, const mpq_class& b, std::size_t& cells) const;
  // Proves that [a, b] holds exactly one zero, where the sign changes.
  bool has_one_zero(const mpq_class& a, const mpq_class& b) const;
  // Prove that there is no zero in [q, infinity), in (-infinity, q].
  bool has_no_zero_from(const mpq_class& q) const;
  bool has_no_zero_up_to(const mpq_class& q) const;

 private:
  struct Range {
    Interval value, slope;
  };
  // Of F e^{-reference} on [a, b], with the exponent of one term as reference; nothing where an
  // exponent is too large.
  std::optional<Range> range(const mpq_class& a, const mpq_class& b,
                             const ExpTerm& reference) const;
  const ExpTerm& largest_at(const mpq_class& q) const;
  // The sign of the slope of F e^{-reference} and of F, all over [a, b].
  struct Signs {
    int value = 0, slope = 0;
  };
  Signs signs(const mpq_class& a, const mpq_class& b) const;

  std::vector<ExpTerm> terms_;  // the one that leads for large q first
  Interval beta_;
};

}  // namespace heedcheck
