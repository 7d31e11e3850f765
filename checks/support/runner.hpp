// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checks/support/property.hpp"

namespace heed::checks {

struct RunOptions {
  long cases = 1000;
  long first_case = 0;
  std::uint64_t seed = 1;
  SizeLimit limit;
  std::string directory;      ///< where counterexamples and slow instances go
  bool keep_current = false;  ///< a crash leaves its instance in directory/crashed.json
  bool distribution = false;
  double shrink_seconds = 60;
};

/// Runs a property over generated instances. On failure: shrinks, saves the counterexample, prints
/// the message and one replay line. True if no case failed.
///
/// Every case is drawn from (seed, name of the property, number of the case) alone, so each can be
/// repeated without the others. A crash or an interrupt prints the replay line of the case in hand.
bool run_property(const Property& property, const RunOptions& options);

/// Runs a property on one instance file. True if it holds.
bool replay_property(const Property& property, const std::string& file);

}  // namespace heed::checks
