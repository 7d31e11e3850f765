// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/certificate/detail/writing.hpp"
#include "heed/landscape/point.hpp"

namespace heed::detail {

/// The fields of every certificate of kind `landscape`: format to `bits`, with layer and hash.
nlohmann::ordered_json landscape_fields(const LandscapeProblem& problem,
                                        const std::vector<std::string>& claim, int bits);

/// {"den", "num"} of these numbers.
nlohmann::ordered_json numbers(const std::vector<Rational>& list);

}  // namespace heed::detail
