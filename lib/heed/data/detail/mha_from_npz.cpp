// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/mha_from_npz.hpp"

#include <algorithm>

#include "heed/data/detail/json_tensors.hpp"
#include "heed/data/detail/models.hpp"
#include "heed/data/detail/npz.hpp"

namespace heed::detail {
namespace {

using Shape = std::vector<std::size_t>;

/// The k of a name `X_k` written without leading zeros.
std::optional<std::size_t> ragged_index(const std::string& name) {
  if (name.size() < 3 || name.size() > 11 || name.compare(0, 2, "X_") != 0) return std::nullopt;
  std::size_t k = 0;
  for (const char digit : name.substr(2)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    k = 10 * k + static_cast<std::size_t>(digit - '0');
  }
  return "X_" + std::to_string(k) == name ? std::optional(k) : std::nullopt;
}

/// Reads the arrays of one archive.
class ArrayReader {
 public:
  ArrayReader(NpzArchive& archive, const std::string& file) : archive_(archive), file_(file) {}

  void read(MhaInstance& instance) {
    instance.X = read_X();
    instance.y = read_y(instance.samples());
    const bool has_U = archive_.has("U"), has_W = archive_.has("W");
    require_both_weights(has_U, has_W, file_);
    if (has_U) instance.weights = read_weights(instance.max_tokens(), instance.dim());
  }

 private:
  NpyArray numeric(const std::string& name) {
    NpyArray array = archive_.array(name);
    if (array.is_text()) fail(file_, name, "expected numbers, found text");
    return array;
  }

  void require_shape(const std::string& name, const Shape& found, const Shape& expected,
                     const std::string& why) const {
    if (found != expected) {
      fail(file_, name,
           "expected shape " + shape_text(expected) + ", found " + shape_text(found) + "; " + why);
    }
  }

  void require_axes(const std::string& name, const Shape& found, std::size_t axes,
                    const std::string& meaning) const {
    if (found.size() != axes) {
      fail(file_, name,
           "expected " + std::to_string(axes) + " axes (" + meaning + "), found shape " +
               shape_text(found));
    }
    if (std::find(found.begin(), found.end(), std::size_t{0}) != found.end()) {
      fail(file_, name,
           "expected at least one entry along each axis (" + meaning + "), found shape " +
               shape_text(found));
    }
  }

  /// The matrix made of the last two axes, at `first` along the leading axis if there are three.
  Matrix<Rational> matrix(const NpyArray& array, const std::string& name, std::size_t first) const {
    const std::size_t axes = array.shape.size();
    Matrix<Rational> result(array.shape[axes - 2], array.shape[axes - 1]);
    Shape index(axes, first);
    for (std::size_t i = 0; i < result.rows(); ++i) {
      for (std::size_t j = 0; j < result.cols(); ++j) {
        index[axes - 2] = i;
        index[axes - 1] = j;
        result(i, j) = array.number(index, file_, name);
      }
    }
    return result;
  }

  std::vector<Matrix<Rational>> stack(const NpyArray& array, const std::string& name) const {
    std::vector<Matrix<Rational>> result;
    for (std::size_t k = 0; k < array.shape[0]; ++k) result.push_back(matrix(array, name, k));
    return result;
  }

  std::vector<Matrix<Rational>> read_X() {
    std::size_t samples = 0, last = 0;
    for (const std::string& name : archive_.names()) {
      if (const auto k = ragged_index(name)) {
        ++samples;
        last = std::max(last, *k);
      }
    }
    if (archive_.has("X")) {
      if (samples > 0) fail(file_, "X", "the archive has both X and X_" + std::to_string(last));
      const NpyArray X = numeric("X");
      require_axes("X", X.shape, 3, "n x T x d");
      return stack(X, "X");
    }
    if (samples == 0) {
      fail(file_, "X", "missing; expected an array X (n x T x d), or X_0, X_1, ... (T_i x d)");
    }
    std::vector<Matrix<Rational>> result;
    for (std::size_t i = 0; i < samples; ++i) {
      const std::string name = "X_" + std::to_string(i);
      if (!archive_.has(name)) {
        fail(file_, name,
             "missing, while X_" + std::to_string(last) +
                 " is present; the samples are numbered from 0 without gaps");
      }
      const NpyArray X = numeric(name);
      require_axes(name, X.shape, 2, "T_i x d");
      if (i > 0) {
        require_shape(name, X.shape, {X.shape[0], result[0].cols()},
                      "every token of X must have d entries");
      }
      result.push_back(matrix(X, name, 0));
    }
    return result;
  }

  std::vector<int> read_y(std::size_t samples) {
    if (!archive_.has("y")) fail(file_, "y", "missing; expected the n labels +1 or -1");
    const NpyArray array = numeric("y");
    require_shape("y", array.shape, {samples}, "one label for each sample of X");
    std::vector<int> y;
    for (std::size_t i = 0; i < samples; ++i) {
      y.push_back(checked_label(array.number({i}, file_, "y"), file_, Where{"y"}.at(i)));
    }
    return y;
  }

  MhaWeights read_weights(std::size_t tokens, std::size_t dim) {
    const NpyArray U = numeric("U"), W = numeric("W");
    require_axes("U", U.shape, 3, "H x T x d");
    require_axes("W", W.shape, 3, "H x d x d");
    require_shape("U", U.shape, {U.shape[0], tokens, dim},
                  "U is H x T x d with T the largest number of tokens in X and d the token size");
    require_shape("W", W.shape, {U.shape[0], dim, dim},
                  "W is H x d x d with the H of U and the d of X");
    return {stack(U, "U"), stack(W, "W")};
  }

  NpzArchive& archive_;
  const std::string& file_;
};

void note_unknown_members(const NpzArchive& archive, MhaInstance& instance) {
  static constexpr std::string_view known[] = {"format", "model", "name", "note", "loss",
                                               "X",      "y",     "U",    "W"};
  for (const std::string& name : archive.names()) {
    const bool expected = std::find(std::begin(known), std::end(known), name) != std::end(known);
    if (!expected && !ragged_index(name)) {
      instance.notes.push_back("ignored array " + in_quotes(name));
    }
  }
  for (const std::string& member : archive.other_members()) {
    instance.notes.push_back("ignored archive member " + in_quotes(member) + " (not .npy)");
  }
}

}  // namespace

DetectedModel npz_model(std::string_view bytes, const std::string& file,
                        const ReadOptions& options) {
  NpzArchive archive(bytes, file, options.max_bytes);
  return detect_model({archive.word("format"), archive.word("model"), archive.names()}, file);
}

MhaInstance mha_from_npz(std::string_view bytes, const std::string& file,
                         const ReadOptions& options) {
  NpzArchive archive(bytes, file, options.max_bytes);
  MhaInstance instance;
  instance.name = archive.word("name").value_or("");
  instance.origin = archive.word("note").value_or("");
  instance.loss = choose_loss(archive.word("loss"), options, file);
  ArrayReader(archive, file).read(instance);
  note_unknown_members(archive, instance);
  return instance;
}

}  // namespace heed::detail
