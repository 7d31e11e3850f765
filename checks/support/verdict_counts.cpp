// SPDX-License-Identifier: Apache-2.0
#include "checks/support/verdict_counts.hpp"

#include <iomanip>
#include <ostream>

namespace heed::checks {
namespace {

// lhs <= (1 - 1e-6) rhs by midpoints, or unknown because an enclosure contains 0.
bool is_clear(const ItemResult& item) {
  const PrecisionScope scope(128);
  if (!item.lhs.is_finite() || !item.rhs.is_finite()) return true;
  for (const Ball* x : {&item.lhs, &item.rhs})
    if (!x->is_exact() && x->contains_zero()) return true;
  const Ball scaled = item.rhs.midpoint() * (Ball(1) - Ball(Rational(1, 1'000'000)));
  return certainly(less(item.lhs.midpoint(), scaled));
}

void print_counts(std::ostream& out, const std::string& title,
                  const std::map<std::string, long>& counts) {
  if (counts.empty()) return;
  out << "  " << title << "\n";
  for (const auto& [word, count] : counts)
    out << "    " << std::setw(9) << count << "  " << word << "\n";
}

}  // namespace

void VerdictCounts::add(const VerifyReport& report) {
  ++instances_;
  for (const ClaimResult& c : report.claims) {
    const std::string name = c.id + " " + c.rung;
    ++rungs_;
    ++bits_[c.verdict.bits];
    switch (c.verdict.kind) {
      case VerdictKind::not_applicable:
        ++not_applicable_;
        continue;
      case VerdictKind::proved:
        ++proved_;
        break;
      case VerdictKind::refuted:
        ++refuted_;
        break;
      case VerdictKind::undecided:
        ++(c.verdict.equality ? equality_ : undecided_);
        if (c.verdict.equality)
          ++equalities_[name +
                        (c.verdict.reason.starts_with("equality to") ? "" : ": both sides vanish")];
        break;
    }
    if (c.verdict.kind == VerdictKind::proved && is_clear(c.shown)) ++clear_proved_;
    if (!c.verdict.equality && is_clear(c.shown)) {
      ++clear_;
      if (c.verdict.kind != VerdictKind::proved)
        ++clear_not_proved_[name + ": " + c.verdict.reason];
    } else if (c.verdict.kind == VerdictKind::undecided && !c.verdict.equality) {
      ++other_undecided_[name + ": " + c.verdict.reason];
    }
  }
  for (const IdentityResult& i : report.identities) {
    ++identities_;
    if (i.status == "inconsistent") ++inconsistent_;
  }
}

double VerdictCounts::clear_share() const {
  return clear_ == 0 ? 1 : static_cast<double>(clear_proved_) / static_cast<double>(clear_);
}

bool VerdictCounts::acceptable() const {
  return refuted_ == 0 && inconsistent_ == 0 && clear_share() >= 0.999;
}

void VerdictCounts::print(std::ostream& out) const {
  out << "  instances " << instances_ << ", rungs " << rungs_ << ": proved " << proved_
      << ", equality " << equality_ << ", undecided " << undecided_ << ", not_applicable "
      << not_applicable_ << ", refuted " << refuted_ << "\n  identities " << identities_
      << ", inconsistent " << inconsistent_
      << "\n  rungs with lhs/rhs <= 1 - 1e-6 (or unknown): " << clear_ << ", proved "
      << clear_proved_ << " (" << std::fixed << std::setprecision(4) << 100 * clear_share()
      << " %)\n  bits of the decisions:";
  for (const auto& [bits, count] : bits_) out << "  " << bits << ": " << count;
  out << "\n";
  print_counts(out, "clear but not proved:", clear_not_proved_);
  print_counts(out, "undecided, ratio near 1:", other_undecided_);
  print_counts(out, "equality:", equalities_);
}

}  // namespace heed::checks
