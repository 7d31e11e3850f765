// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of query_kernel.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <stdexcept>
#include <utility>

#include "heed/attention/query_attention.ipp"
#include "heed/attention/query_kernel.hpp"

namespace heed {

template <class S>
QueryKernel<S>::QueryKernel(typename QueryModel<S>::Inputs inputs, QueryLoss loss,
                            const std::vector<std::size_t>& selected, const Matrix<S>& W0)
    : in_(std::move(inputs)), selected_(selected), model_(in_, loss) {
  if (selected_.size() != in_->inputs())
    throw std::invalid_argument("QueryKernel: expected one selected token for each input");
  detail::require_direction(W0, in_->dim());
  const std::size_t d = in_->dim();
  const Matrix<S> keys = multiply_transposed(in_->Z(), W0);
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    if (selected_[i] >= in_->tokens(i))
      throw std::invalid_argument("QueryKernel: a selected token does not exist");
    for (std::size_t t = 0; t < in_->tokens(i); ++t) {
      if (t == selected_[i]) continue;
      row_input_.push_back(i);
      row_token_.push_back(t);
      start_.push_back(dot(d, in_->differences(i, selected_[i]).tokens.row(t), 1, keys.row(i), 1));
    }
  }
  const Matrix<S> queries = multiply_transposed(in_->Z(), in_->Z());
  gram_ = Matrix<S>(rows(), rows());
  for (std::size_t k = 0; k < rows(); ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      const std::size_t i = row_input_[k], j = row_input_[l];
      const S tokens = dot(d, in_->differences(i, selected_[i]).tokens.row(row_token_[k]), 1,
                           in_->differences(j, selected_[j]).tokens.row(row_token_[l]), 1);
      gram_(k, l) = gram_(l, k) = tokens * queries(i, j);
    }
  evaluate_at_gaps(start_);
}

template <class S>
std::vector<S> QueryKernel<S>::by_token(const std::vector<S>& values) const {
  std::vector<S> all(in_->total_tokens(), S(0));
  for (std::size_t k = 0; k < rows(); ++k)
    all[in_->offset(row_input_[k]) + row_token_[k]] = values[k];
  return all;
}

template <class S>
std::vector<S> QueryKernel<S>::gram_times(const std::vector<S>& c) const {
  std::vector<S> product(rows());
  detail::apply_rows(gram_, c.data(), product.data());
  return product;
}

template <class S>
void QueryKernel<S>::evaluate(const std::vector<S>& beta) {
  if (beta.size() != rows()) throw std::invalid_argument("QueryKernel: expected M coefficients");
  std::vector<S> gaps = gram_times(beta);
  for (std::size_t k = 0; k < rows(); ++k) gaps[k] += start_[k];
  evaluate_at_gaps(std::move(gaps));
}

template <class S>
void QueryKernel<S>::evaluate_at_gaps(std::vector<S> gaps) {
  if (gaps.size() != rows()) throw std::invalid_argument("QueryKernel: expected M gaps");
  gaps_ = std::move(gaps);
  const std::vector<S> m = by_token(gaps_);
  model_.evaluate([&](std::size_t i, std::size_t r, S* to_reference) {
    const S* of_input = m.data() + in_->offset(i);
    for (std::size_t t = 0; t < in_->tokens(i); ++t) to_reference[t] = of_input[t] - of_input[r];
  });
}

template <class S>
std::vector<S> QueryKernel<S>::gradient_coefficients() const {
  const std::vector<S> all = model_.gradient_coefficients();
  std::vector<S> c(rows());
  for (std::size_t k = 0; k < rows(); ++k) c[k] = all[in_->offset(row_input_[k]) + row_token_[k]];
  return c;
}

template <class S>
S QueryKernel<S>::squared_norm_of(const std::vector<S>& c) const {
  return dot(c, gram_times(c));
}

template <class S>
S QueryKernel<S>::curvature_along(const std::vector<S>& c) const {
  std::vector<S> b = by_token(gram_times(c));
  for (std::size_t i = 0; i < in_->inputs(); ++i) {
    const S origin = b[in_->offset(i) + model_.reference(i)];
    for (std::size_t k = in_->offset(i); k < in_->offset(i + 1); ++k) b[k] -= origin;
    b[in_->offset(i) + model_.reference(i)] = S(0);
  }
  return model_.curvature_along(b);
}

template <class S>
Matrix<S> QueryKernel<S>::combine(const std::vector<S>& c) const {
  const std::size_t d = in_->dim();
  Matrix<S> sums(in_->inputs(), d);
  for (S& x : sums.entries()) x = S(0);
  for (std::size_t k = 0; k < rows(); ++k) {
    const std::size_t i = row_input_[k];
    const S* difference = in_->differences(i, selected_[i]).tokens.row(row_token_[k]);
    for (std::size_t j = 0; j < d; ++j) sums(i, j) += c[k] * difference[j];
  }
  return detail::fold(sums, in_->Z());
}

}  // namespace heed
