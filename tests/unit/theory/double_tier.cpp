// SPDX-License-Identifier: Apache-2.0
// The first tier of verify: what enclosures in double may decide, and what they leave to balls.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "heed/data/read.hpp"
#include "heed/theory/verify.hpp"

using namespace heed;

namespace {

MhaInstance fixture(const std::string& name) {
  return read_mha_instance(std::string(HEED_TEST_DATA) + "/fixtures/mha_" + name + ".json");
}

const char* const fixtures[] = {
    "base",       "d1", "dm1_onestep", "duplicate_tokens", "false_violation_hess",
    "h1",         "n1", "near_tie",    "mixed_margin",     "false_violation_wc",
    "saturated",  "t1", "theta0",      "nonseparable",     "tight_cross",
    "tight_third"};

struct Counts {
  int rungs = 0, in_double = 0;
};

Counts count(const VerifyReport& report) {
  Counts c;
  for (const ClaimResult& r : report.claims) {
    if (r.verdict.kind == VerdictKind::not_applicable) continue;
    ++c.rungs;
    c.in_double += r.verdict.bits == double_bits ? 1 : 0;
  }
  return c;
}

}  // namespace

TEST_CASE("few digits of an ordinary instance need no ball at all") {
  for (const char* name : {"base", "d1", "h1", "nonseparable"}) {
    INFO(name);
    std::vector<int> bits;
    Budget budget;
    budget.digits = 6;
    budget.on_precision = [&](int b) { bits.push_back(b); };
    const VerifyReport report = verify(fixture(name), budget);
    CHECK(bits == std::vector<int>{double_bits});
    CHECK(report.bits == double_bits);
    CHECK_FALSE(report.budget_ended);
    CHECK_FALSE(report.analysis);
    CHECK(exit_status(report.claims) == 0);
    for (const ClaimResult& c : report.claims) {
      INFO(c.id << " " << c.rung);
      CHECK(c.verdict.bits == double_bits);
      if (c.verdict.kind == VerdictKind::not_applicable) continue;
      CHECK(c.verdict.kind == VerdictKind::proved);
      CHECK((c.shown.lhs.is_exact() || c.shown.lhs.has_relative_digits(7)));
      CHECK((c.shown.rhs.is_exact() || c.shown.rhs.has_relative_digits(7)));
    }
    CHECK_FALSE(report.identities.empty());
    for (const IdentityResult& i : report.identities) CHECK(i.status != "inconsistent");
    CHECK(quantities(report).loss.has_relative_digits(7));
    CHECK(quantities(report).geometry.size() == fixture(name).samples());
  }
}

TEST_CASE("verdicts and numbers with and without the first tier agree on every fixture") {
  int rungs = 0, in_double = 0;
  for (const char* name : fixtures) {
    Budget with, without;
    without.double_tier = false;
    const MhaInstance instance = fixture(name);
    const VerifyReport a = verify(instance, with), b = verify(instance, without);
    const Counts c = count(a);
    rungs += c.rungs;
    in_double += c.in_double;
    CHECK(count(b).in_double == 0);
    REQUIRE(a.claims.size() == b.claims.size());
    for (std::size_t k = 0; k < a.claims.size(); ++k) {
      const ClaimResult &x = a.claims[k], &y = b.claims[k];
      INFO(name << ": " << x.id << " " << x.rung);
      CHECK(x.id == y.id);
      CHECK(x.rung == y.rung);
      CHECK(x.verdict.kind == y.verdict.kind);
      CHECK(x.verdict.equality == y.verdict.equality);
      if (x.items == 0) continue;
      CHECK(x.items == y.items);
      CHECK(x.shown.lhs.overlaps(y.shown.lhs));
      CHECK(x.shown.rhs.overlaps(y.shown.rhs));
      CHECK(x.hypotheses.size() == y.hypotheses.size());
    }
  }
  INFO(in_double << " of " << rungs << " rungs decided in double");
  CHECK(in_double * 100 >= rungs * 85);
}

TEST_CASE("what the first tier leaves open is decided by balls, equality only by them") {
  Budget budget;
  budget.digits = 6;
  const VerifyReport report = verify(fixture("theta0"), budget);
  CHECK(report.bits > double_bits);
  CHECK(report.analysis);
  CHECK_FALSE(report.double_analysis);
  int equalities = 0, first = 0;
  for (const ClaimResult& c : report.claims) {
    first += c.verdict.bits == double_bits && c.items > 0 ? 1 : 0;
    if (!c.verdict.equality) continue;
    ++equalities;
    CHECK(c.verdict.bits > double_bits);
  }
  CHECK(equalities > 0);
  CHECK(first > 30);
}

TEST_CASE("the first tier ends with the budget like any other precision") {
  Budget budget;
  budget.seconds = 1e-9;
  const VerifyReport report = verify(fixture("theta0"), budget);
  CHECK(report.bits == double_bits);
  CHECK(report.budget_ended);
  CHECK(report.double_analysis);
  CHECK(report.claims.size() > 40);
  CHECK(quantities(report).loss.is_finite());
  for (const ClaimResult& c : report.claims) CHECK_FALSE(c.verdict.equality);
}

TEST_CASE("numbers beyond the range of double are left to balls") {
  const MhaInstance instance =
      read_mha_instance(std::string(HEED_TEST_DATA) + "/instances/huge_exponents.json");
  Budget budget;
  budget.max_bits = 256;
  const VerifyReport report = verify(instance, budget);
  for (const ClaimResult& c : report.claims) CHECK(c.verdict.kind != VerdictKind::refuted);
}

TEST_CASE(
    "a trained layer of 1024 parameters: eigenvalues of the Hessian from doubles, to seven "
    "digits") {
  const MhaInstance instance =
      read_mha_instance(std::string(HEED_EXAMPLES) + "/digits-3-vs-8.json");
  const MhaAnalysis<DoubleBall> a(instance);
  const MhaAnalysis<Ball> b(instance);
  const auto check = [](const DoubleBall& x, const Ball& y) {
    CHECK(to_ball(x).contains(y));
    CHECK(to_ball(x).has_relative_digits(7));
  };
  check(a.hessian_extremes().least, b.hessian_extremes().least);
  check(a.hessian_extremes().largest, b.hessian_extremes().largest);
  for (std::size_t h = 0; h < a.heads(); ++h) check(a.block_minima()[h], b.block_minima()[h]);
}
