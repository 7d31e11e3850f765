// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_model.hpp"
#include "landscape_spectrum.hpp"

namespace heedcheck {

// The Hessian of f by all coordinates around a point c:
//   |Hess f(c + s v) - Hess f(c) - s T[v]| <= s^2 E    entry by entry, v of the domain, 0 <= s <= 1.
class HessianSeries {
 public:
  HessianSeries(const Model<Form>& model, const std::vector<mpq_class>& centre, FormDomain domain);

  // Whether every A + p T[v] + E' - mu I is proved positive definite: A near Hess f(c) as far as that
  // is known, v of the domain, E' symmetric within q E; p, q >= 0.
  bool is_above(const mpq_class& mu, const mpq_class& p, const mpq_class& q) const;
  // Bounds of the eigenvalues of all A + p T[v] + E'.
  mpq_class least(const mpq_class& p, const mpq_class& q) const;
  SpectrumBounds plain_bounds(const mpq_class& p, const mpq_class& q) const;

 private:
  mpz_class spread(const IntervalMatrix* basis, const mpq_class& p, const mpq_class& q) const;

  bool ball_;
  IntervalMatrix middle_;               // numbers
  Matrix<mpz_class> error_, rest_;      // of the middle and of T; E
  std::vector<IntervalMatrix> slopes_;  // numbers: T by coordinate, times the half width
};

// Of d^2 f_G / d theta_k^2 for a group G of one coordinate k, over |theta_k - c| <= half.
SpectrumBounds second_derivative(const Model<Form>& model, const std::vector<mpq_class>& theta,
                                 std::size_t k, const Residuals& residuals, const mpq_class& half);

}  // namespace heedcheck
