// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/detail/json_value.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// See parse_instance: models `attsvm` and `rows`. Precondition: `root` is an object.
QueryInstance query_from_json(const JsonValue& root, const std::string& file,
                              const ReadOptions& options);
RowsInstance rows_from_json(const JsonValue& root, const std::string& file,
                            const ReadOptions& options);

}  // namespace heed::detail
