// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/detail/npy.hpp"

namespace heed::detail {

/// The arrays of an npz archive (a zip file of npy files), unpacked one by one on demand.
class NpzArchive {
 public:
  /// Opens an archive held in memory; `bytes` must outlive the object.
  /// Throws InputError if it is not a consistent zip file or holds a name twice.
  NpzArchive(std::string_view bytes, const std::string& file, std::size_t max_bytes);
  ~NpzArchive();
  NpzArchive(const NpzArchive&) = delete;
  NpzArchive& operator=(const NpzArchive&) = delete;

  /// Names without `.npy`, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  /// Members that are not npy files.
  const std::vector<std::string>& other_members() const { return other_members_; }
  bool has(std::string_view name) const;

  /// Unpacks and parses one array. Throws InputError if it is missing, encrypted, damaged, or if
  /// the arrays unpacked so far would exceed `max_bytes`.
  NpyArray array(const std::string& name);
  /// The text of a 0-d array, or nothing if there is no such array.
  std::optional<std::string> word(const std::string& name);

 private:
  struct Zip;
  std::string unpack(const std::string& name);

  const std::string& file_;
  std::size_t remaining_;
  std::unique_ptr<Zip> zip_;
  std::vector<std::string> names_;
  std::vector<std::string> other_members_;
};

inline constexpr std::string_view zip_magic = "PK";

}  // namespace heed::detail
