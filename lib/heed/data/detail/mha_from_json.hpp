// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/detail/json_value.hpp"
#include "heed/data/detail/models.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// The model of a JSON instance. Throws InputError unless `root` is an object, and as detect_model.
DetectedModel json_model(const JsonValue& root, const std::string& file);

/// See parse_instance. Precondition: json_model says mha.
MhaInstance mha_from_json(const JsonValue& root, const std::string& file,
                          const ReadOptions& options);

}  // namespace heed::detail
