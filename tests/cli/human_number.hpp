// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/enclosure.hpp"

namespace cli_test {

/// Reads what the command prints for people: `-0.217[2,7]e-5` (the next digit lies between the
/// two), `0.1 +/- 2e-39`, `[-1e-20, 2e-20]`, or a plain number, which claims to be exact.
/// Throws std::invalid_argument for anything else.
Enclosure printed_number(const std::string& text);

}  // namespace cli_test
