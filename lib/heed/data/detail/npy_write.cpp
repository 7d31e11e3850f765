// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npy_write.hpp"

#include <zip.h>

#include <bit>
#include <stdexcept>

#include "heed/data/detail/message.hpp"

namespace heed::detail {
namespace {

void append_little_endian(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) out += static_cast<char>(value >> (8 * k) & 0xFF);
}

std::string npy_with_header(const std::string& descr, const std::vector<std::size_t>& shape) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t prefix = 10, alignment = 64;
  while ((prefix + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  append_little_endian(out, header.size(), 2);
  return out + header;
}

/// Decodes one code point and moves `at` behind it.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  constexpr std::uint32_t replacement = 0xFFFD;
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4) return replacement;
  std::uint32_t code = lead & (0x3Fu >> more);
  for (std::size_t k = 0; k < more; ++k) {
    if (at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) {
      return replacement;
    }
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  }
  constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < smallest[more] || code > 0x10FFFF || surrogate ? replacement : code;
}

void require(bool ok, const char* step) {
  if (!ok) throw std::runtime_error(std::string("cannot make a zip archive: ") + step);
}

/// Owns the archive until it is closed, and the buffer it is written to.
struct ZipWriter {
  ZipWriter() {
    zip_error_t error;
    zip_error_init(&error);
    buffer = zip_source_buffer_create(nullptr, 0, 0, &error);
    if (buffer) archive = zip_open_from_source(buffer, ZIP_CREATE | ZIP_TRUNCATE, &error);
    zip_error_fini(&error);
    if (archive) zip_source_keep(buffer);
  }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter() {
    if (archive) zip_discard(archive);
    if (buffer) zip_source_free(buffer);
  }
  zip_source_t* buffer = nullptr;
  zip_t* archive = nullptr;
};

}  // namespace

std::string npy_bytes(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  std::string out = npy_with_header("<f8", shape);
  for (const double x : values) append_little_endian(out, std::bit_cast<std::uint64_t>(x), 8);
  return out;
}

std::string npy_bytes(const std::vector<std::size_t>& shape,
                      const std::vector<std::int64_t>& values) {
  std::string out = npy_with_header("<i8", shape);
  for (const std::int64_t x : values) append_little_endian(out, static_cast<std::uint64_t>(x), 8);
  return out;
}

std::string npy_bytes(std::string_view text) {
  std::string data;
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size(); ++length) {
    append_little_endian(data, next_code_point(text, at), 4);
  }
  return npy_with_header("<U" + std::to_string(length), {}) + data;
}

std::string npz_bytes(const std::vector<std::pair<std::string, std::string>>& members) {
  constexpr zip_uint16_t midnight = 0, first_of_january_1980 = 1 << 5 | 1;
  ZipWriter zip;
  require(zip.archive, "open");
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(zip.archive, bytes.data(), bytes.size(), 0);
    require(source, "member");
    const zip_int64_t added = zip_file_add(zip.archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) zip_source_free(source);
    require(added >= 0, "add");
    const auto index = static_cast<zip_uint64_t>(added);
    require(zip_set_file_compression(zip.archive, index, ZIP_CM_STORE, 0) == 0, "compression");
    require(zip_file_set_dostime(zip.archive, index, midnight, first_of_january_1980, 0) == 0,
            "date");
  }
  require(zip_close(zip.archive) == 0, "write");
  zip.archive = nullptr;

  require(zip_source_open(zip.buffer) == 0, "reopen");
  zip_source_seek(zip.buffer, 0, SEEK_END);
  const zip_int64_t size = zip_source_tell(zip.buffer);
  require(size >= 0 && zip_source_seek(zip.buffer, 0, SEEK_SET) == 0, "size");
  std::string out(static_cast<std::size_t>(size), '\0');
  require(zip_source_read(zip.buffer, out.data(), out.size()) == size, "read back");
  zip_source_close(zip.buffer);
  return out;
}

}  // namespace heed::detail
