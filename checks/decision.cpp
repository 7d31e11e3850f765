// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <memory>
#include <ostream>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/verdict_counts.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/dm1.hpp"
#include "heed/theory/loss.hpp"
#include "heed/theory/mha_grad.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/moment.hpp"
#include "heed/theory/ntk.hpp"
#include "heed/theory/verify.hpp"

namespace heed::checks {
namespace {

std::string name_of(const ClaimResult& c) { return c.id + " " + c.rung; }

// One digit of the sides is enough: the precision is then driven by the verdicts.
Budget verdict_budget(int max_bits = 8192) {
  Budget budget;
  budget.digits = 1;
  budget.max_bits = max_bits;
  return budget;
}

void nothing_refuted(const VerifyReport& report) {
  for (const ClaimResult& c : report.claims)
    if (c.verdict.kind == VerdictKind::refuted)
      fail(name_of(c) + " is refuted " + c.shown.where + ": " + text(c.shown.lhs) + " > " +
           text(c.shown.rhs));
  for (const IdentityResult& i : report.identities)
    require(i.status != "inconsistent",
            "identity " + i.id + " is inconsistent, deviation " + text(i.deviation));
}

bool vanishes(const Ball& x) { return certainly(less_equal(abs(x), power_of_ten(-60))); }

void one_verdict_is_coherent(const ClaimResult& c, const VerifyReport& report,
                             const Budget& budget) {
  const Verdict& v = c.verdict;
  const std::string name = name_of(c);
  require(v.bits == double_bits || (v.bits >= budget.start_bits && v.bits <= budget.max_bits),
          name + ": bits outside the budget");
  require(!v.equality || v.kind == VerdictKind::undecided,
          name + ": equality can only be undecided");
  switch (v.kind) {
    case VerdictKind::proved:
      require(c.items > 0, name + ": proved without an item");
      require(!certainly_not(less_equal(c.shown.lhs, c.shown.rhs)),
              name + ": proved, but lhs > rhs");
      for (const ItemResult& i : c.per_sample)
        require(!certainly_not(less_equal(i.lhs, i.rhs)),
                name + ": proved, but lhs > rhs at " + i.where);
      for (const Hypothesis& h : c.hypotheses)
        require(h.status == "proved", name + ": proved under a hypothesis that is not: " + h.text);
      break;
    case VerdictKind::refuted:
      fail(name + ": refuted");
    case VerdictKind::undecided:
      require(!v.reason.empty(), name + ": undecided without a reason");
      if (v.equality) {
        require(agree_to_digits(c.shown.lhs, c.shown.rhs, 60) ||
                    (vanishes(c.shown.lhs) && vanishes(c.shown.rhs)) || c.items > 1,
                name + ": equality, but the sides do not agree to 60 digits");
      } else {
        require(
            (report.budget_ended && 2 * v.bits > budget.max_bits) || v.bits >= 2 * budget.zero_bits,
            name + ": given up before the budget ended");
      }
      break;
    case VerdictKind::not_applicable:
      require(!v.reason.empty() && c.items == 0, name + ": not applicable without a reason");
      break;
  }
}

int expected_status(const std::vector<ClaimResult>& claims) {
  int proved = 0, open = 0, refuted = 0;
  for (const ClaimResult& c : claims) {
    proved += c.verdict.kind == VerdictKind::proved ? 1 : 0;
    refuted += c.verdict.kind == VerdictKind::refuted ? 1 : 0;
    open += c.verdict.kind == VerdictKind::undecided && !c.verdict.equality ? 1 : 0;
  }
  return refuted > 0 ? 1 : (open > 0 || proved == 0) ? 2 : 0;
}

std::vector<RungValues<Ball>> evaluate_all(const MhaInstance& m) {
  const MhaAnalysis<Ball> a(m);
  std::vector<RungValues<Ball>> all;
  for (auto* family : {&loss_claims<Ball>, &moment_claims<Ball>, &mha_grad_claims<Ball>,
                       &mha_hessian_claims<Ball>, &ntk_claims<Ball>})
    for (RungValues<Ball>& r : family(a, every_rung)) all.push_back(std::move(r));
  for (RungValues<Ball>& r : dm1_claims<Ball>(m, a, [](const auto&, const auto&) { return true; }))
    all.push_back(std::move(r));
  return all;
}

// The numbers shown are those of an evaluation at an unrelated precision.
void shown_numbers(const VerifyReport& report, const std::vector<RungValues<Ball>>& rungs) {
  for (const ClaimResult& c : report.claims) {
    // About a step that an evaluation chooses for itself: another precision, another step.
    if (c.verdict.kind == VerdictKind::not_applicable || c.id == "mha.ntk.realizability") continue;
    const RungValues<Ball>* r = find_rung(rungs, c.id, c.rung);
    require(r != nullptr, name_of(c) + ": reported but not evaluated");
    for (const Item<Ball>& item : r->items)
      if (item.where == c.shown.where) {
        require_overlap(name_of(c) + " lhs " + item.where, item.lhs, c.shown.lhs);
        require_overlap(name_of(c) + " rhs " + item.where, item.rhs, c.shown.rhs);
      }
  }
}

bool agree_or_vanish(const Ball& lhs, const Ball& rhs) {
  return agree_to_digits(lhs, rhs, 60) || (vanishes(lhs) && vanishes(rhs));
}

// An evaluation at the precision of a verdict yields the same balls, and one at 512 bits narrower ones
// than the first tier: all items must bear it out. An
// equality must hold at the precision before as well, unless both sides vanish.
void borne_out(const ClaimResult& c, const std::vector<RungValues<Ball>>& rungs, bool before) {
  const RungValues<Ball>* r = find_rung(rungs, c.id, c.rung);
  require(r != nullptr, name_of(c) + ": reported but not evaluated");
  for (const Item<Ball>& i : r->items) {
    const bool holds =
        certainly(less_equal(i.lhs, i.rhs)) && i.lhs.is_finite() && i.rhs.is_finite();
    if (c.verdict.kind == VerdictKind::proved && !before)
      require(holds || r->reflexive, name_of(c) + ": proved, but not certain " + i.where + ", " +
                                         text(i.lhs) + " and " + text(i.rhs));
    if (c.verdict.equality)
      require(holds || agree_or_vanish(i.lhs, i.rhs) ||
                  (before && c.verdict.reason.find("both sides") != std::string::npos),
              name_of(c) + ": equality, but the sides differ " +
                  (before ? "one precision before " : "") + i.where);
  }
}

void all_borne_out(const MhaInstance& m, const VerifyReport& report) {
  std::map<int, std::vector<RungValues<Ball>>> at;
  const auto evaluated = [&](int bits) -> const std::vector<RungValues<Ball>>& {
    const PrecisionScope scope(bits);
    const auto [it, added] = at.try_emplace(bits);
    if (added) it->second = evaluate_all(m);
    return it->second;
  };
  for (const ClaimResult& c : report.claims) {
    if (c.verdict.kind == VerdictKind::not_applicable) continue;
    const int bits = c.verdict.bits == double_bits ? 512 : c.verdict.bits;
    const std::vector<RungValues<Ball>>& now = evaluated(bits);
    const PrecisionScope scope(bits);
    borne_out(c, now, false);
    if (c.verdict.equality) borne_out(c, evaluated(c.verdict.bits / 2), true);
  }
}

void rules(const MhaInstance& m, Tally& tally) {
  const Budget full = verdict_budget(2048), small = verdict_budget(128);
  const VerifyReport report = verify(m, full), early = verify(m, small);
  for (const ClaimResult& c : report.claims) {
    one_verdict_is_coherent(c, report, full);
    ++tally[std::string("2048 bits: ") + to_string(c.verdict.kind) +
            (c.verdict.equality ? " (equality)" : "")];
  }
  require(exit_status(report.claims) == expected_status(report.claims), "exit status");
  require(early.claims.size() == report.claims.size(), "the number of rungs depends on the budget");
  for (std::size_t k = 0; k < early.claims.size(); ++k) {
    const ClaimResult &a = early.claims[k], &b = report.claims[k];
    require(name_of(a) == name_of(b), "the order of rungs depends on the budget");
    require(a.verdict.kind == VerdictKind::undecided || a.verdict.kind == b.verdict.kind ||
                a.verdict.kind == VerdictKind::not_applicable,
            name_of(a) + ": a verdict was changed by more precision");
  }
  all_borne_out(m, report);
  const PrecisionScope scope(211);
  shown_numbers(report, evaluate_all(m));
}

// compare on intervals with rational ends, against exact comparisons of the ends.
void comparisons(const MhaInstance& m, Tally& tally) {
  const Rational t = m.weights->U[0](0, 0);
  const Rational unit = abs(t) + Rational(m.y[0] > 0 ? 1 : 0);
  const PrecisionScope scope(4096);
  for (const int width : {0, 1, 3})
    for (const int other : {0, 2})
      for (int shift = -4; shift <= 4; ++shift) {
        const Rational lo = t, hi = t + Rational(width) * unit, low = t + Rational(shift) * unit,
                       high = low + Rational(other) * unit;
        const Ball a = Ball::hull(Ball(lo), Ball(hi)), b = Ball::hull(Ball(low), Ball(high));
        const VerdictKind kind = compare(a, b).kind;
        ++tally[std::string("compare: ") + to_string(kind)];
        require(kind != VerdictKind::not_applicable, "compare has no hypotheses");
        if (kind == VerdictKind::proved)
          require(hi <= low, "proved, but some points have lhs > rhs");
        if (kind == VerdictKind::refuted)
          require(lo > high, "refuted, but some points have lhs <= rhs");
        // Balls of rational ends are inflated by rounding: only clear cases must be decided.
        const Rational slack = unit * Rational::power_of_two(-20);
        if (hi + slack < low) require(kind == VerdictKind::proved, "clear, but not proved");
        if (lo > high + slack) require(kind == VerdictKind::refuted, "clear, but not refuted");
      }
  const Ball x(t), nothing = Ball(1) / Ball(0), infinite(std::numeric_limits<double>::infinity());
  for (const Ball& bad : {nothing, infinite, -infinite})
    for (const auto& [a, b] : {std::pair{bad, x}, {x, bad}, {bad, bad}})
      require(compare(a, b).kind == VerdictKind::undecided,
              "decided from a ball that is not finite");
}

}  // namespace

std::vector<Property> decision_properties() {
  const auto counts = std::make_shared<VerdictCounts>();
  return {{"decision.verdicts",
           "verify refutes nothing, finds every identity consistent, and proves 99.9 % of the "
           "rungs whose "
           "sides differ",
           draw_instance, 1000,
           [counts](const MhaInstance& m, Tally&) {
             const VerifyReport report = verify(m, verdict_budget());
             nothing_refuted(report);
             counts->add(report);
           },
           [counts](std::ostream& out) {
             counts->print(out);
             return counts->acceptable();
           }},
          {"decision.rules",
           "verdicts, reasons, equality and exit status follow the rules; more precision changes "
           "no verdict",
           draw_instance,
           100,
           rules,
           {}},
          {"decision.compare",
           "compare says what the ends of the enclosures say, exactly",
           draw_margin,
           1000,
           comparisons,
           {}}};
}

}  // namespace heed::checks
