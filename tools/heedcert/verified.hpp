// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "heed/theory/decision.hpp"
#include "heed/theory/identities.hpp"
#include "report.hpp"

namespace heedcert {

/// What `verify` says of one file, whatever its model; of model kernel, with one kernel.
struct Verified {
  Input input;
  std::string kernel;              ///< its word; empty for other models
  std::string sizes;               ///< `n = 8, T = 4, d = 4, ...`
  std::vector<std::string> facts;  ///< lines above the ladders: margins, hypotheses
  std::vector<heed::ClaimResult> claims;
  std::vector<heed::IdentityResult> identities;
  Json quantities = Json::object();
  std::vector<std::string> notes;
  int bits = 0;
  bool budget_ended = false;
};

/// Reads an instance that has claims; throws InputError that says what is missing.
LoadedAny load_verifiable(const std::string& path, const CommonOptions& o);

/// Evaluates all its claims, at point number `at` for model attsvm. One entry, or one a kernel.
std::vector<Verified> verified(const LoadedAny& loaded, std::size_t at, const CommonOptions& o);

}  // namespace heedcert
