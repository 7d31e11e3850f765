// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_inputs.ipp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace heed {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("query attention: ") + what);
}

}  // namespace

void require_query_shapes(const QueryInstance& instance, const QueryHead& head) {
  const std::size_t n = instance.X.size(), d = instance.Z.cols();
  require(n > 0 && d > 0, "expected at least one input of dimension d > 0");
  require(instance.Z.rows() == n, "expected one query for each input");
  require(instance.y.size() == n, "expected one label for each input");
  for (const int y : instance.y) require(y == 1 || y == -1, "expected labels +1 or -1");
  for (const Matrix<Rational>& x : instance.X)
    require(x.rows() > 0 && x.cols() == d, "expected tokens of the dimension of the queries");
  if (const auto* relu = std::get_if<ReluHead>(&head)) {
    require(relu->V.rows() > 0 && relu->V.cols() == d, "expected V of shape m x d with m > 0");
    require(relu->w.size() == relu->V.rows(), "expected one weight w for each row of V");
  } else {
    require(instance.v.has_value(), "expected the vector v of the head");
    require(instance.v->size() == d, "expected v of the dimension of the tokens");
  }
}

std::vector<Matrix<Rational>> query_features(const QueryInstance& instance, const QueryHead& head) {
  require_query_shapes(instance, head);
  const auto* relu = std::get_if<ReluHead>(&head);
  const std::size_t m = relu ? relu->V.rows() : 1;
  std::vector<Matrix<Rational>> all;
  for (const Matrix<Rational>& x : instance.X) {
    Matrix<Rational> p(x.rows(), m);
    for (std::size_t t = 0; t < x.rows(); ++t)
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t c = 0; c < x.cols(); ++c)
          p(t, k) += x(t, c) * (relu ? relu->V(k, c) : (*instance.v)[c]);
    all.push_back(std::move(p));
  }
  return all;
}

UnitSign unit_sign(const Matrix<Rational>& features, std::size_t unit) {
  bool positive = false, negative = false;
  for (std::size_t t = 0; t < features.rows(); ++t) {
    positive = positive || features(t, unit).sign() > 0;
    negative = negative || features(t, unit).sign() < 0;
  }
  if (positive && negative) return UnitSign::open;
  if (positive) return UnitSign::positive;
  return negative ? UnitSign::negative : UnitSign::zero;
}

template class QueryInputs<double>;
template class QueryInputs<DoubleBall>;
template class QueryInputs<Ball>;

}  // namespace heed
