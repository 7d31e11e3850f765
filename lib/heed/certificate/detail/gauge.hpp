// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "heed/landscape/point.hpp"

namespace heed::detail {

/// The field `gauge` (proofs-notes/certificates.md, section 7.4): the directions on which
/// `transversality` rests at the working precision, those of the scope `nearby` if they do.
/// Errors: std::invalid_argument unless transversality is proved.
nlohmann::ordered_json gauge_field(const LandscapeProblem& problem, const PointBox& box);

}  // namespace heed::detail
