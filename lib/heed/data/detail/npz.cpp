// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npz.hpp"

#include <zip.h>

#include <algorithm>
#include <map>

#include "heed/data/detail/message.hpp"

namespace heed::detail {
namespace {

constexpr zip_int64_t max_members = 100'000;

class Error {
 public:
  Error() { zip_error_init(&error_); }
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string text() { return printable(zip_error_strerror(&error_), 120); }

 private:
  zip_error_t error_;
};

}  // namespace

struct NpzArchive::Zip {
  Zip() = default;
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;
  ~Zip() {
    if (archive) zip_discard(archive);
  }
  zip_t* archive = nullptr;
  std::map<std::string, zip_uint64_t, std::less<>> index;
};

NpzArchive::NpzArchive(std::string_view bytes, const std::string& file, std::size_t max_bytes)
    : file_(file), remaining_(max_bytes), zip_(std::make_unique<Zip>()) {
  Error error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source) {
    zip_->archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get());
    if (!zip_->archive) zip_source_free(source);
  }
  if (!zip_->archive && zip_error_code_zip(error.get()) == ZIP_ER_EXISTS) {
    fail(file_, "", "the archive holds a name twice");
  }
  if (!zip_->archive) fail(file_, "", "not a complete npz (zip) archive: " + error.text());

  const zip_int64_t count = zip_get_num_entries(zip_->archive, 0);
  if (count > max_members) fail(file_, "", "the archive has " + std::to_string(count) + " members");
  for (zip_uint64_t k = 0; k < static_cast<zip_uint64_t>(std::max<zip_int64_t>(count, 0)); ++k) {
    const char* raw = zip_get_name(zip_->archive, k, ZIP_FL_ENC_RAW);
    const std::string member = raw ? raw : "";
    if (member.size() > 4 && member.substr(member.size() - 4) == ".npy") {
      names_.push_back(member.substr(0, member.size() - 4));
      zip_->index.emplace(names_.back(), k);
    } else {
      other_members_.push_back(member);
    }
  }
}

NpzArchive::~NpzArchive() = default;

bool NpzArchive::has(std::string_view name) const {
  return zip_->index.find(name) != zip_->index.end();
}

std::string NpzArchive::unpack(const std::string& name) {
  const auto found = zip_->index.find(name);
  if (found == zip_->index.end()) fail(file_, name, "no such array in the archive");
  const std::string member = printable(name + ".npy", 40);
  zip_stat_t info;
  zip_stat_init(&info);
  if (zip_stat_index(zip_->archive, found->second, 0, &info) != 0 ||
      !(info.valid & ZIP_STAT_SIZE)) {
    fail(file_, member, "damaged archive member");
  }
  if ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) && info.encryption_method != ZIP_EM_NONE) {
    fail(file_, member, "encrypted archive members are not supported");
  }
  if (info.size > remaining_) {
    fail(file_, member,
         "unpacks to " + std::to_string(info.size) + " bytes; only " + std::to_string(remaining_) +
             " are left of the limit");
  }
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> stream(
      zip_fopen_index(zip_->archive, found->second, 0), &zip_fclose);
  if (!stream) {
    fail(file_, member, std::string("cannot unpack: ") + zip_strerror(zip_->archive));
  }
  std::string bytes;
  // The declared size is a claim of the file: grow with what really comes out.
  constexpr std::size_t step = std::size_t{1} << 20;
  while (true) {
    const std::size_t used = bytes.size();
    bytes.resize(used + std::min<std::size_t>(step, info.size - used + 1));
    const zip_int64_t got = zip_fread(stream.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0) {
      fail(file_, member, std::string("cannot unpack: ") + zip_file_strerror(stream.get()));
    }
    bytes.resize(used + static_cast<std::size_t>(got));
    if (bytes.size() > info.size)
      fail(file_, member, "unpacks to more bytes than the archive says");
    if (got == 0) break;
  }
  if (bytes.size() != info.size) {
    fail(file_, member,
         "truncated: expected " + std::to_string(info.size) + " bytes, found " +
             std::to_string(bytes.size()));
  }
  remaining_ -= bytes.size();
  return bytes;
}

NpyArray NpzArchive::array(const std::string& name) {
  return parse_npy(unpack(name), file_, printable(name, 40));
}

std::optional<std::string> NpzArchive::word(const std::string& name) {
  if (!has(name)) return std::nullopt;
  return array(name).word(file_, name);
}

}  // namespace heed::detail
