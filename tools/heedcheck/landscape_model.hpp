// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "landscape_instance.hpp"

namespace heedcheck {

// Residuals: pairs of a sample and a row of the read-out.
using Residuals = std::vector<std::pair<std::size_t, std::size_t>>;

// The loss of a layer, in intervals or rationals S, evaluated from the definitions of section 7.1 and
// differentiated by the rules of sums, products and exponentials.
template <class S>
class Model {
 public:
  // beta: of the scores; for rationals any positive number (see attention.hpp).
  Model(const Layer& layer, const S& beta);

  // The part of f that belongs to these residuals, with derivatives by these coordinates, at theta
  // (all coordinates); `all()`: f.
  Jet<S> loss(const std::vector<S>& theta, const std::vector<std::size_t>& variables,
              const Residuals& residuals) const;
  // F - Y at these residuals, p numbers each.
  std::vector<Jet<S>> outputs(const std::vector<S>& theta,
                              const std::vector<std::size_t>& variables,
                              const Residuals& residuals) const;
  const Residuals& all() const { return all_; }

 private:
  class At;

  const Layer& layer_;
  S beta_;
  std::vector<S> X_, Y_, U_, weights_[4];
  Residuals all_;
};

extern template class Model<Interval>;
extern template class Model<mpq_class>;

// The number itself where it is rational.
Interval beta_of(const Layer& layer);

}  // namespace heedcheck
