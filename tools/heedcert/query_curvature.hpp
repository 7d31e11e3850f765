// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace heedcert {

/// `curvature` on an instance of model attsvm, at its point number `at`.
int query_curvature(const heed::QueryInstance& instance, const Input& input, std::size_t at,
                    const CommonOptions& o);

}  // namespace heedcert
