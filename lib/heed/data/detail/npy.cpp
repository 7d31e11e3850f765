// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "heed/data/detail/message.hpp"
#include "heed/data/detail/npy_header.hpp"

namespace heed::detail {
namespace {

std::uint64_t unsigned_item(std::string_view item, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < item.size(); ++k) {
    const char byte = big_endian ? item[k] : item[item.size() - 1 - k];
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return value;
}

Rational unsigned_rational(std::uint64_t value) {
  constexpr auto half = std::uint64_t{1} << 32;
  return Rational(static_cast<long>(value / half)) * Rational::power_of_two(32) +
         Rational(static_cast<long>(value % half));
}

std::int64_t sign_extended(std::uint64_t value, std::size_t item_size) {
  const auto shift = static_cast<int>(64 - 8 * item_size);
  return static_cast<std::int64_t>(value << shift) >> shift;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool is_scalar_value(std::uint32_t code) {
  return code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
}

/// Header length, and the size of the fields before the header.
struct Prefix {
  std::size_t header_offset;
  std::size_t header_size;
};

Prefix read_prefix(std::string_view bytes, const std::string& file, const std::string& tensor) {
  if (bytes.substr(0, npy_magic.size()) != npy_magic) {
    fail(file, tensor, "expected an npy array, found other bytes");
  }
  const bool complete = bytes.size() >= 10;
  const int major = bytes.size() > 6 ? bytes[6] : 0;
  if (complete && (major < 1 || major > 3 || bytes[7] != 0)) {
    fail(file, tensor,
         "expected npy format version 1.0, 2.0 or 3.0, found version " +
             std::to_string(static_cast<unsigned char>(bytes[6])) + "." +
             std::to_string(static_cast<unsigned char>(bytes[7])));
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  const std::size_t offset = 8 + length_size;
  if (bytes.size() < offset) fail(file, tensor, "truncated inside the npy header");
  const auto size = static_cast<std::size_t>(unsigned_item(bytes.substr(8, length_size), false));
  if (size > max_npy_header) {
    fail(file, tensor,
         "npy header of " + std::to_string(size) + " bytes; at most " +
             std::to_string(max_npy_header) + " are accepted");
  }
  if (bytes.size() - offset < size) {
    fail(file, tensor,
         "truncated inside the npy header: expected " + std::to_string(size) + " bytes, found " +
             std::to_string(bytes.size() - offset));
  }
  return {offset, size};
}

void read_type(NpyArray& array, const std::string& descr, const std::string& file,
               const std::string& tensor) {
  const auto unsupported = [&](const std::string& what) {
    fail(file, tensor,
         "data type " + in_quotes(descr) + what +
             " is not supported; expected float64, float32 or integers"
             " (numpy: a.astype('f8'))");
  };
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) {
    unsupported("");
  }
  if (descr.find('O') != std::string::npos) unsupported(" (Python objects)");
  array.big_endian =
      descr[0] == '>' || (descr[0] == '=' && std::endian::native == std::endian::big);
  array.kind = descr[1];
  std::size_t count = 0;
  for (const char digit : descr.substr(2)) {
    if (digit < '0' || digit > '9' || count > 1'000'000) unsupported("");
    count = 10 * count + static_cast<std::size_t>(digit - '0');
  }
  const bool power = count == 1 || count == 2 || count == 4 || count == 8;
  if (array.kind == 'f' && count == 2) unsupported(" (float16)");
  if (array.kind == 'f' && count > 8) unsupported(" (long double)");
  if (array.kind == 'b') unsupported(" (bool)");
  if (array.kind == 'c') unsupported(" (complex)");
  const bool known = (array.kind == 'f' && (count == 4 || count == 8)) ||
                     ((array.kind == 'i' || array.kind == 'u') && power) || array.is_text();
  if (!known) unsupported("");
  array.item_size = array.kind == 'U' ? 4 * count : count;
}

/// Product of the shape and the item size, or a failure if it does not fit.
std::size_t checked_bytes(const NpyArray& array, const std::string& file,
                          const std::string& tensor) {
  std::size_t total = array.item_size;
  for (const std::size_t length : array.shape) {
    if (length != 0 && total > std::numeric_limits<std::size_t>::max() / length) {
      fail(file, tensor, "shape " + shape_text(array.shape) + " overflows");
    }
    total *= length;
  }
  return total;
}

}  // namespace

std::size_t NpyArray::size() const {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  return count;
}

std::string NpyArray::type_name() const {
  if (is_text()) return "text";
  const std::string base = kind == 'f' ? "float" : kind == 'i' ? "int" : "uint";
  return base + std::to_string(8 * item_size);
}

std::string_view NpyArray::item(const std::vector<std::size_t>& index) const {
  std::size_t flat = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = fortran_order ? shape.size() - 1 - k : k;
    flat = flat * shape[axis] + index[axis];
  }
  return std::string_view(bytes).substr(data_offset + flat * item_size, item_size);
}

Rational NpyArray::number(const std::vector<std::size_t>& index, const std::string& file,
                          const std::string& tensor) const {
  const std::uint64_t raw = unsigned_item(item(index), big_endian);
  if (kind == 'u') return unsigned_rational(raw);
  if (kind == 'i') return {static_cast<long>(sign_extended(raw, item_size))};
  const double value = item_size == 8
                           ? std::bit_cast<double>(raw)
                           : double{std::bit_cast<float>(static_cast<std::uint32_t>(raw))};
  if (!std::isfinite(value)) {
    std::string where = tensor;
    for (const std::size_t i : index) where += "[" + std::to_string(i) + "]";
    fail(file, where,
         std::string("expected a finite number, found ") + (std::isnan(value) ? "NaN"
                                                            : value > 0       ? "infinity"
                                                                              : "-infinity"));
  }
  return Rational(value);
}

std::string NpyArray::word(const std::string& file, const std::string& tensor) const {
  if (!is_text() || size() != 1) {
    fail(file, tensor,
         "expected one text (numpy: np.array('...')), found " + type_name() + " of shape " +
             shape_text(shape));
  }
  const std::string_view raw = std::string_view(bytes).substr(data_offset, item_size);
  std::string text;
  if (kind == 'S') {
    text = raw;
  } else {
    for (std::size_t k = 0; k < raw.size(); k += 4) {
      const auto code = static_cast<std::uint32_t>(unsigned_item(raw.substr(k, 4), big_endian));
      if (!is_scalar_value(code)) fail(file, tensor, "the text holds an invalid character");
      append_utf8(text, code);
    }
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

NpyArray parse_npy(std::string bytes, const std::string& file, const std::string& tensor) {
  const Prefix prefix = read_prefix(bytes, file, tensor);
  const NpyHeader header = parse_npy_header(
      std::string_view(bytes).substr(prefix.header_offset, prefix.header_size), file, tensor);

  NpyArray array;
  array.fortran_order = header.fortran_order;
  array.shape = header.shape;
  read_type(array, header.descr, file, tensor);
  array.data_offset = prefix.header_offset + prefix.header_size;
  const std::size_t expected = checked_bytes(array, file, tensor);
  const std::size_t found = bytes.size() - array.data_offset;
  if (found != expected) {
    fail(file, tensor,
         std::string(found < expected ? "truncated" : "trailing bytes") + ": expected " +
             std::to_string(expected) + " bytes of data for shape " + shape_text(array.shape) +
             " of " + array.type_name() + ", found " + std::to_string(found));
  }
  array.bytes = std::move(bytes);
  return array;
}

}  // namespace heed::detail
