// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>

#include "heed/landscape/detail/exp_sum.hpp"
#include "heed/landscape/token_problem.hpp"

namespace heed::detail {
namespace {

int sign_of(const Ball& x) {
  if (certainly(positive(x))) return 1;
  return certainly(negative(x)) ? -1 : 0;
}

Range between(const Ball& a, const Ball& b) { return {min(a, b), max(a, b)}; }

Range product(const Range& a, const Range& b) {
  const Ball p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return {min(min(p, q), min(r, s)), max(max(p, q), max(r, s))};
}

void add(Range& sum, const Range& term) {
  sum.lo += term.lo;
  sum.hi += term.hi;
}

}  // namespace

int Range::sign() const {
  if (certainly(positive(lo))) return 1;
  return certainly(negative(hi)) ? -1 : 0;
}

PreparedSum::PreparedSum(const ExpSum& sum) {
  const Ball beta = enclose(sum.beta);
  for (const ExpTerm& t : sum.terms)
    terms_.push_back({Ball(t.u), Ball(t.v), beta * Ball(t.e0), beta * Ball(t.e1), beta * Ball(t.e2),
                      t.e2.sign() != 0});
}

std::size_t PreparedSum::reference(const Ball& q) const {
  const PrecisionScope scope(64);
  std::size_t best = 0;
  Ball largest;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Term& t = terms_[k];
    const double bits = static_cast<double>(approx::exponent(t.u + t.v * q));
    const Ball size = t.e0 + (t.e1 + t.e2 * q) * q + Ball(0.69 * bits);
    if (k == 0 || approx::less(largest, size)) {
      best = k;
      largest = size;
    }
  }
  return best;
}

Ball PreparedSum::value(const Ball& q, std::size_t reference) const {
  const Term& r = terms_[reference];
  Ball sum;
  for (const Term& t : terms_)
    sum += (t.u + t.v * q) * exp(t.e0 - r.e0 + (t.e1 - r.e1 + (t.e2 - r.e2) * q) * q);
  return sum;
}

int PreparedSum::sign(const Ball& q) const { return sign_of(value(q, reference(q))); }

PreparedSum::Ranges PreparedSum::ranges(const Ball& a, const Ball& b, std::size_t reference) const {
  const Term& r = terms_[reference];
  Ranges sum;
  for (const Term& t : terms_) {
    const Ball d0 = t.e0 - r.e0, d1 = t.e1 - r.e1, d2 = t.e2 - r.e2;
    const auto exponent = [&](const Ball& q) { return d0 + (d1 + d2 * q) * q; };
    const Ball at_a = exponent(a), at_b = exponent(b);
    Range power{min(at_a, at_b), max(at_a, at_b)};
    if (t.quadratic != r.quadratic) {
      const Ball vertex = -d1 / ldexp(d2, 1);
      if (!certainly(less(vertex, a)) && !certainly(less(b, vertex))) {
        const Ball extreme = exponent(vertex);
        power.lo = min(power.lo, extreme);
        power.hi = max(power.hi, extreme);
      }
    }
    power = {exp(power.lo), exp(power.hi)};
    const Range factor = between(t.u + t.v * a, t.u + t.v * b);
    Range slope = product(factor, between(d1 + ldexp(d2, 1) * a, d1 + ldexp(d2, 1) * b));
    add(slope, {t.v, t.v});
    add(sum.value, product(factor, power));
    add(sum.slope, product(slope, power));
  }
  return sum;
}

}  // namespace heed::detail
