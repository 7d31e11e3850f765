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

void add_stack(Members& members, const std::vector<Matrix<Rational>>& matrices,
               const std::string& label, const std::string& name) {
  members.emplace_back(name + ".npy",
                       detail::npy_bytes({matrices.size(), matrices[0].rows(), matrices[0].cols()},
                                         doubles(matrices, label, name)));
}

}  // namespace

std::string to_npz(const MhaInstance& instance, const std::string& label) {
  Members members;
  const auto add_word = [&](const std::string& key, std::string_view word) {
    if (!word.empty()) members.emplace_back(key + ".npy", detail::npy_bytes(word));
  };
  add_word("format", "heed-instance-1");
  add_word("model", "mha");
  add_word("name", instance.name);
  add_word("note", instance.origin);
  add_word("loss", loss_word(instance.loss));
  if (same_shapes(instance.X)) {
    add_stack(members, instance.X, label, "X");
  } else {
    for (std::size_t i = 0; i < instance.samples(); ++i) {
      const auto& a = instance.X[i];
      const std::string name = "X_" + std::to_string(i);
      std::vector<double> values;
      for (std::size_t t = 0; t < a.rows(); ++t) {
        for (std::size_t k = 0; k < a.cols(); ++k) {
          values.push_back(exact_double(a(t, k), label, detail::Where{name}.at(t).at(k)));
        }
      }
      members.emplace_back(name + ".npy", detail::npy_bytes({a.rows(), a.cols()}, values));
    }
  }
  const std::vector<std::int64_t> labels(instance.y.begin(), instance.y.end());
  members.emplace_back("y.npy", detail::npy_bytes({labels.size()}, labels));
  if (instance.weights) {
    add_stack(members, instance.weights->U, label, "U");
    add_stack(members, instance.weights->W, label, "W");
  }
  return detail::npz_bytes(members);
}

void write_mha_instance(const MhaInstance& instance, const std::string& path, Overwrite overwrite) {
  const std::size_t dot = path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : path.substr(dot);
  if (ending == ".json") {
    write_file_atomically(path, to_json(instance), overwrite);
  } else if (ending == ".npz") {
    write_file_atomically(path, to_npz(instance, path), overwrite);
  } else {
    detail::fail(path, "", "expected a name that ends in .json or .npz");
  }
}

}  // namespace heed
