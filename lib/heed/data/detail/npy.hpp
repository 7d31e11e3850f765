// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// One array of an npy file (format versions 1.0, 2.0 and 3.0), held as the file's bytes.
///
/// Kinds: 'f' float32 or float64, 'i' and 'u' integers of 1, 2, 4 or 8 bytes, 'U' and 'S' text.
/// Everything else (objects, bool, complex, float16, long double, records, dates) is refused by
/// parse_npy, so no content is ever executed or guessed.
struct NpyArray {
  std::string bytes;
  std::size_t data_offset = 0;
  char kind = 'f';
  std::size_t item_size = 8;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::size_t> shape;

  bool is_text() const { return kind == 'U' || kind == 'S'; }
  std::size_t size() const;
  /// `float64`, `int8`, `text`.
  std::string type_name() const;
  /// The item at a multi-index, as its raw bytes in little-endian order. Precondition: in range.
  std::string_view item(const std::vector<std::size_t>& index) const;

  /// The exact number at a multi-index; `file` and `tensor` name it if it is NaN or infinite.
  /// Precondition: not is_text(), index in range.
  Rational number(const std::vector<std::size_t>& index, const std::string& file,
                  const std::string& tensor) const;
  /// The text of an array with one item, without trailing zeros. Throws InputError otherwise.
  std::string word(const std::string& file, const std::string& tensor) const;
};

inline constexpr std::size_t max_npy_header = 65'536;

/// Parses a whole npy file. Throws InputError: not an npy file, header not understood or longer
/// than max_npy_header, type not supported, shape that overflows, data shorter or longer than the
/// shape says. Cost: linear in the header; the data are kept, not copied.
NpyArray parse_npy(std::string bytes, const std::string& file, const std::string& tensor);

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

}  // namespace heed::detail
