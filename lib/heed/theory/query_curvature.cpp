// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/query_curvature.hpp"

#include <memory>
#include <stdexcept>

#include "heed/attention/query_attention.hpp"

namespace heed {
namespace {

template <class S>
Extremes<S> hessian_extremes(const QueryModel<S>& model, std::size_t d) {
  Matrix<S> hessian(d * d, d * d);
  for (std::size_t k = 0; k < d * d; ++k) {
    Matrix<Rational> unit(d, d);
    unit.data()[k] = Rational(1);
    const Matrix<S> rows = model.hessian_rows(model.direction_gaps(unit));
    const Matrix<S>& Z = model.inputs().Z();
    // Column k is rows^T Z; only the lower triangle is read.
    for (std::size_t l = k; l < d * d; ++l)
      hessian(l, k) = hessian(k, l) = dot(Z.rows(), rows.data() + l / d, d, Z.data() + l % d, d);
  }
  return extremes(hessian);
}

}  // namespace

template <class S>
QueryCurvature<S> query_curvature(const QueryInstance& instance, std::size_t index) {
  if (index >= instance.points.size())
    throw std::invalid_argument("query_curvature: expected a point of the instance");
  const QueryPoint& point = instance.points[index];
  const auto convert = [](const Rational& q) { return Scalar<S>::from(q); };
  const auto inputs = std::make_shared<const QueryInputs<S>>(instance, point.head);
  const QueryModel<S> model(inputs, point.loss, map(point.weights.W, convert));
  const std::size_t d = instance.dim();
  QueryCurvature<S> result;
  result.loss = model.loss();
  result.margins = model.margins();
  for (std::size_t i = 0; i < instance.inputs(); ++i) {
    const auto first = model.attention().begin() + static_cast<long>(inputs->offset(i));
    result.attention.emplace_back(first, first + static_cast<long>(inputs->tokens(i)));
  }
  if (const auto& open = model.open_unit()) {
    result.kink = "unit " + std::to_string(open->unit) +
                  " of the ReLU head may be at its kink for input " + std::to_string(open->input);
    return result;
  }
  result.gradient = model.gradient();
  result.gradient_norm = sqrt_nonnegative(
      S(dot(result.gradient.size(), result.gradient.data(), 1, result.gradient.data(), 1)));
  if (point.direction) {
    const std::vector<S> b = model.direction_gaps(*point.direction);
    const Matrix<S> rows = model.hessian_rows(b);
    Matrix<S> hvp(d, d);
    for (std::size_t r = 0; r < d; ++r)
      for (std::size_t c = 0; c < d; ++c)
        hvp(r, c) = dot(rows.rows(), rows.data() + r, d, inputs->Z().data() + c, d);
    result.hvp = std::move(hvp);
    result.quadratic = model.curvature_along(b);
  }
  if (d <= max_hessian_dim) result.hessian = hessian_extremes(model, d);
  return result;
}

template QueryCurvature<DoubleBall> query_curvature(const QueryInstance&, std::size_t);
template QueryCurvature<Ball> query_curvature(const QueryInstance&, std::size_t);

}  // namespace heed
