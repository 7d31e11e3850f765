// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "heed/data/detail/models.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// The model of an npz archive, by its words and the names of its arrays; errors as detect_model.
DetectedModel npz_model(std::string_view bytes, const std::string& file,
                        const ReadOptions& options);

/// See parse_instance; `bytes` is an npz archive. Precondition: npz_model says mha.
MhaInstance mha_from_npz(std::string_view bytes, const std::string& file,
                         const ReadOptions& options);

}  // namespace heed::detail
