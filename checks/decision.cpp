// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>

#include "checks/support/property.hpp"
#include "checks/support/verdict_counts.hpp"
#include "heed/theory/verify.hpp"

namespace heed::checks {
namespace {

std::string name_of(const ClaimResult& c) { return c.id + " " + c.rung; }

Budget verdict_budget() {
  Budget budget;
  budget.digits = 1;
  if (getenv("MAXB")) budget.max_bits = atoi(getenv("MAXB"));
  return budget;
}

}  // namespace

std::vector<Property> decision_properties() {
  const auto counts = std::make_shared<VerdictCounts>();
  Property verdicts{"decision.verdicts",
                    "verify refutes nothing, finds every identity consistent and proves the rungs whose "
                    "sides differ",
                    draw_instance,
                    1000,
                    [counts](const MhaInstance& m, Tally&) {
                      const VerifyReport report = verify(m, verdict_budget());
                      for (const ClaimResult& c : report.claims)
                        if (c.verdict.kind == VerdictKind::refuted)
                          throw Failure(name_of(c) + " is refuted at " + c.shown.where);
                      for (const IdentityResult& i : report.identities)
                        if (i.status == "inconsistent") throw Failure("identity " + i.id + " is inconsistent");
                      counts->add(report);
                    },
                    [counts](std::ostream& out) {
                      counts->print(out);
                      return counts->acceptable();
                    }};
  return {std::move(verdicts)};
}

}  // namespace heed::checks
