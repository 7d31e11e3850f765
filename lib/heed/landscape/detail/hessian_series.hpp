// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/landscape/detail/linear_form.hpp"
#include "heed/landscape/detail/spectral_bound.hpp"
#include "heed/landscape/point.hpp"

namespace heed::detail {

/// The Hessian of f around a point c, by all trained coordinates:
///
///   |Hess f(c + s v) - Hess f(c) - s T[v]| <= s^2 E    entry by entry, for v of the domain, 0 <= s <= 1.
class HessianSeries {
 public:
  HessianSeries(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                FormDomain domain);

  bool is_finite() const { return finite_; }
  std::size_t order() const { return middle_.rows(); }
  /// Of Hess f(c) + p T[v] + q E' for all v of the domain and all symmetric |E'| <= E, where p, q >= 0;
  /// `least` across directions along which f is constant. A mean of the Hessian over s in [0, 1] with
  /// weights w, int w = 1, has p = int w s and q = int w s^2.
  double least(double p, double q, const FlatBasis& flat = {}) const;
  double most(double p, double q) const;

 private:
  struct ApproxSpectrum {
    std::vector<double> values;
    Matrix<double> vectors;
  };
  static ApproxSpectrum approx_spectrum(const Matrix<DoubleBall>& A);
  double spread(const Matrix<DoubleBall>& W, double p, double q) const;
  bool is_above(double mu, double p, double q, const Matrix<DoubleBall>& A,
                const ApproxSpectrum& spectrum) const;

  FormDomain domain_;
  bool finite_ = true;
  // Points: Hess f(c) up to error_; T by direction, times the half width; E.
  Matrix<DoubleBall> middle_, error_, rest_;
  std::vector<Matrix<DoubleBall>> slopes_;
};

/// Of Hess f on the box |theta_k - centre_k| <= half_k where Hess f is diagonal. Cost: one product.
CurvatureRange diagonal_curvature(const LandscapeProblem& problem,
                                  const std::vector<Rational>& centre,
                                  const std::vector<Rational>& half);

}  // namespace heed::detail
