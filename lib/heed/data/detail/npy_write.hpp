// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

/// An npy file (format 1.0, little-endian, C order) of float64, of int64, or of one text.
std::string npy_bytes(const std::vector<std::size_t>& shape, const std::vector<double>& values);
std::string npy_bytes(const std::vector<std::size_t>& shape,
                      const std::vector<std::int64_t>& values);
/// Precondition: `text` is UTF-8; bytes that are not become U+FFFD.
std::string npy_bytes(std::string_view text);

/// A zip archive of the members in order, not compressed, with a fixed date: equal members give
/// equal bytes.
std::string npz_bytes(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace heed::detail
