// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// The dictionary of an npy header.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }` (keys in any order, each
/// once, nothing else). Throws InputError for anything else, also for records, negative lengths,
/// lengths beyond 2^63 and more than eight axes.
NpyHeader parse_npy_header(std::string_view text, const std::string& file,
                           const std::string& tensor);

}  // namespace heed::detail
