// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/kernel_from_json.hpp"

#include <algorithm>

#include "heed/data/detail/json_tensors.hpp"

namespace heed::detail {
namespace {

/// Reads one file of model kernel.
class KernelReader {
 public:
  KernelReader(const JsonValue& root, const std::string& file, const ReadOptions& options)
      : root_(root),
        fields_(instance_fields(root, file)),
        file_(file),
        options_(options),
        tensors_(file, options.max_bytes),
        prefix_(&fields_ == &root ? "" : "input.") {}

  KernelInstance read() {
    instance_.name = word(root_, "name", file_).value_or("");
    instance_.origin = word(root_, "note", file_).value_or("");
    const auto& [X, X_name] = required({"X"}, "the N x n x D tokens");
    instance_.X = stack(X, X_name, 0, "every sample has n tokens of D entries");
    read_readout();
    read_weights();
    const auto& [Y, Y_name] = required({"Y"}, "the N x m x p targets");
    instance_.Y = stack(Y, Y_name, instance_.samples(), "one target for each sample of X");
    require_shape(instance_.Y, Y_name, "m", instance_.rows(), "p", instance_.output_dim(),
                  "m rows as the read-out, p columns as W_O");
    read_beta();
    read_kernel();
    if (prefix_.empty()) note_unknown_keys();
    return std::move(instance_);
  }

 private:
  static const JsonValue& instance_fields(const JsonValue& root, const std::string& file) {
    const JsonValue* input = root.find("input");
    if (input && !input->object())
      fail(file, "input", "expected an object, found " + input->describe());
    return input ? *input : root;
  }

  using Named = std::pair<const JsonValue&, std::string>;

  /// The first of the names that is there.
  Named required(std::initializer_list<const char*> names, const std::string& what) const {
    for (const char* name : names)
      if (const JsonValue* value = fields_.find(name)) return {*value, prefix_ + name};
    fail(file_, prefix_ + *names.begin(), "missing; expected " + what);
  }

  /// A list of matrices of one shape, `count` of them unless it is 0.
  std::vector<Matrix<Rational>> stack(const JsonValue& value, const std::string& name,
                                      std::size_t count, const std::string& why) {
    const Where where{name};
    const auto& list = count > 0 ? tensors_.list_of(value, count, where, "matrix", "", why)
                                 : tensors_.list(value, where, "matrices");
    if (list.empty()) fail(file_, where, "expected at least one matrix, found an empty list");
    const auto& first = tensors_.list(list[0], where.at(0), "rows");
    if (first.empty()) fail(file_, where.at(0), "expected at least one row, found an empty list");
    const std::size_t cols = tensors_.list(first[0], where.at(0).at(0), "numbers").size();
    if (cols == 0)
      fail(file_, where.at(0).at(0), "expected at least one number, found an empty list");
    std::vector<Matrix<Rational>> matrices;
    for (std::size_t k = 0; k < list.size(); ++k)
      matrices.push_back(tensors_.matrix(list[k], first.size(), cols, where.at(k), "", why));
    return matrices;
  }

  void require_shape(const std::vector<Matrix<Rational>>& matrices, const std::string& name,
                     const char* row_symbol, std::size_t rows, const char* col_symbol,
                     std::size_t cols, const char* why) const {
    const Matrix<Rational>& first = matrices.front();
    if (first.rows() == rows && first.cols() == cols) return;
    fail(file_, Where{name}.at(0),
         "expected " + std::to_string(rows) + " x " + std::to_string(cols) + " numbers (" +
             row_symbol + " x " + col_symbol + "), found " + std::to_string(first.rows()) + " x " +
             std::to_string(first.cols()) + "; " + why);
  }

  void read_readout() {
    const std::size_t n = instance_.X.front().rows();
    const JsonValue* value = fields_.find("readout");
    std::string name = prefix_ + "readout";
    if (!value && !prefix_.empty()) {
      value = fields_.find("U");
      name = prefix_ + "U";
    }
    if (!value) fail(file_, name, "missing; expected token, pooled, or the m x n matrix");
    if (value->text()) {
      if (*value->text() == "token")
        instance_.readout = token_readout(n);
      else if (*value->text() == "pooled")
        instance_.readout = pooled_readout(n);
      else
        fail(file_, name,
             "expected token, pooled, or the m x n matrix, found " + in_quotes(*value->text()));
      return;
    }
    const auto& rows = tensors_.list(*value, Where{name}, "m rows of n numbers");
    if (rows.empty()) fail(file_, name, "expected at least one row, found an empty list");
    instance_.readout =
        tensors_.matrix(rows, n, Where{name}, "the read-out has one column for each token");
  }

  void read_weights() {
    KernelWeights<Rational>& w = instance_.weights;
    const std::size_t D = instance_.dim();
    const auto& [Q, Q_name] = required({"W_Q", "WQ"}, "the H x D x d query matrices");
    w.W_Q = stack(Q, Q_name, 0, "every head has D x d numbers");
    const std::size_t H = w.W_Q.size(), d = w.W_Q.front().cols();
    require_shape(w.W_Q, Q_name, "D", D, "d", d, "D is the dimension of a token of X");
    const std::string one_each = "one matrix for each head of W_Q";
    const auto& [K, K_name] = required({"W_K", "WK"}, "the H x D x d key matrices");
    w.W_K = stack(K, K_name, H, one_each);
    require_shape(w.W_K, K_name, "D", D, "d", d, "the shape of W_Q");
    const auto& [V, V_name] = required({"W_V", "WV"}, "the H x D x d_v value matrices");
    w.W_V = stack(V, V_name, H, one_each);
    const std::size_t v = w.W_V.front().cols();
    require_shape(w.W_V, V_name, "D", D, "d_v", v, "D is the dimension of a token of X");
    const auto& [O, O_name] = required({"W_O", "WO"}, "the H x d_v x p output matrices");
    w.W_O = stack(O, O_name, H, one_each);
    require_shape(w.W_O, O_name, "d_v", v, "p", w.W_O.front().cols(),
                  "d_v is the number of columns of W_V");
  }

  void read_beta() {
    const JsonValue* value = fields_.find("beta");
    const std::string name = prefix_ + "beta";
    const std::string expected = "a positive number, p/q, or 1/sqrt(d)";
    if (value && options_.beta)
      fail(file_, name, "the file and the command line both give beta; drop the option");
    if (!value && !options_.beta)
      fail(file_, name, "missing; expected " + expected + " (or the option --beta)");
    const JsonValue from_options{options_.beta.value_or("")};
    if (!value) value = &from_options;
    if (value->text() && *value->text() == "1/sqrt(d)") {
      instance_.beta = inverse_root_beta(instance_.key_dim());
      return;
    }
    instance_.beta = {tensors_.number(*value, Where{name}), false};
    if (instance_.beta.value.sign() <= 0)
      fail(file_, name,
           "expected " + expected + ", found " + printable(instance_.beta.value.to_string(), 40));
  }

  void read_kernel() {
    const auto stated = word(fields_, "kernel", file_);
    if (!stated) {
      instance_.kernel = options_.kernel;
      return;
    }
    instance_.kernel = parse_kernel(*stated);
    if (!instance_.kernel)
      fail(file_, prefix_ + "kernel",
           "expected softmax, gaussian, gaussian/n or gaussian-normalised, found " +
               in_quotes(*stated));
    if (options_.kernel) instance_.kernel = options_.kernel;
  }

  void note_unknown_keys() {
    static constexpr std::string_view known[] = {
        "format", "model", "name", "note", "description", "X",  "Y",       "W_Q",  "W_K",
        "W_V",    "W_O",   "WQ",   "WK",   "WV",          "WO", "readout", "beta", "kernel"};
    for (const JsonMember& member : *root_.object())
      if (std::find(std::begin(known), std::end(known), member.key) == std::end(known))
        instance_.notes.push_back("ignored key " + in_quotes(member.key));
  }

  const JsonValue& root_;
  const JsonValue& fields_;  // those of the instance: of the file, or of its `input`
  const std::string& file_;
  const ReadOptions& options_;
  TensorReader tensors_;
  std::string prefix_;  // of the names of fields in messages
  KernelInstance instance_;
};

}  // namespace

KernelInstance kernel_from_json(const JsonValue& root, const std::string& file,
                                const ReadOptions& options) {
  return KernelReader(root, file, options).read();
}

}  // namespace heed::detail
