// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "heed/data/read.hpp"

namespace heed::detail {

/// See read_mha_instance; `bytes` is an npz archive.
MhaInstance mha_from_npz(std::string_view bytes, const std::string& file,
                         const ReadOptions& options);

}  // namespace heed::detail
