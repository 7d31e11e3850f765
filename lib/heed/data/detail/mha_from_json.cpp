// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/mha_from_json.hpp"

#include <algorithm>

#include "heed/data/detail/json_tensors.hpp"
#include "heed/data/detail/models.hpp"

namespace heed::detail {
namespace {

/// Reads the instance fields of one object.
class FieldReader {
 public:
  FieldReader(const JsonValue& fields, const std::string& prefix, const std::string& file,
              std::size_t max_bytes)
      : fields_(fields),
        tensors_(file, max_bytes),
        X_(prefix + "X"),
        y_(prefix + "y"),
        U_(prefix + "U"),
        W_(prefix + "W") {}

  void read(MhaInstance& instance) {
    instance.X = tensors_.tokens(required("X", "the n x T x d tokens of the instance"), Where{X_});
    instance.y =
        tensors_.labels(required("y", "the n labels +1 or -1"), instance.samples(), Where{y_});
    const JsonValue* U = fields_.find("U");
    const JsonValue* W = fields_.find("W");
    require_both_weights(U, W, tensors_.file());
    if (U) instance.weights = read_weights(*U, *W, instance.max_tokens(), instance.dim());
  }

 private:
  const JsonValue& required(const char* key, const char* what) const {
    const JsonValue* value = fields_.find(key);
    if (!value) fail(tensors_.file(), key, std::string("missing; expected ") + what);
    return *value;
  }

  MhaWeights read_weights(const JsonValue& U, const JsonValue& W, std::size_t tokens,
                          std::size_t dim) {
    const auto& U_heads = tensors_.list(U, Where{U_}, "H heads (each T x d)");
    if (U_heads.empty())
      fail(tensors_.file(), Where{U_}, "expected at least one head, found an empty list");
    const auto& W_heads = tensors_.list_of(W, U_heads.size(), Where{W_}, "head", "H",
                                           "U and W must have the same number of heads");
    MhaWeights weights;
    for (std::size_t h = 0; h < U_heads.size(); ++h) {
      const Where at_U = Where{U_}.at(h), at_W = Where{W_}.at(h);
      weights.U.push_back(tensors_.matrix(
          tensors_.list_of(U_heads[h], tokens, at_U, "row", "T",
                           "U has one row for each token of the longest sample of X"),
          dim, at_U, "every row of U must have d entries"));
      weights.W.push_back(tensors_.matrix(
          tensors_.list_of(W_heads[h], dim, at_W, "row", "d", "every matrix of W is d x d"), dim,
          at_W, "every row of W must have d entries"));
    }
    return weights;
  }

  const JsonValue& fields_;
  TensorReader tensors_;
  const std::string X_, y_, U_, W_;
};

void note_unknown_keys(const JsonValue& fields, MhaInstance& instance) {
  static constexpr std::string_view known[] = {"format", "model", "name", "note", "loss",
                                               "X",      "y",     "U",    "W",    "dps"};
  for (const JsonMember& member : *fields.object()) {
    if (std::find(std::begin(known), std::end(known), member.key) == std::end(known)) {
      instance.notes.push_back("ignored key " + in_quotes(member.key));
    }
  }
}

}  // namespace

DetectedModel json_model(const JsonValue& root, const std::string& file) {
  if (!root.object()) {
    fail(file, "", "expected an object {\"X\": ..., \"y\": ...}, found " + root.describe());
  }
  const JsonValue* spec = root.find("spec");
  const JsonValue& fields = spec ? *spec : root;
  if (!fields.object()) fail(file, "spec", "expected an object, found " + fields.describe());
  FileHeader header{word(root, "format", file), word(fields, "model", file), {}};
  if (!header.model) header.model = word(root, "model", file);
  for (const JsonMember& member : *fields.object()) header.keys.push_back(member.key);
  return detect_model(header, file);
}

MhaInstance mha_from_json(const JsonValue& root, const std::string& file,
                          const ReadOptions& options) {
  const JsonValue* spec = root.find("spec");
  const JsonValue& fields = spec ? *spec : root;
  MhaInstance instance;
  instance.name = word(fields, "name", file).value_or("");
  instance.origin = word(fields, "note", file).value_or("");
  instance.loss = choose_loss(word(fields, "loss", file), options, file);
  FieldReader(fields, spec ? "spec." : "", file, options.max_bytes).read(instance);
  note_unknown_keys(fields, instance);
  return instance;
}

}  // namespace heed::detail
