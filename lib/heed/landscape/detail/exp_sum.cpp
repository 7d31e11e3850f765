// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/exp_sum.hpp"

#include <algorithm>
#include <tuple>

#include "heed/landscape/token_problem.hpp"

namespace heed::detail {
namespace {

auto exponent_of(const ExpTerm& t) { return std::tie(t.e2, t.e1, t.e0); }

// Of terms with the same (e2, e1) as the first.
std::size_t leading_terms(const ExpSum& sum) {
  std::size_t k = 1;
  while (k < sum.terms.size() && sum.terms[k].e2 == sum.terms[0].e2 &&
         sum.terms[k].e1 == sum.terms[0].e1)
    ++k;
  return k;
}

Rational factor_at(const ExpTerm& t, const Rational& q) { return t.u + t.v * q; }

// |u + v q| does not vanish for q > at.
bool keeps_sign(const ExpTerm& t, const Rational& at) {
  const int s = factor_at(t, at).sign();
  return s != 0 && (t.v.sign() == 0 || t.v.sign() == s);
}

// The quotient of the two terms does not grow in absolute value on [at, infinity).
bool quotient_falls(const ExpTerm& t, const ExpTerm& lead, const Rational& at) {
  const Rational slope = t.e1 - lead.e1 + Rational(2) * (t.e2 - lead.e2) * at;
  if (slope.sign() > 0 || !keeps_sign(t, at) || !keeps_sign(lead, at)) return false;
  const int quotient = factor_at(t, at).sign() * factor_at(lead, at).sign();
  return quotient * (t.v * lead.u - t.u * lead.v).sign() <= 0;
}

// The ratio of one term at q to e^{lead exponent at q}.
Ball scaled(const ExpTerm& t, const ExpTerm& lead, const Rational& q, const Ball& beta) {
  const Rational gap = t.e0 - lead.e0 + (t.e1 - lead.e1 + (t.e2 - lead.e2) * q) * q;
  return Ball(factor_at(t, q)) * exp(beta * Ball(gap));
}

std::optional<int> dominated_from(const ExpSum& sum, std::size_t leading, const Rational& q) {
  const ExpTerm& lead = sum.terms.front();
  if (leading > 1 && std::any_of(sum.terms.begin(), sum.terms.begin() + static_cast<long>(leading),
                                 [](const ExpTerm& t) { return t.v.sign() != 0; }))
    return std::nullopt;
  if (!keeps_sign(lead, q)) return std::nullopt;
  const Ball beta = enclose(sum.beta);
  Ball top, rest;
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    if (k >= leading && !quotient_falls(sum.terms[k], lead, q)) return std::nullopt;
    const Ball term = scaled(sum.terms[k], lead, q, beta);
    if (k < leading)
      top += term;
    else
      rest += abs(term);
  }
  if (certainly(less(rest, top))) return 1;
  if (certainly(less(rest, -top))) return -1;
  return std::nullopt;
}

}  // namespace

ExpSum exp_sum(std::vector<ExpTerm> terms, const KernelBeta& beta) {
  std::sort(terms.begin(), terms.end(),
            [](const ExpTerm& a, const ExpTerm& b) { return exponent_of(a) > exponent_of(b); });
  ExpSum sum{{}, beta};
  for (ExpTerm& t : terms) {
    if (!sum.terms.empty() && exponent_of(sum.terms.back()) == exponent_of(t)) {
      sum.terms.back().u += t.u;
      sum.terms.back().v += t.v;
    } else {
      sum.terms.push_back(std::move(t));
    }
  }
  std::erase_if(sum.terms, [](const ExpTerm& t) { return t.u.sign() == 0 && t.v.sign() == 0; });
  return sum;
}

ExpSum mirrored(const ExpSum& sum) {
  std::vector<ExpTerm> terms = sum.terms;
  for (ExpTerm& t : terms) {
    t.v = -t.v;
    t.e1 = -t.e1;
  }
  return exp_sum(std::move(terms), sum.beta);
}

std::optional<TailBound> right_tail(const ExpSum& sum) {
  constexpr long most = 1100;  // keys may be doubles
  const std::size_t leading = leading_terms(sum);
  for (long k = 0; k <= most; ++k)
    if (const auto sign = dominated_from(sum, leading, Rational::power_of_two(k)))
      return TailBound{k, *sign};
  return std::nullopt;
}

}  // namespace heed::detail
