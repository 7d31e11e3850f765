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

enum class Model { mha, attsvm, kernel, rows };

/// The word of an instance file.
std::string_view model_word(Model model);

struct DetectedModel {
  Model model;
  std::string reason;  ///< what in the file says so
};

/// The model of an instance: by `format`, then `model`, then its keys. Throws InputError for an
/// unknown format or model.
DetectedModel detect_model(const FileHeader& header, const std::string& file);

/// Throws InputError: the file is an instance of another model than the `expected` ones (in words).
[[noreturn]] void refuse_model(const DetectedModel& found, const std::string& file,
                               std::string_view expected);

/// The loss of the file, or of the command line if the file has none, or logistic.
/// Throws InputError for an unknown word and if the two differ.
Loss choose_loss(const std::optional<std::string>& word, const ReadOptions& options,
                 const std::string& file);

/// Throws InputError unless U and W are both there or both missing.
void require_both_weights(bool has_U, bool has_W, const std::string& file);

}  // namespace heed::detail
