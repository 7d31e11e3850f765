// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heed {

/// Version of the library, echoed in every result; CMake reads it from here.
inline constexpr const char* version = "0.1.0";

}  // namespace heed
