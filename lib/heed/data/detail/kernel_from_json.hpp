// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/detail/json_value.hpp"
#include "heed/data/kernel_instance.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// The instance in the fields of a file of model kernel, or in those of its `input` (reference files).
/// Throws InputError that names file, tensor and index.
KernelInstance kernel_from_json(const JsonValue& root, const std::string& file,
                                const ReadOptions& options);

}  // namespace heed::detail
