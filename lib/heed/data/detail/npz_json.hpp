// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "heed/data/detail/json_value.hpp"

namespace heed::detail {

/// The arrays of an npz archive as the members of one JSON object: numbers exactly, 0-d arrays as
/// single values, and the arrays NAME_0, NAME_1, ... as the list NAME.
///
/// Throws InputError that names the array: NaN and infinities, gaps in the numbering, both NAME and
/// NAME_0, more than max_json_values numbers, and whatever NpzArchive refuses.
JsonValue npz_as_json(std::string_view bytes, const std::string& file, std::size_t max_bytes);

}  // namespace heed::detail
