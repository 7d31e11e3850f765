// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/detail/message.hpp"
#include "heed/data/instance.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// What a file says about itself before its tensors are read.
struct FileHeader {
  std::optional<std::string> format;
  std::optional<std::string> model;
  /// Names of all fields (JSON keys, or arrays of an archive).
  std::vector<std::string> keys;

  bool has(std::string_view key) const;
};

/// Passes if the file is an instance of model `mha`: by `format`, then `model`, then its keys.
/// Throws InputError that names the model otherwise.
void require_mha(const FileHeader& header, const std::string& file);

/// The loss of the file, or of the command line if the file has none, or logistic.
/// Throws InputError for an unknown word and if the two differ.
Loss choose_loss(const std::optional<std::string>& word, const ReadOptions& options,
                 const std::string& file);

/// +1 or -1 as an int; throws InputError with advice for any other value.
int checked_label(const Rational& value, const std::string& file, const Where& where);

/// Throws InputError unless U and W are both there or both missing.
void require_both_weights(bool has_U, bool has_W, const std::string& file);

}  // namespace heed::detail
