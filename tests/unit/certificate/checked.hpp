// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/run.hpp"
#include "heed/landscape/point.hpp"

namespace certificate_test {

/// heedcheck's answer, which must be valid for the hash of the instance and for the problem.
cli_test::Json checked(const heed::LandscapeProblem& problem, const std::string& certificate);

}  // namespace certificate_test
