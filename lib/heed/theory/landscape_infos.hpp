// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/theory/claim.hpp"

namespace heed {

/// The entries of the index for what heed/landscape certifies. Note: proofs-notes/landscape.md,
/// landscape_1d.md.
std::vector<ClaimInfo> landscape_claim_infos();

}  // namespace heed
