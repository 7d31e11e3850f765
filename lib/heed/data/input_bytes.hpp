// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace heed {

/// Largest input file and largest uncompressed content that is read unless a caller says otherwise.
inline constexpr std::size_t default_max_bytes = std::size_t{1} << 30;

/// The whole content of a file; `-` is standard input.
///
/// Take the bytes once and both hash and parse them, so that a report names the hash of what was
/// really read.
///
/// Throws InputError if the file is missing, a folder, unreadable or larger than `max_bytes`.
std::string read_input_bytes(const std::string& path, std::size_t max_bytes = default_max_bytes);

/// How messages name the input: the path, or `<stdin>` for `-`.
std::string input_label(const std::string& path);

}  // namespace heed
