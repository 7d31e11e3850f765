// SPDX-License-Identifier: Apache-2.0
#include "unit/numeric/itl_predicates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "unit/numeric/itl_scalars.hpp"

namespace heed::test {
namespace {

using Kind = ItlValue::Kind;

const ItlOutcome no_value{ItlResult::no_value, {}};

ItlOutcome demand(bool holds, const std::string& what) {
  return {ItlResult::run, holds ? "" : what};
}

/// The ball is the interval, with nothing around it.
bool is_faithful(const Ball& x, const ItlValue& v) {
  const Ends e = ends_of(x);
  return v.bounded() && e.lo == v.lo && e.lo_up == v.lo && e.hi_down == v.hi && e.hi == v.hi;
}

/// `yes` and `no` are what the balls prove.
ItlOutcome demand_answer(const ItlCase& c, bool faithful, bool yes, bool no) {
  const bool expected = c.out.at(0).text == "true";
  if (yes && !expected) return demand(false, "proved, but false");
  if (no && expected) return demand(false, "disproved, but true");
  return demand(!faithful || yes == expected, "exact operands, but not decided");
}

ItlOutcome order(const ItlCase& c, const Ball* x, bool faithful) {
  const Ternary t = c.operation == "precedes" ? less_equal(x[0], x[1]) : less(x[0], x[1]);
  return demand_answer(c, faithful, certainly(t), certainly_not(t));
}

ItlOutcome disjoint(const ItlCase& c, const Ball* x, bool faithful) {
  return demand_answer(c, faithful, !x[0].overlaps(x[1]), false);
}

// A wider x[0] may stick out, a wider x[1] may hold more.
ItlOutcome subset(const ItlCase& c, const Ball* x, bool faithful) {
  const bool inside = x[1].contains(x[0]), point = c.in[0].singleton();
  return demand_answer(c, faithful, inside && faithful, !inside && point);
}

ItlOutcome singleton(const ItlCase& c, const Ball* x, bool) {
  return demand_answer(c, true, x[0].is_exact(), !x[0].is_exact());
}

ItlOutcome common_interval(const ItlCase& c, const Ball* x, bool) {
  return demand_answer(c, true, x[0].is_finite(), !x[0].is_finite());
}

ItlOutcome lower_end(const ItlCase& c, const Ball* x, bool faithful) {
  const double expected = c.out.at(0).lo, found = ends_of(x[0].lower()).lo;
  return demand(faithful ? found == expected : found <= expected, "the lower end");
}

ItlOutcome upper_end(const ItlCase& c, const Ball* x, bool faithful) {
  const double expected = c.out.at(0).lo, found = ends_of(x[0].upper()).hi;
  return demand(faithful ? found == expected : found >= expected, "the upper end");
}

ItlOutcome hull(const ItlCase& c, const Ball* x, bool) {
  const Ball value = Ball::hull(x[0], x[1]);
  const Ends e = ends_of(value);
  const ItlValue& out = c.out.at(0);
  if (!(e.lo <= out.lo && e.hi >= out.hi)) return demand(false, "does not contain");
  const Ball width = Ball(out.hi) - Ball(out.lo);
  return demand(
      !out.bounded() || certainly(less_equal(ldexp(value.radius(), 1), width * Ball(1 + 0x1p-20))),
      "wider than the hull");
}

ItlOutcome is_member(const ItlCase& c) {
  const ItlValue &point = c.in.at(0), &interval = c.in.at(1);
  if (interval.kind != Kind::interval || !std::isfinite(point.lo)) return no_value;
  const Ball x = enclosure<Ball>(interval);
  const bool inside = x.contains(Rational(point.lo)), faithful = is_faithful(x, interval);
  return demand_answer(c, faithful, inside && faithful, !inside);
}

// The sums are rounded to nearest: the enclosure, rounded likewise, has to be that double.
ItlOutcome reduction(const ItlCase& c) {
  std::vector<Ball> a(c.in.at(0).numbers.begin(), c.in[0].numbers.end()), b(a.size(), Ball(1));
  if (c.operation == "dot_nearest") b.assign(c.in.at(1).numbers.begin(), c.in[1].numbers.end());
  if (c.operation == "sum_sqr_nearest") b = a;
  if (c.operation == "sum_abs_nearest")
    for (Ball& x : a) x = abs(x);
  const Ball sum = dot(a.size(), a.data(), 1, b.data(), 1);
  const double expected = c.out.at(0).lo;
  if (!std::isfinite(expected)) return demand(!sum.is_finite(), "a finite sum of non-finite terms");
  return demand(
      approx::to_double(sum.lower()) == expected && approx::to_double(sum.upper()) == expected,
      "another sum");
}

}  // namespace

ItlOutcome check_ball_predicate(const ItlCase& c) {
  using Check = ItlOutcome (*)(const ItlCase&, const Ball*, bool);
  static const std::map<std::string, Check> checks{
      {"precedes", order}, {"strictPrecedes", order},  {"disjoint", disjoint},
      {"subset", subset},  {"isSingleton", singleton}, {"isCommonInterval", common_interval},
      {"inf", lower_end},  {"sup", upper_end},         {"convexHull", hull}};
  if (c.operation == "isMember") return is_member(c);
  if (c.operation.find("_nearest") != std::string::npos) return reduction(c);
  const auto check = checks.find(c.operation);
  if (check == checks.end()) return {ItlResult::not_offered, {}};
  std::vector<Ball> x;
  bool faithful = true;
  for (const ItlValue& v : c.in) {
    if (v.kind != Kind::interval) return no_value;
    x.push_back(enclosure<Ball>(v));
    faithful = faithful && is_faithful(x.back(), v);
  }
  return check->second(c, x.data(), faithful);
}

}  // namespace heed::test
