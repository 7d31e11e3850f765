// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "checks/support/query_instances.hpp"

namespace heed::checks {
namespace {

std::string text(const Rational& q) { return "\"" + q.to_decimal_or_fraction() + "\""; }

template <class List, class Text>
std::string array(const List& list, const Text& text_of) {
  std::string all = "[";
  for (std::size_t k = 0; k < list.size(); ++k) all += (k > 0 ? ", " : "") + text_of(list[k]);
  return all + "]";
}

std::string text(const std::vector<Rational>& v) {
  return array(v, [](const Rational& q) { return text(q); });
}

std::string text(const Matrix<Rational>& m) {
  std::vector<std::vector<Rational>> rows;
  for (std::size_t r = 0; r < m.rows(); ++r) rows.emplace_back(m.row(r), m.row(r) + m.cols());
  return array(rows, [](const std::vector<Rational>& row) { return text(row); });
}

std::string text(const QueryHead& head) {
  if (const auto* relu = std::get_if<ReluHead>(&head))
    return R"({"type": "relu", "V": )" + text(relu->V) + ", \"w\": " + text(relu->w) + "}";
  if (const auto* quadratic = std::get_if<QuadraticHead>(&head))
    return R"({"type": "lambda", "lam": )" + text(quadratic->lambda) + "}";
  return R"({"type": "linear"})";
}

const char* word(QueryLoss loss) {
  if (loss == QueryLoss::logistic) return "logistic";
  return loss == QueryLoss::exponential ? "exponential" : "correlation";
}

}  // namespace

std::string query_json(const QueryInstance& q) {
  const QueryPoint& p = q.points.front();
  std::ostringstream out;
  out << "{\"format\": \"heed-instance-1\", \"model\": \"attsvm\",\n \"X\": "
      << array(q.X, [](const Matrix<Rational>& x) { return text(x); });
  if (!q.self) out << ",\n \"Z\": " << text(q.Z);
  out << ",\n \"y\": " << array(q.y, [](int y) { return std::to_string(y); })
      << ",\n \"v\": " << text(*q.v) << ",\n \"selected\": "
      << array(q.selected,
               [](const auto& s) {
                 return array(s, [](std::size_t t) { return std::to_string(t); });
               })
      << ",\n \"loss\": \"" << word(p.loss) << "\",\n \"head\": " << text(p.head)
      << ",\n \"W\": " << text(p.weights.W) << ",\n \"D\": " << text(*p.direction) << "}\n";
  return out.str();
}

}  // namespace heed::checks
