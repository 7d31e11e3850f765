// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/instance.hpp"

namespace heed::checks {

/// Simpler instances of consistent shapes, the boldest first: without a sample, a head, a token (of
/// all samples or of one), a coordinate; a whole tensor 0; all entries of a tensor shorter; logistic
/// loss, label +1; then one entry simpler. Each is strictly simpler in a finite measure, so
/// shrinking ends.
std::vector<MhaInstance> simpler_instances(const MhaInstance& instance);

}  // namespace heed::checks
