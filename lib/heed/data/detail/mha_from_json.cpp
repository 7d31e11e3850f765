// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/mha_from_json.hpp"

#include <algorithm>
#include <stdexcept>

#include "heed/data/detail/models.hpp"

namespace heed::detail {
namespace {

const JsonValue::Array& list(const JsonValue& value, const std::string& file, const Where& where,
                             const std::string& expected) {
  if (!value.array()) {
    fail(file, where, "expected a list of " + expected + ", found " + value.describe());
  }
  return *value.array();
}

/// A list with a given number of elements; `why` says in words where that number comes from.
const JsonValue::Array& list_of(const JsonValue& value, std::size_t count, const std::string& file,
                                const Where& where, const std::string& noun,
                                const std::string& symbol, const std::string& why) {
  const auto& elements = list(value, file, where, count_text(count, noun));
  if (elements.size() != count) {
    fail(file, where,
         "expected " + count_text(count, noun) +
             (symbol.empty() ? "" : " (" + symbol + " = " + std::to_string(count) + ")") +
             ", found " + std::to_string(elements.size()) + "; " + why);
  }
  return elements;
}

/// Reads the instance fields of one object.
class FieldReader {
 public:
  FieldReader(const JsonValue& fields, const std::string& prefix, const std::string& file,
              std::size_t max_bytes)
      : fields_(fields),
        file_(file),
        bytes_left_(max_bytes),
        X_(prefix + "X"),
        y_(prefix + "y"),
        U_(prefix + "U"),
        W_(prefix + "W") {}

  void read(MhaInstance& instance) {
    instance.X = read_X();
    dim_ = instance.dim();
    tokens_ = instance.max_tokens();
    instance.y = read_y(instance.samples());
    const JsonValue* U = fields_.find("U");
    const JsonValue* W = fields_.find("W");
    require_both_weights(U, W, file_);
    if (U) instance.weights = read_weights(*U, *W);
  }

 private:
  const JsonValue& required(const char* key, const char* what) const {
    const JsonValue* value = fields_.find(key);
    if (!value) fail(file_, key, std::string("missing; expected ") + what);
    return *value;
  }

  std::vector<Matrix<Rational>> read_X() {
    const Where where{X_};
    const JsonValue& value = required("X", "the n x T x d tokens of the instance");
    const auto& samples = list(value, file_, where, "n samples (each a list of tokens)");
    if (samples.empty()) fail(file_, where, "expected at least one sample, found an empty list");
    std::vector<Matrix<Rational>> X;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& tokens =
          list(samples[i], file_, where.at(i), "tokens (each a list of d numbers)");
      if (tokens.empty()) {
        fail(file_, where.at(i), "expected at least one token, found an empty list");
      }
      if (i == 0) {
        const Where first = where.at(0).at(0);
        dim_ = list(tokens[0], file_, first, "d numbers").size();
        if (dim_ == 0) fail(file_, first, "expected at least one number, found an empty list");
      }
      X.push_back(rows(tokens, where.at(i), "every token of X must have d entries"));
    }
    return X;
  }

  std::vector<int> read_y(std::size_t samples) {
    const Where where{y_};
    const auto& labels = list_of(required("y", "the n labels +1 or -1"), samples, file_, where,
                                 "label", "", "one for each sample of X");
    std::vector<int> y;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      y.push_back(
          checked_label(number_from_json(labels[i], file_, where.at(i)), file_, where.at(i)));
    }
    return y;
  }

  MhaWeights read_weights(const JsonValue& U, const JsonValue& W) {
    const auto& U_heads = list(U, file_, Where{U_}, "H heads (each T x d)");
    if (U_heads.empty()) fail(file_, Where{U_}, "expected at least one head, found an empty list");
    const auto& W_heads = list_of(W, U_heads.size(), file_, Where{W_}, "head", "H",
                                  "U and W must have the same number of heads");
    MhaWeights weights;
    for (std::size_t h = 0; h < U_heads.size(); ++h) {
      const Where at_U = Where{U_}.at(h), at_W = Where{W_}.at(h);
      weights.U.push_back(rows(list_of(U_heads[h], tokens_, file_, at_U, "row", "T",
                                       "U has one row for each token of the longest sample of X"),
                               at_U, "every row of U must have d entries"));
      weights.W.push_back(
          rows(list_of(W_heads[h], dim_, file_, at_W, "row", "d", "every matrix of W is d x d"),
               at_W, "every row of W must have d entries"));
    }
    return weights;
  }

  /// A few characters such as 1e20000 make a long number: bound the sum of the lengths.
  void count_memory(const Rational& value) {
    const auto& q = value.raw();
    const std::size_t bytes =
        sizeof(mp_limb_t) * (mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q)));
    if (bytes <= 64) return;
    if (bytes > bytes_left_) fail(file_, "", "the exact numbers need more memory than the limit");
    bytes_left_ -= bytes;
  }

  Matrix<Rational> rows(const JsonValue::Array& lists, const Where& where, const std::string& why) {
    for (std::size_t t = 0; t < lists.size(); ++t) {
      list_of(lists[t], dim_, file_, where.at(t), "number", "d", why);
    }
    Matrix<Rational> matrix(lists.size(), dim_);
    for (std::size_t t = 0; t < lists.size(); ++t) {
      const auto& numbers = *lists[t].array();
      for (std::size_t k = 0; k < dim_; ++k) {
        matrix(t, k) = number_from_json(numbers[k], file_, where.at(t).at(k));
        count_memory(matrix(t, k));
      }
    }
    return matrix;
  }

  const JsonValue& fields_;
  const std::string& file_;
  std::size_t bytes_left_;
  const std::string X_, y_, U_, W_;
  std::size_t dim_ = 0;
  std::size_t tokens_ = 0;
};

std::optional<std::string> word(const JsonValue& object, const char* key, const std::string& file) {
  const JsonValue* value = object.find(key);
  if (!value) return std::nullopt;
  if (!value->text()) fail(file, key, "expected a text, found " + value->describe());
  return *value->text();
}

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

Rational number_from_json(const JsonValue& value, const std::string& file, const Where& where) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return {*number};
  if (const auto* number = std::get_if<double>(&value.data)) return Rational(*number);
  std::string text;
  if (value.text()) {
    text = *value.text();
  } else if (const auto* large = std::get_if<std::uint64_t>(&value.data)) {
    text = std::to_string(*large);
  } else if (const auto* long_integer = std::get_if<JsonValue::LongInteger>(&value.data)) {
    text = long_integer->digits;
  } else {
    fail(file, where, "expected a number, found " + value.describe());
  }
  try {
    return Rational::parse(text);
  } catch (const std::invalid_argument& error) {
    fail(file, where, printable(error.what(), 240));
  }
}

MhaInstance mha_from_json(const JsonValue& root, const std::string& file,
                          const ReadOptions& options) {
  if (!root.object()) {
    fail(file, "", "expected an object {\"X\": ..., \"y\": ...}, found " + root.describe());
  }
  const JsonValue* spec = root.find("spec");
  const JsonValue& fields = spec ? *spec : root;
  if (!fields.object()) fail(file, "spec", "expected an object, found " + fields.describe());

  FileHeader header{word(root, "format", file), word(fields, "model", file), {}};
  if (!header.model) header.model = word(root, "model", file);
  for (const JsonMember& member : *fields.object()) header.keys.push_back(member.key);
  require_mha(header, file);

  MhaInstance instance;
  instance.name = word(fields, "name", file).value_or("");
  instance.origin = word(fields, "note", file).value_or("");
  instance.loss = choose_loss(word(fields, "loss", file), options, file);
  FieldReader(fields, spec ? "spec." : "", file, options.max_bytes).read(instance);
  note_unknown_keys(fields, instance);
  return instance;
}

}  // namespace heed::detail
