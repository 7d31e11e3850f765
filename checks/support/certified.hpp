// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::checks {

/// What heedcheck says of a certificate, asked for the hash of the instance and the problem.
struct Checked {
  bool valid = false;
  std::string reason;                   ///< unless valid
  std::vector<std::string> statements;  ///< what is proved, in words

  /// The rest of the statement that begins so; empty if there is none.
  std::string after(const std::string& words) const;
};

Checked heedcheck(const LandscapeProblem& problem, const std::string& certificate);

// One problem for each of some sets of trained blocks with at most so many parameters; the layer names
// its kernel.
std::vector<LandscapeProblem> landscape_problems(const KernelInstance& layer, std::size_t most);

}  // namespace heed::checks
