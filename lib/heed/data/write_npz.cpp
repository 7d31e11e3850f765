// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "heed/data/detail/message.hpp"
#include "heed/data/detail/npy_write.hpp"
#include "heed/data/write.hpp"

namespace heed {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

double exact_double(const Rational& value, const std::string& label, const detail::Where& where) {
  const double nearest = value.nearest_double();
  if (std::isfinite(nearest) && Rational(nearest) == value) return nearest;
  detail::fail(label, where,
               detail::printable(exact_text(value), 40) +
                   " is not exactly a double, which is what npz holds; write .json instead, which"
                   " keeps every number exact");
}

std::vector<double> doubles(const std::vector<Matrix<Rational>>& matrices, const std::string& label,
                            const std::string& name) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Matrix<Rational>& a = matrices[i];
    for (std::size_t t = 0; t < a.rows(); ++t) {
      for (std::size_t k = 0; k < a.cols(); ++k) {
        const auto where = detail::Where{name}.at(i).at(t).at(k);
        values.push_back(exact_double(a(t, k), label, where));
      }
    }
  }
  return values;
}

bool same_shapes(const std::vector<Matrix<Rational>>& matrices) {
  for (const auto& a : matrices) {
    if (a.rows() != matrices[0].rows()) return false;
  }
  return true;
}

/// The members of one archive, in order.
class Archive {
 public:
  explicit Archive(const std::string& label) : label_(label) {}

  void word(const std::string& key, std::string_view text) {
    if (!text.empty()) members_.emplace_back(key + ".npy", detail::npy_bytes(text));
  }
  void integers(const std::string& key, const std::vector<std::int64_t>& values) {
    members_.emplace_back(key + ".npy", detail::npy_bytes({values.size()}, values));
  }
  void number(const std::string& key, const Rational& value) {
    const std::vector<double> single{exact_double(value, label_, detail::Where{key})};
    members_.emplace_back(key + ".npy", detail::npy_bytes(std::vector<std::size_t>{}, single));
  }
  void vector(const std::string& key, const std::vector<Rational>& v) {
    std::vector<double> values;
    for (std::size_t k = 0; k < v.size(); ++k)
      values.push_back(exact_double(v[k], label_, detail::Where{key}.at(k)));
    members_.emplace_back(key + ".npy", detail::npy_bytes({v.size()}, values));
  }
  void matrix(const std::string& key, const Matrix<Rational>& a) {
    std::vector<double> values;
    for (std::size_t t = 0; t < a.rows(); ++t)
      for (std::size_t k = 0; k < a.cols(); ++k)
        values.push_back(exact_double(a(t, k), label_, detail::Where{key}.at(t).at(k)));
    members_.emplace_back(key + ".npy", detail::npy_bytes({a.rows(), a.cols()}, values));
  }
  void stack(const std::string& key, const std::vector<Matrix<Rational>>& matrices) {
    members_.emplace_back(
        key + ".npy", detail::npy_bytes({matrices.size(), matrices[0].rows(), matrices[0].cols()},
                                        doubles(matrices, label_, key)));
  }
  /// One array if all shapes agree, else KEY_0, KEY_1, ...
  void tokens(const std::string& key, const std::vector<Matrix<Rational>>& matrices) {
    if (same_shapes(matrices)) return stack(key, matrices);
    for (std::size_t i = 0; i < matrices.size(); ++i)
      matrix(key + "_" + std::to_string(i), matrices[i]);
  }
  void opening(std::string_view model, const std::string& name, const std::string& origin) {
    word("format", "heed-instance-1");
    word("model", model);
    word("name", name);
    word("note", origin);
  }
  std::string bytes() const { return detail::npz_bytes(members_); }

 private:
  const std::string& label_;
  Members members_;
};

void add_point(Archive& archive, const QueryPoint& point) {
  archive.word("loss", loss_word(point.loss));
  if (const auto* relu = std::get_if<ReluHead>(&point.head)) {
    archive.word("head", "relu");
    archive.matrix("head_V", relu->V);
    archive.vector("head_w", relu->w);
  } else if (const auto* quadratic = std::get_if<QuadraticHead>(&point.head)) {
    archive.word("head", "lambda");
    archive.number("head_lambda", quadratic->lambda);
  }
  if (point.weights.K) {
    archive.matrix("K", *point.weights.K);
    archive.matrix("Q", *point.weights.Q);
  } else {
    archive.matrix("W", point.weights.W);
  }
  if (point.direction) archive.matrix("D", *point.direction);
}

void add_selected(Archive& archive, const std::vector<std::vector<std::size_t>>& selected) {
  const auto as_integers = [](const std::vector<std::size_t>& v) {
    return std::vector<std::int64_t>(v.begin(), v.end());
  };
  std::vector<std::int64_t> single;
  for (const auto& of_input : selected)
    if (of_input.size() == 1) single.push_back(static_cast<std::int64_t>(of_input.front()));
  if (single.size() == selected.size()) return archive.integers("selected", single);
  for (std::size_t i = 0; i < selected.size(); ++i)
    archive.integers("selected_" + std::to_string(i), as_integers(selected[i]));
}

}  // namespace

std::string to_npz(const MhaInstance& instance, const std::string& label) {
  Archive archive(label);
  archive.opening("mha", instance.name, instance.origin);
  archive.word("loss", loss_word(instance.loss));
  archive.tokens("X", instance.X);
  archive.integers("y", {instance.y.begin(), instance.y.end()});
  if (instance.weights) {
    archive.stack("U", instance.weights->U);
    archive.stack("W", instance.weights->W);
  }
  return archive.bytes();
}

std::string to_npz(const QueryInstance& instance, const std::string& label) {
  require_one_point(instance);
  Archive archive(label);
  archive.opening("attsvm", instance.name, instance.origin);
  archive.tokens("X", instance.X);
  archive.integers("y", {instance.y.begin(), instance.y.end()});
  if (!instance.self) archive.matrix("Z", instance.Z);
  if (instance.v) archive.vector("v", *instance.v);
  if (instance.selected_given) add_selected(archive, instance.selected);
  for (const QueryPoint& point : instance.points) add_point(archive, point);
  return archive.bytes();
}

std::string to_npz(const RowsInstance& instance, const std::string& label) {
  Archive archive(label);
  archive.opening("rows", instance.name, instance.origin);
  archive.matrix("F", instance.F);
  return archive.bytes();
}

std::string to_npz(const KernelInstance& instance, const std::string& label) {
  Archive archive(label);
  archive.opening("kernel", instance.name, instance.origin);
  if (instance.kernel) archive.word("kernel", kernel_word(*instance.kernel));
  archive.word("beta", beta_text(instance));
  const std::string word = readout_word(instance);
  if (word.empty())
    archive.matrix("readout", instance.readout);
  else
    archive.word("readout", word);
  archive.stack("X", instance.X);
  archive.stack("Y", instance.Y);
  archive.stack("W_Q", instance.weights.W_Q);
  archive.stack("W_K", instance.weights.W_K);
  archive.stack("W_V", instance.weights.W_V);
  archive.stack("W_O", instance.weights.W_O);
  return archive.bytes();
}

void write_instance(const Instance& instance, const std::string& path, Overwrite overwrite) {
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  if (ending != ".json" && ending != ".npz")
    detail::fail(path, "", "expected a name that ends in .json or .npz");
  const std::string bytes = std::visit(
      [&](const auto& model) { return ending == ".json" ? to_json(model) : to_npz(model, path); },
      instance);
  write_file_atomically(path, bytes, overwrite);
}

}  // namespace heed
