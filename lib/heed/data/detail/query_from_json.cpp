// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/query_from_json.hpp"

#include <algorithm>

#include "heed/data/detail/json_tensors.hpp"

namespace heed::detail {
namespace {

const JsonValue& required(const JsonValue& root, const char* key, const std::string& file,
                          const char* what) {
  const JsonValue* value = root.find(key);
  if (!value) fail(file, key, std::string("missing; expected ") + what);
  return *value;
}

std::size_t index_below(const JsonValue& value, std::size_t count, const std::string& file,
                        const Where& where) {
  std::uint64_t index = count;
  if (const auto* small = std::get_if<std::int64_t>(&value.data); small && *small >= 0)
    index = static_cast<std::uint64_t>(*small);
  if (const auto* large = std::get_if<std::uint64_t>(&value.data)) index = *large;
  if (index >= count)
    fail(file, where,
         "expected a zero-based token, 0 to " + std::to_string(count - 1) + ", found " +
             value.describe());
  return static_cast<std::size_t>(index);
}

/// Reads one file of model attsvm.
class QueryReader {
 public:
  QueryReader(const JsonValue& root, const std::string& file, const ReadOptions& options)
      : root_(root), file_(file), options_(options), tensors_(file, options.max_bytes) {}

  QueryInstance read() {
    instance_.name = word(root_, "name", file_).value_or(word(root_, "id", file_).value_or(""));
    instance_.origin = word(root_, "note", file_).value_or("");
    instance_.X = tensors_.tokens(required(root_, "X", file_, "the n x T x d tokens"), Where{"X"});
    dim_ = instance_.X.front().cols();
    read_queries();
    instance_.y = tensors_.labels(required(root_, "y", file_, "the n labels +1 or -1"),
                                  instance_.inputs(), Where{"y"});
    if (const JsonValue* v = root_.find("v"))
      instance_.v = tensors_.vector(*v, dim_, Where{"v"}, "d", "v has the dimension of a token");
    read_selected();
    read_points();
    note_unknown_keys();
    return std::move(instance_);
  }

 private:
  void read_queries() {
    const JsonValue* Z = root_.find("Z");
    instance_.self = Z == nullptr;
    if (Z) {
      instance_.Z = tensors_.matrix(*Z, instance_.inputs(), dim_, Where{"Z"}, "n",
                                    "one query of d entries for each input of X");
      return;
    }
    instance_.Z = Matrix<Rational>(instance_.inputs(), dim_);
    for (std::size_t i = 0; i < instance_.inputs(); ++i)
      for (std::size_t c = 0; c < dim_; ++c) instance_.Z(i, c) = instance_.X[i](0, c);
  }

  void read_selected() {
    const char* key = root_.find("selected") ? "selected" : root_.find("alpha") ? "alpha" : "opt";
    if (const JsonValue* value = root_.find(key)) {
      instance_.selected_given = true;
      const auto& inputs =
          tensors_.list_of(*value, instance_.inputs(), Where{key}, "token", "n",
                           "one token, or one list of tokens, for each input of X");
      for (std::size_t i = 0; i < inputs.size(); ++i)
        instance_.selected.push_back(selection(inputs[i], i, Where{key}.at(i)));
      return;
    }
    if (!instance_.v)
      fail(file_, "selected",
           "missing, and there is no v to choose by: expected a token for each input, or v (then "
           "the token of the largest score y_i v^T x_it is selected)");
    const auto gamma = scores(instance_);
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      const auto best = std::max_element(gamma[i].begin(), gamma[i].end());
      const auto first = static_cast<std::size_t>(best - gamma[i].begin());
      for (std::size_t t = first + 1; t < gamma[i].size(); ++t)
        if (gamma[i][t] == *best)
          fail(file_, Where{"X"}.at(i),
               "tokens " + std::to_string(first) + " and " + std::to_string(t) +
                   " tie for the largest score y_i v^T x_it; say in `selected` which token, or "
                   "which list of tokens, is selected for input " +
                   std::to_string(i));
      instance_.selected.push_back({first});
    }
  }

  std::vector<std::size_t> selection(const JsonValue& value, std::size_t i, const Where& where) {
    const std::size_t tokens = instance_.X[i].rows();
    if (!value.array()) return {index_below(value, tokens, file_, where)};
    if (value.array()->empty())
      fail(file_, where, "expected at least one token, found an empty list");
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < value.array()->size(); ++k) {
      const std::size_t t = index_below((*value.array())[k], tokens, file_, where.at(k));
      if (std::find(chosen.begin(), chosen.end(), t) != chosen.end())
        fail(file_, where.at(k), "token " + std::to_string(t) + " appears twice");
      chosen.push_back(t);
    }
    return chosen;
  }

  void read_points() {
    if (root_.find("W") || root_.find("K") || root_.find("Q"))
      instance_.points.push_back(point(root_, "", own_loss()));
    const JsonValue* evaluations = root_.find("loss_evals");
    if (!evaluations) return;
    const auto& list = tensors_.list(*evaluations, Where{"loss_evals"}, "evaluations");
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::string prefix = "loss_evals[" + std::to_string(k) + "].";
      const auto stated = word(list[k], "loss", file_);
      instance_.points.push_back(
          point(list[k], prefix, loss_of(stated.value_or("logistic"), prefix + "loss")));
    }
  }

  QueryLoss loss_of(const std::string& text, const std::string& where) const {
    const std::optional<QueryLoss> loss = parse_query_loss(text);
    if (!loss)
      fail(file_, where, "expected logistic, exponential or correlation, found " + in_quotes(text));
    return *loss;
  }

  QueryLoss own_loss() const {
    const auto stated = word(root_, "loss", file_);
    if (!stated) return options_.query_loss.value_or(QueryLoss::logistic);
    const QueryLoss loss = loss_of(*stated, "loss");
    if (options_.query_loss && *options_.query_loss != loss)
      fail(file_, "loss",
           "the file says " + *stated + " and the command line says " +
               std::string(loss_word(*options_.query_loss)) +
               "; drop the option or change the file");
    return loss;
  }

  QueryPoint point(const JsonValue& fields, const std::string& prefix, QueryLoss loss) {
    const std::string W_name = prefix + "W", D_name = prefix + "D", K_name = prefix + "K",
                      Q_name = prefix + "Q";
    QueryPoint result;
    result.loss = loss;
    result.head = head(fields, prefix + "head");
    const JsonValue *W = fields.find("W"), *K = fields.find("K"), *Q = fields.find("Q");
    if ((K == nullptr) != (Q == nullptr) || (W == nullptr) == (K == nullptr))
      fail(file_, W_name, "expected either W (d x d), or both K and Q (d x m, W = K Q^T)");
    if (W) {
      result.weights.W = square(*W, W_name);
    } else {
      result.weights.K = factor(*K, K_name);
      result.weights.Q = factor(*Q, Q_name);
      if (result.weights.K->cols() != result.weights.Q->cols())
        fail(file_, Q_name,
             "expected " + std::to_string(result.weights.K->cols()) + " columns, as K has, found " +
                 std::to_string(result.weights.Q->cols()));
      result.weights.W = outer(*result.weights.K, *result.weights.Q);
    }
    if (const JsonValue* D = fields.find("D")) result.direction = square(*D, D_name);
    return result;
  }

  Matrix<Rational> square(const JsonValue& value, const std::string& name) {
    return tensors_.matrix(value, dim_, dim_, Where{name}, "d", "it is d x d");
  }

  Matrix<Rational> factor(const JsonValue& value, const std::string& name) {
    const auto& rows = tensors_.list_of(value, dim_, Where{name}, "row", "d", "it is d x m");
    const auto& first = tensors_.list(rows.front(), Where{name}.at(0), "m numbers");
    if (first.empty())
      fail(file_, Where{name}.at(0), "expected at least one number, found an empty list");
    return tensors_.matrix(rows, first.size(), Where{name}, "all rows have m entries");
  }

  static Matrix<Rational> outer(const Matrix<Rational>& K, const Matrix<Rational>& Q) {
    Matrix<Rational> W(K.rows(), Q.rows());
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < Q.rows(); ++j)
        for (std::size_t k = 0; k < K.cols(); ++k) W(i, j) += K(i, k) * Q(j, k);
    return W;
  }

  /// `head` is a word or {"type": word, ...}; an archive has the other fields as head_V, head_w and
  /// head_lambda.
  QueryHead head(const JsonValue& fields, const std::string& name) {
    const JsonValue* value = fields.find("head");
    const bool is_word = value && value->text();
    if (value && !is_word && !value->object())
      fail(file_, name, "expected {\"type\": ...}, found " + value->describe());
    const std::string type = !value    ? "linear"
                             : is_word ? *value->text()
                                       : word(*value, "type", file_).value_or("");
    const auto part = [&](const char* key, const char* flat) -> const JsonValue* {
      return is_word ? fields.find(flat) : value->find(key);
    };
    const auto need = [&](const JsonValue* found, const char* key) -> const JsonValue& {
      if (!found) fail(file_, name + "." + key, "missing for a head of type " + type);
      return *found;
    };
    if (type == "linear" || type == "lambda") {
      if (!instance_.v)
        fail(file_, "v", "missing; a head of type " + type + " needs v (d numbers)");
      if (type == "linear") return LinearHead{};
      const JsonValue* lambda = part("lambda", "head_lambda");
      if (!lambda && !is_word) lambda = value->find("lam");
      const std::string where = name + ".lambda";
      return QuadraticHead{tensors_.number(need(lambda, "lambda"), Where{where})};
    }
    if (type != "relu")
      fail(file_, name, "expected type linear, relu or lambda, found " + in_quotes(type));
    const std::string V_name = name + ".V", w_name = name + ".w";
    const JsonValue& V = need(part("V", "head_V"), "V");
    const JsonValue& w = need(part("w", "head_w"), "w");
    const auto& rows = tensors_.list(V, Where{V_name}, "rows of d numbers");
    ReluHead relu;
    relu.V = tensors_.matrix(rows, dim_, Where{V_name}, "V has rows of d entries");
    relu.w =
        tensors_.vector(w, rows.size(), Where{w_name}, "", "w has one entry for each row of V");
    return relu;
  }

  void note_unknown_keys() {
    // Reference files name the selected tokens so; their other keys are results.
    if (root_.find("alpha") || root_.find("opt")) return;
    static constexpr std::string_view known[] = {
        "format", "model",      "name",   "note",   "id",         "description", "n",
        "T",      "d",          "X",      "Z",      "y",          "v",           "W",
        "K",      "Q",          "D",      "alpha",  "opt",        "loss",        "selected",
        "head",   "loss_evals", "head_V", "head_w", "head_lambda"};
    for (const JsonMember& member : *root_.object())
      if (std::find(std::begin(known), std::end(known), member.key) == std::end(known))
        instance_.notes.push_back("ignored key " + in_quotes(member.key));
  }

  const JsonValue& root_;
  const std::string& file_;
  const ReadOptions& options_;
  TensorReader tensors_;
  QueryInstance instance_;
  std::size_t dim_ = 0;
};

}  // namespace

QueryInstance query_from_json(const JsonValue& root, const std::string& file,
                              const ReadOptions& options) {
  return QueryReader(root, file, options).read();
}

RowsInstance rows_from_json(const JsonValue& root, const std::string& file,
                            const ReadOptions& options) {
  TensorReader tensors(file, options.max_bytes);
  RowsInstance instance;
  instance.name = word(root, "name", file).value_or("");
  instance.origin = word(root, "note", file).value_or("");
  const JsonValue& F = required(root, "F", file, "the m x P rows");
  const auto& rows = tensors.list(F, Where{"F"}, "rows (each a list of P numbers)");
  if (rows.empty()) fail(file, "F", "expected at least one row, found an empty list");
  const std::size_t P = tensors.list(rows.front(), Where{"F"}.at(0), "P numbers").size();
  if (P == 0) fail(file, Where{"F"}.at(0), "expected at least one number, found an empty list");
  instance.F = tensors.matrix(rows, P, Where{"F"}, "every row of F has P entries");
  if (const JsonValue* y = root.find("y")) {
    const std::vector<int> labels = tensors.labels(*y, rows.size(), Where{"y"});
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t c = 0; labels[k] < 0 && c < P; ++c) instance.F(k, c) = -instance.F(k, c);
  }
  static constexpr std::string_view known[] = {"format", "model", "name", "note", "F", "y"};
  for (const JsonMember& member : *root.object())
    if (std::find(std::begin(known), std::end(known), member.key) == std::end(known))
      instance.notes.push_back("ignored key " + in_quotes(member.key));
  return instance;
}

}  // namespace heed::detail
