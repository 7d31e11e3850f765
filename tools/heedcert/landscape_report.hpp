// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/analyse.hpp"
#include "heed/landscape/decouple.hpp"
#include "heed/landscape/token_pl.hpp"
#include "heed/landscape/trap.hpp"
#include "report.hpp"

namespace heedcert {

/// The landscapes of all tokens, where f splits over them.
struct SeparateTokens {
  heed::Decoupling decoupling;
  std::vector<heed::Landscape1d> tokens;
  heed::LandscapeOfSum sum;
};

/// What `landscape` found for one kernel.
struct LandscapeFindings {
  heed::LandscapeProblem problem;
  std::optional<heed::LandscapeReport> search;
  std::vector<heed::PointReport> points;
  std::optional<SeparateTokens> separate;           ///< where W_Q alone is trained
  std::vector<heed::PositiveCertificate> positive;  ///< likewise
  std::optional<heed::TrapResult> trap;
  std::optional<heed::Rational> eta;  ///< a step that was asked for
};

/// True if anything was proved.
bool proves_something(const LandscapeFindings& f);
/// True if a point that was asked for is proved not to be stationary, or the trap not to be one.
bool is_refuted(const LandscapeFindings& f);

void print(const LandscapeFindings& f, int digits);
Json quantities(const LandscapeFindings& f, int digits);
Json claims(const LandscapeFindings& f);

}  // namespace heedcert
