// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed::detail {

/// Why no bounded region can hold gradient descent with these blocks; empty if that is not known.
std::string unbounded_orbit(const LandscapeProblem& problem);

/// Whether descent in a trap fails forever; `differs`: an untrained block in which the witness does.
Verdict fails_forever(const Verdict& trap, const Ball& region_loss, bool has_witness,
                      const std::string& differs, const Ball& witness_loss);

}  // namespace heed::detail
