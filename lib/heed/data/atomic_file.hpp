// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Whether an existing output file may be replaced.
enum class Overwrite { refuse, allow };

/// Writes a file so that a reader sees the old content or the new content, never a part.
///
/// The bytes go to a temporary name in the same folder, are flushed to the disk, and the name is
/// then put in place in one step. On failure the temporary file is removed and an existing file is
/// untouched.
///
/// Throws InputError if the file exists and `overwrite` is refuse, or if it cannot be written.
void write_file_atomically(const std::string& path, std::string_view bytes,
                           Overwrite overwrite = Overwrite::refuse);

}  // namespace heed
