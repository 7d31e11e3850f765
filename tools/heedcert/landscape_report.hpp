// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/analyse.hpp"
#include "heed/landscape/trap.hpp"
#include "landscape_theorems.hpp"
#include "report.hpp"

namespace heedcert {

/// What `landscape` found for one kernel.
struct LandscapeFindings {
  heed::LandscapeProblem problem;
  std::optional<heed::LandscapeReport> search;
  std::vector<heed::PointReport> points;
  std::optional<SeparateTokens> separate;  ///< where W_Q alone is trained
  std::vector<heed::PositiveCertificate> positive;
  std::optional<heed::TrapResult> trap;
  bool wants_widest_trap = false;     ///< of the one point
  std::optional<heed::Rational> eta;  ///< a step that was asked for
};

/// True if anything was proved.
bool proves_something(const LandscapeFindings& f);
/// True if the box is proved to be no trap.
bool is_refuted(const LandscapeFindings& f);

/// The enumeration, and points: of a search those that are certified, a few of them; with `all` each.
void print(const LandscapeFindings& f, int digits, bool all);
Json quantities(const LandscapeFindings& f, int digits);
Json claims(const LandscapeFindings& f);

}  // namespace heedcert
