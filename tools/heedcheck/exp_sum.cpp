// SPDX-License-Identifier: Apache-2.0
#include "exp_sum.hpp"

#include <algorithm>
#include <tuple>

namespace heedcheck {
namespace {

constexpr long most_exponent = 20000;

int sign_of(const Interval& x) { return is_positive(x) ? 1 : is_negative(x) ? -1 : 0; }

auto exponent_of(const ExpTerm& t) { return std::tie(t.e2, t.e1, t.e0); }
bool grows_alike(const ExpTerm& s, const ExpTerm& t) { return s.e2 == t.e2 && s.e1 == t.e1; }

mpq_class factor_at(const ExpTerm& t, const mpq_class& q) { return t.u + t.v * q; }
mpq_class exponent_at(const ExpTerm& t, const mpq_class& q) { return t.e0 + (t.e1 + t.e2 * q) * q; }

// u + v q keeps its sign, not 0, on [q, infinity).
bool keeps_sign(const ExpTerm& t, const mpq_class& q) {
  const int s = sgn(factor_at(t, q));
  return s != 0 && (t.v == 0 || sgn(t.v) == s);
}

// |t / lead| does not grow on [q, infinity).
bool quotient_falls(const ExpTerm& t, const ExpTerm& lead, const mpq_class& q) {
  if (t.e2 > lead.e2 || t.e1 - lead.e1 + 2 * (t.e2 - lead.e2) * q > 0) return false;
  if (!keeps_sign(t, q)) return false;
  const int s = sgn(factor_at(t, q)) * sgn(factor_at(lead, q));
  return s * sgn(mpq_class(t.v * lead.u - t.u * lead.v)) <= 0;
}

ExpTerm mirrored(ExpTerm t) {
  t.v = -t.v;
  t.e1 = -t.e1;
  return t;
}

Interval around(const mpq_class& a, const mpq_class& b) {
  return Interval::between(Interval(a).lo(), Interval(b).hi());
}

}  // namespace

ExpSum::ExpSum(std::vector<ExpTerm> terms, const Interval& beta) : beta_(beta) {
  std::sort(terms.begin(), terms.end(),
            [](const ExpTerm& s, const ExpTerm& t) { return exponent_of(s) > exponent_of(t); });
  for (const ExpTerm& t : terms) {
    if (terms_.empty() || exponent_of(terms_.back()) != exponent_of(t)) {
      terms_.push_back(t);
    } else {
      terms_.back().u += t.u;
      terms_.back().v += t.v;
    }
  }
  std::erase_if(terms_, [](const ExpTerm& t) { return t.u == 0 && t.v == 0; });
}

const ExpTerm& ExpSum::largest_at(const mpq_class& q) const {
  return *std::max_element(terms_.begin(), terms_.end(), [&](const ExpTerm& s, const ExpTerm& t) {
    return exponent_at(s, q) < exponent_at(t, q);
  });
}

std::optional<ExpSum::Range> ExpSum::range(const mpq_class& a, const mpq_class& b,
                                           const ExpTerm& reference) const {
  const Interval q = around(a, b), most(mpq_class(most_exponent, 1));
  Range r;
  for (const ExpTerm& t : terms_) {
    const Interval e1(mpq_class(t.e1 - reference.e1)), e2(mpq_class(t.e2 - reference.e2));
    const Interval z = beta_ * (Interval(mpq_class(t.e0 - reference.e0)) + e1 * q + e2 * square(q));
    if (!is_less(z, most)) return std::nullopt;
    const Interval e = exponential(z), v(t.v), factor = Interval(t.u) + v * q;
    r.value += factor * e;
    r.slope += (v + factor * beta_ * (e1 + (e2 + e2) * q)) * e;
  }
  return r;
}

int ExpSum::sign_at(const mpq_class& q) const {
  const auto r = range(q, q, largest_at(q));
  return r ? sign_of(r->value) : 0;
}

ExpSum::Signs ExpSum::signs(const mpq_class& a, const mpq_class& b) const {
  const mpq_class m = (a + b) / 2;
  const ExpTerm& reference = largest_at(m);
  const auto all = range(a, b, reference), middle = range(m, m, reference);
  if (!all || !middle) return {};
  Signs s{sign_of(all->value), sign_of(all->slope)};
  if (s.value == 0) s.value = sign_of(middle->value + all->slope * (around(a, b) - Interval(m)));
  return s;
}

bool ExpSum::has_no_zero(const mpq_class& a, const mpq_class& b, std::size_t& cells) const {
  std::vector<std::pair<mpq_class, mpq_class>> open{{a, b}};
  while (!open.empty()) {
    const auto [lo, hi] = std::move(open.back());
    open.pop_back();
    if (cells == 0) return false;
    --cells;
    const Signs s = signs(lo, hi);
    if (s.value != 0) continue;
    if (Interval(mpq_class(hi - lo)).hi() <= 1) return false;  // nothing gets narrower
    if (s.slope != 0) {
      const int left = sign_at(lo), right = sign_at(hi);
      if (left * right < 0) return false;
      if (left * right > 0) continue;
    }
    const mpq_class cut = (lo + hi) / 2;
    open.emplace_back(cut, hi);
    open.emplace_back(lo, cut);
  }
  return true;
}

bool ExpSum::has_one_zero(const mpq_class& a, const mpq_class& b) const {
  return signs(a, b).slope != 0 && sign_at(a) * sign_at(b) < 0;
}

bool ExpSum::has_no_zero_from(const mpq_class& q) const {
  const ExpTerm& lead = terms_.front();
  if (!keeps_sign(lead, q)) return false;
  Interval top, rest;
  for (const ExpTerm& t : terms_) {
    const Interval z = beta_ * Interval(mpq_class(exponent_at(t, q) - exponent_at(lead, q)));
    const bool leads = grows_alike(t, lead);
    if (leads && (t.v != 0 || lead.v != 0) && &t != &lead) return false;
    if (!leads && !quotient_falls(t, lead, q)) return false;
    if (!is_less(z, Interval(mpq_class(most_exponent, 1)))) return false;
    const Interval term = Interval(factor_at(t, q)) * exponential(z);
    leads ? top += term : rest += term.magnitude();
  }
  return is_less(rest, top) || is_less(rest, -top);
}

bool ExpSum::has_no_zero_up_to(const mpq_class& q) const {
  std::vector<ExpTerm> terms;
  for (const ExpTerm& t : terms_) terms.push_back(mirrored(t));
  return ExpSum(std::move(terms), beta_).has_no_zero_from(-q);
}

}  // namespace heedcheck
