// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// SHA-256 of a byte string, as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// SHA-256 of a file's content, read in pieces (no size limit). Throws InputError if it cannot be
/// read; `-` is not accepted, because standard input can be read only once: see read_input_bytes.
std::string sha256_of_file(const std::string& path);

}  // namespace heed
