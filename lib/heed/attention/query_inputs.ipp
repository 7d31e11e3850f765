// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of query_inputs.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <utility>

#include "heed/attention/query_inputs.hpp"

namespace heed {
namespace detail {

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Scalar<S>::from(q); });
}

// Row t = m_r - m_t.
template <class S>
Matrix<S> differences_to(const Matrix<Rational>& m, std::size_t r) {
  Matrix<S> d(m.rows(), m.cols());
  for (std::size_t t = 0; t < m.rows(); ++t)
    for (std::size_t c = 0; c < m.cols(); ++c) d(t, c) = Scalar<S>::from(m(r, c) - m(t, c));
  return d;
}

}  // namespace detail

template <class S>
QueryInputs<S>::QueryInputs(const QueryInstance& instance, const QueryHead& head)
    : exact_x_(instance.X),
      exact_p_(query_features(instance, head)),
      exact_z_(instance.Z),
      y_(instance.y),
      head_(head),
      offset_{0},
      Z_(detail::in_scalar<S>(instance.Z)),
      lambda_(0) {
  for (const Matrix<Rational>& x : exact_x_) {
    offset_.push_back(offset_.back() + x.rows());
    X_.push_back(detail::in_scalar<S>(x));
  }
  for (std::size_t i = 0; i < exact_p_.size(); ++i) {
    const Matrix<Rational>& p = exact_p_[i];
    P_.push_back(detail::in_scalar<S>(p));
    std::size_t best = 0;
    for (std::size_t t = 1; t < p.rows(); ++t)
      if (y_[i] > 0 ? p(best, 0) < p(t, 0) : p(t, 0) < p(best, 0)) best = t;
    best_.push_back(best);
    for (std::size_t k = 0; k < p.cols(); ++k) signs_.push_back(unit_sign(p, k));
  }
  w_.assign(exact_p_.front().cols(), S(1));
  if (const auto* relu = std::get_if<ReluHead>(&head_))
    for (std::size_t k = 0; k < w_.size(); ++k) w_[k] = Scalar<S>::from(relu->w[k]);
  if (const auto* quadratic = std::get_if<QuadraticHead>(&head_))
    lambda_ = Scalar<S>::from(quadratic->lambda);
  differences_.resize(offset_.back());
}

template <class S>
const typename QueryInputs<S>::Differences& QueryInputs<S>::differences(std::size_t i,
                                                                        std::size_t r) const {
  std::unique_ptr<Differences>& entry = differences_[offset_[i] + r];
  if (!entry)
    entry.reset(new Differences{detail::differences_to<S>(exact_x_[i], r),
                                detail::differences_to<S>(exact_p_[i], r)});
  return *entry;
}

}  // namespace heed
