// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/models.hpp"

#include <algorithm>
#include <initializer_list>

namespace heed::detail {
namespace {

constexpr std::string_view model_words[] = {"mha", "attsvm", "kernel", "rows"};

struct ModelKeys {
  Model model;
  std::initializer_list<std::string_view> keys;
};

// In the order in which they are tried: a kernel instance has a `Y`, an attsvm instance never has.
const ModelKeys other_models[] = {
    {Model::kernel,
     {"W_Q", "WQ", "W_K", "WK", "W_V", "WV", "W_O", "WO", "readout", "beta", "Y", "kernel",
      "input"}},
    {Model::attsvm, {"alpha", "opt", "selected", "Z", "v", "K", "Q", "head", "loss_evals"}},
    {Model::rows, {"F"}},
};

}  // namespace

bool FileHeader::has(std::string_view key) const {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string_view model_word(Model model) { return model_words[static_cast<std::size_t>(model)]; }

DetectedModel detect_model(const FileHeader& header, const std::string& file) {
  if (header.format) {
    if (*header.format == "mha-fixture-1" || *header.format == "mha-trajectory-1")
      return {Model::mha, "key format"};
    if (*header.format != "heed-instance-1") {
      fail(file, "format",
           "expected \"heed-instance-1\" or \"mha-fixture-1\", found " + in_quotes(*header.format));
    }
  }
  if (header.model) {
    for (const Model model : {Model::mha, Model::attsvm, Model::kernel, Model::rows})
      if (*header.model == model_word(model)) return {model, "key model"};
    fail(file, "model", "expected mha, attsvm, kernel or rows, found " + in_quotes(*header.model));
  }
  if (header.has("X") && header.has("U") && header.has("W")) return {Model::mha, "its keys"};
  for (const ModelKeys& other : other_models) {
    for (const std::string_view key : other.keys) {
      if (header.has(key)) return {other.model, "it has the key " + std::string(key)};
    }
  }
  return {Model::mha, "its keys"};
}

void refuse_model(const DetectedModel& found, const std::string& file, std::string_view expected) {
  fail(file, "",
       "an instance of model " + std::string(model_word(found.model)) + " (" + found.reason +
           "); expected " + std::string(expected));
}

Loss choose_loss(const std::optional<std::string>& word, const ReadOptions& options,
                 const std::string& file) {
  if (!word) return options.loss.value_or(Loss::logistic);
  const std::optional<Loss> loss = parse_loss(*word);
  if (!loss) fail(file, "loss", "expected logistic or exponential, found " + in_quotes(*word));
  if (options.loss && *options.loss != *loss) {
    fail(file, "loss",
         "the file says " + *word + " and the command line says " +
             std::string(loss_word(*options.loss)) + "; drop the option or change the file");
  }
  return *loss;
}

void require_both_weights(bool has_U, bool has_W, const std::string& file) {
  if (has_U == has_W) return;
  const std::string present = has_U ? "U" : "W", missing = has_U ? "W" : "U";
  fail(file, missing,
       "missing, while " + present +
           " is present; an instance has both U (H x T x d) and W (H x d x d), or neither");
}

}  // namespace heed::detail
