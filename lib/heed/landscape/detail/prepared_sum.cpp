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

Range operator+(const Range& a, const Range& b) { return {a.lo + b.lo, a.hi + b.hi}; }

Range times(const Ball& a, const Range& b) { return between(a * b.lo, a * b.hi); }

Ball largest(const Range& a) { return max(abs(a.lo), abs(a.hi)); }

// H_k with (e^s)^(k) = H_k e^s for a quadratic s: H_{k+1} = s' H_k + k s'' H_{k-1}.
std::vector<Range> hermite(const Range& slope, const Ball& bend, int most) {
  std::vector<Range> h{{Ball(1), Ball(1)}, slope};
  for (int k = 1; k < most; ++k)
    h.push_back(product(slope, h.back()) +
                times(Ball(k) * bend, h[static_cast<std::size_t>(k) - 1]));
  return h;
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

std::vector<Ball> PreparedSum::derivatives(const Ball& q, std::size_t reference, int most) const {
  const Term& r = terms_[reference];
  std::vector<Ball> sum(static_cast<std::size_t>(most) + 1);
  for (const Term& t : terms_) {
    const Ball d1 = t.e1 - r.e1, d2 = t.e2 - r.e2;
    const Ball power = exp(t.e0 - r.e0 + (d1 + d2 * q) * q);
    const Ball factor = t.u + t.v * q, slope = d1 + ldexp(d2, 1) * q, bend = ldexp(d2, 1);
    Ball before, h(1);  // H_{k-1}, H_k
    for (int k = 0; k <= most; ++k) {
      sum[static_cast<std::size_t>(k)] += (factor * h + Ball(k) * t.v * before) * power;
      const Ball next = slope * h + Ball(k) * bend * before;
      before = h;
      h = next;
    }
  }
  return sum;
}

std::vector<Range> PreparedSum::ranges(const Ball& a, const Ball& b, std::size_t reference,
                                       int most) const {
  const Term& r = terms_[reference];
  std::vector<Range> sum(static_cast<std::size_t>(most) + 1);
  for (const Term& t : terms_) {
    const Ball d0 = t.e0 - r.e0, d1 = t.e1 - r.e1, d2 = t.e2 - r.e2, bend = ldexp(d2, 1);
    const auto exponent = [&](const Ball& q) { return d0 + (d1 + d2 * q) * q; };
    Range power = between(exponent(a), exponent(b));
    if (t.quadratic != r.quadratic) {
      const Ball vertex = -d1 / bend;
      if (!certainly(less(vertex, a)) && !certainly(less(b, vertex))) {
        const Ball extreme = exponent(vertex);
        power = {min(power.lo, extreme), max(power.hi, extreme)};
      }
    }
    power = {exp(power.lo), exp(power.hi)};
    const Range factor = between(t.u + t.v * a, t.u + t.v * b);
    const std::vector<Range> h = hermite(between(d1 + bend * a, d1 + bend * b), bend, most);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      Range polynomial = product(factor, h[k]);
      if (k > 0) polynomial = polynomial + times(Ball(static_cast<long>(k)) * t.v, h[k - 1]);
      sum[k] = sum[k] + product(polynomial, power);
    }
  }
  return sum;
}

std::vector<Range> PreparedSum::taylor_ranges(const Ball& a, const Ball& b,
                                              std::size_t reference) const {
  constexpr int order = 5;
  Ball middle = ldexp(a + b, -1);
  approx::collapse(middle);
  const Ball reach = max(middle - a, b - middle);
  std::vector<Range> sum = ranges(a, b, reference, order);
  const std::vector<Ball> at = derivatives(middle, reference, order - 1);
  for (std::size_t k = order; k-- > 0;) {
    const Ball change = largest(sum[k + 1]) * reach;
    sum[k] = {max(sum[k].lo, at[k] - change), min(sum[k].hi, at[k] + change)};
  }
  sum.resize(2);
  return sum;
}

}  // namespace heed::detail
