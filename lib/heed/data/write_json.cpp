// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/data/detail/message.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/write.hpp"

namespace heed {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string entry_text(const Rational& value, const detail::Where& where) {
  const std::string text = exact_text(value);
  if (text.size() > Rational::max_digits) {
    throw InputError(where.text() + ": needs more than " + std::to_string(Rational::max_digits) +
                     " characters and could not be read back");
  }
  return '"' + text + '"';
}

/// `[["1", "2"], ...]`, a row a line.
std::string matrix_text(const Matrix<Rational>& a, const detail::Where& where,
                        const std::string& indent) {
  std::string out = "[";
  for (std::size_t t = 0; t < a.rows(); ++t) {
    out += (t ? ",\n  " : "\n  ") + indent + "[";
    for (std::size_t k = 0; k < a.cols(); ++k) {
      out += (k ? ", " : "") + entry_text(a(t, k), where.at(t).at(k));
    }
    out += "]";
  }
  return out + "\n" + indent + "]";
}

std::string vector_text(const std::vector<Rational>& v, const detail::Where& where) {
  std::string out = "[";
  for (std::size_t k = 0; k < v.size(); ++k) out += (k ? ", " : "") + entry_text(v[k], where.at(k));
  return out + "]";
}

std::string labels_text(const std::vector<int>& y) {
  std::string out = "[";
  for (std::size_t i = 0; i < y.size(); ++i) out += (i ? ", " : "") + std::to_string(y[i]);
  return out + "]";
}

void append_field(std::string& out, const std::string& key, const std::string& text) {
  out += ",\n  \"" + key + "\": " + text;
}

void append_matrix(std::string& out, const std::string& key, const Matrix<Rational>& a) {
  append_field(out, key, matrix_text(a, detail::Where{key}, "  "));
}

void append_matrices(std::string& out, const std::string& key,
                     const std::vector<Matrix<Rational>>& matrices) {
  out += ",\n  \"" + key + "\": [";
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    out += (i ? ",\n    " : "\n    ") + matrix_text(matrices[i], detail::Where{key}.at(i), "    ");
  }
  out += "\n  ]";
}

std::string opening(const std::string& model, const std::string& name, const std::string& origin) {
  std::string out = "{\n  \"format\": \"heed-instance-1\",\n  \"model\": \"" + model + "\"";
  if (!name.empty()) append_field(out, "name", json_text(name));
  if (!origin.empty()) append_field(out, "note", json_text(origin));
  return out;
}

std::string head_text(const QueryHead& head) {
  if (const auto* relu = std::get_if<ReluHead>(&head))
    return "{\"type\": \"relu\", \"V\": " + matrix_text(relu->V, detail::Where{"head.V"}, "  ") +
           ", \"w\": " + vector_text(relu->w, detail::Where{"head.w"}) + "}";
  if (const auto* quadratic = std::get_if<QuadraticHead>(&head))
    return "{\"type\": \"lambda\", \"lambda\": " +
           entry_text(quadratic->lambda, detail::Where{"head.lambda"}) + "}";
  return "{\"type\": \"linear\"}";
}

std::string selected_text(const std::vector<std::vector<std::size_t>>& selected) {
  std::string out = "[";
  for (std::size_t i = 0; i < selected.size(); ++i) {
    out += i ? ", " : "";
    if (selected[i].size() == 1) {
      out += std::to_string(selected[i].front());
      continue;
    }
    out += "[";
    for (std::size_t k = 0; k < selected[i].size(); ++k)
      out += (k ? ", " : "") + std::to_string(selected[i][k]);
    out += "]";
  }
  return out + "]";
}

std::string hexadecimal(const Rational& dyadic) {
  const auto& q = dyadic.raw();
  std::string digits(mpz_sizeinbase(mpq_numref(q), 16) + 2, '\0');
  mpz_get_str(digits.data(), 16, mpq_numref(q));
  digits.resize(digits.find('\0'));
  long exponent = -static_cast<long>(mpz_sizeinbase(mpq_denref(q), 2) - 1);
  if (exponent == 0) {
    const std::size_t last = digits.find_last_not_of('0');
    exponent = 4 * static_cast<long>(digits.size() - 1 - last);
    digits.resize(last + 1);
  }
  const bool negative = digits.front() == '-';
  return std::string(negative ? "-0x" : "0x") + digits.substr(negative ? 1 : 0) + "p" +
         std::to_string(exponent);
}

}  // namespace

void require_one_point(const QueryInstance& instance) {
  if (instance.points.size() > 1)
    throw InputError("an instance file holds one point W, found " +
                     std::to_string(instance.points.size()) +
                     " (loss_evals of a reference file); expected at most one");
}

std::string exact_text(const Rational& value) {
  constexpr std::size_t convenient = 24;
  const std::string text = value.to_decimal_or_fraction();
  if (text.size() <= convenient || !value.is_dyadic()) return text;
  const std::string hex = hexadecimal(value);
  return hex.size() < text.size() ? hex : text;
}

std::string to_json(const MhaInstance& instance) {
  std::string out = opening("mha", instance.name, instance.origin);
  append_field(out, "loss", json_text(std::string(loss_word(instance.loss))));
  append_field(out, "y", labels_text(instance.y));
  append_matrices(out, "X", instance.X);
  if (instance.weights) {
    append_matrices(out, "U", instance.weights->U);
    append_matrices(out, "W", instance.weights->W);
  }
  return out + "\n}\n";
}

std::string to_json(const QueryInstance& instance) {
  require_one_point(instance);
  std::string out = opening("attsvm", instance.name, instance.origin);
  append_field(out, "y", labels_text(instance.y));
  append_matrices(out, "X", instance.X);
  if (!instance.self) append_matrix(out, "Z", instance.Z);
  if (instance.v) append_field(out, "v", vector_text(*instance.v, detail::Where{"v"}));
  if (instance.selected_given) append_field(out, "selected", selected_text(instance.selected));
  for (const QueryPoint& point : instance.points) {
    append_field(out, "loss", json_text(std::string(loss_word(point.loss))));
    append_field(out, "head", head_text(point.head));
    if (point.weights.K) {
      append_matrix(out, "K", *point.weights.K);
      append_matrix(out, "Q", *point.weights.Q);
    } else {
      append_matrix(out, "W", point.weights.W);
    }
    if (point.direction) append_matrix(out, "D", *point.direction);
  }
  return out + "\n}\n";
}

std::string to_json(const RowsInstance& instance) {
  std::string out = opening("rows", instance.name, instance.origin);
  append_matrix(out, "F", instance.F);
  return out + "\n}\n";
}

std::string to_json(const KernelInstance& instance) {
  std::string out = opening("kernel", instance.name, instance.origin);
  if (instance.kernel)
    append_field(out, "kernel", json_text(std::string(kernel_word(*instance.kernel))));
  append_field(out, "beta", json_text(beta_text(instance)));
  const std::string word = readout_word(instance);
  if (word.empty())
    append_matrix(out, "readout", instance.readout);
  else
    append_field(out, "readout", json_text(word));
  append_matrices(out, "X", instance.X);
  append_matrices(out, "Y", instance.Y);
  append_matrices(out, "W_Q", instance.weights.W_Q);
  append_matrices(out, "W_K", instance.weights.W_K);
  append_matrices(out, "W_V", instance.weights.W_V);
  append_matrices(out, "W_O", instance.weights.W_O);
  return out + "\n}\n";
}

}  // namespace heed
