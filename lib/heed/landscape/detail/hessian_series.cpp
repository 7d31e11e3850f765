// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/hessian_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/kernel_attention.ipp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int halvings = 4;  // of the interval in which a bound is sought

Matrix<DoubleBall> congruent(const Matrix<DoubleBall>& W, const Matrix<DoubleBall>& M) {
  Matrix<DoubleBall> B = transposed_multiply(W, multiply(M, W));
  for (std::size_t i = 0; i < B.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) B(j, i) = B(i, j);
  return B;
}

Matrix<DoubleBall> identity(std::size_t n) {
  Matrix<DoubleBall> one(n, n);
  for (std::size_t k = 0; k < n; ++k) one(k, k) = 1;
  return one;
}

// Within the scope of a domain around the centre.
KernelModel<LinearForm> model_of_forms(const LandscapeProblem& problem,
                                       const std::vector<Rational>& centre) {
  std::vector<LinearForm> theta;
  for (std::size_t k = 0; k < centre.size(); ++k)
    theta.push_back(LinearForm::coordinate(DoubleBall(centre[k]), k));
  return {std::make_shared<const KernelInputs<LinearForm>>(problem.instance), problem.kernel,
          with_flat(weights_as<LinearForm>(problem.instance.weights), problem.trained, theta)};
}

}  // namespace

CurvatureRange diagonal_curvature(const LandscapeProblem& problem,
                                  const std::vector<Rational>& centre,
                                  const std::vector<Rational>& half) {
  const FormDomain domain = FormDomain::box(half);
  const FormScope scope(domain);
  const KernelModel<LinearForm> model = model_of_forms(problem, centre);
  const std::vector<LinearForm> ones(centre.size(), LinearForm(1));
  const KernelWeights<LinearForm> zero =
      map(model.weights(), [](const LinearForm&) { return LinearForm(); });
  const std::vector<LinearForm> diagonal =
      flatten(model.hessian_vector_product(with_flat(zero, problem.trained, ones), problem.trained),
              problem.trained);
  CurvatureRange range{infinity, -infinity};
  for (const LinearForm& x : diagonal) {
    const DoubleBall spread = domain.reach(x.slope()) + x.rest();
    const DoubleBall low = x.value() - spread, high = x.value() + spread;
    range.least = std::min(range.least, low.is_finite() ? low.lower() : -infinity);
    range.most = std::max(range.most, high.is_finite() ? high.upper() : infinity);
  }
  return range;
}

HessianSeries::HessianSeries(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                             FormDomain domain)
    : domain_(std::move(domain)) {
  const FormScope scope(domain_);
  const Matrix<LinearForm> H = model_of_forms(problem, centre).hessian(problem.trained);
  const std::size_t n = centre.size();
  middle_ = error_ = rest_ = Matrix<DoubleBall>(n, n);
  slopes_.assign(n, Matrix<DoubleBall>(n, n));
  for (std::size_t i = 0; i < H.size(); ++i) {
    const LinearForm& x = H.entries()[i];
    finite_ = finite_ && x.is_finite();
    if (!finite_) return;
    middle_.entries()[i] = DoubleBall(x.value().mid());
    DoubleBall error(x.value().rad());
    for (std::size_t k = 0; k < x.slope().size(); ++k) {
      const DoubleBall slope = x.slope()[k] * domain_.half(k);
      slopes_[k].entries()[i] = DoubleBall(slope.mid());
      error += DoubleBall(slope.rad());
    }
    error_.entries()[i] = DoubleBall(error.upper());
    rest_.entries()[i] = x.rest();
  }
}

HessianSeries::ApproxSpectrum HessianSeries::approx_spectrum(const Matrix<DoubleBall>& A) {
  ApproxSpectrum s;
  s.vectors = approx_eigenvectors(map(A, [](const DoubleBall& x) { return Ball(x.mid()); }));
  const std::size_t n = A.rows();
  for (std::size_t k = 0; k < n; ++k) {
    double value = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        value += s.vectors(i, k) * A(i, j).mid() * s.vectors(j, k);
    s.values.push_back(value);
  }
  return s;
}

// sup over the domain of |W^T (p T[v] + E') W|, E' within the rest and the errors.
double HessianSeries::spread(const Matrix<DoubleBall>& W, double p, double q) const {
  const std::size_t n = order();
  const Matrix<DoubleBall> size = map(W, [](const DoubleBall& x) { return abs(x); });
  Matrix<DoubleBall> R(n, n), gram(n, n);
  for (std::size_t i = 0; i < R.size(); ++i)
    R.entries()[i] = error_.entries()[i] + DoubleBall(q) * rest_.entries()[i];
  R = map(congruent(size, R), [](const DoubleBall& x) { return DoubleBall(x.upper()); });
  const double rest = spectral_radius(R);
  std::vector<Matrix<DoubleBall>> slopes;
  for (const auto& T : slopes_) slopes.push_back(congruent(W, T));
  Matrix<DoubleBall> by_entry = R;
  for (std::size_t i = 0; i < R.size(); ++i) {
    DoubleBall sum;
    for (const auto& T : slopes) {
      const DoubleBall& x = T.entries()[i];
      sum += domain_.is_ball() ? square(x) : abs(x);
    }
    if (domain_.is_ball()) sum = sqrt_nonnegative(sum);
    by_entry.entries()[i] = DoubleBall((R.entries()[i] + DoubleBall(p) * sum).upper());
  }
  const double entries = spectral_radius(by_entry);
  // |T[v]|_F^2 is a quadratic form in v; a box lies in a ball of sqrt(n) half widths.
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l <= k; ++l)
      gram(k, l) = gram(l, k) = dot(n * n, slopes[k].data(), 1, slopes[l].data(), 1);
  const DoubleBall reach(domain_.is_ball() ? 1 : static_cast<int>(n)),
      norm = sqrt_nonnegative(reach * extremes(gram).largest);
  return std::min(entries, (DoubleBall(p) * norm + DoubleBall(rest)).upper());
}

// Whether M - mu I is positive definite for all M, by the basis that makes it I at the centre.
bool HessianSeries::is_above(double mu, double p, double q, const Matrix<DoubleBall>& A,
                             const ApproxSpectrum& spectrum) const {
  const std::size_t n = order();
  Matrix<DoubleBall> W(n, n), shifted = A;
  for (std::size_t k = 0; k < n; ++k) {
    const double gap = spectrum.values[k] - mu;
    if (!(gap > 0)) return false;
    for (std::size_t i = 0; i < n; ++i)
      W(i, k) = DoubleBall(spectrum.vectors(i, k) / std::sqrt(gap));
    shifted(k, k) -= DoubleBall(mu);
  }
  const DoubleBall bound(spread(W, p, q));
  return certainly(less(bound, extremes(congruent(W, shifted)).least));
}

double HessianSeries::least(double p, double q, const FlatBasis& flat) const {
  if (!finite_) return -infinity;
  const Matrix<DoubleBall> A = flat.empty() ? middle_ : with_flat_part(middle_, flat);
  const DoubleBall plain = extremes(A).least - DoubleBall(spread(identity(order()), p, q));
  double low = plain.is_finite() ? plain.lower() : -infinity;
  if (order() == 1) return low;
  const ApproxSpectrum spectrum = approx_spectrum(A);
  // From about the least eigenvalue at the centre downward, and back by halves.
  const double top = spectrum.values.front();
  double high = top, step = std::fabs(top) / 4;
  for (double mu = top - step; mu > low && step > 0; step *= 2, mu = high - step) {
    if (is_above(mu, p, q, A, spectrum)) {
      low = mu;
      break;
    }
    high = mu;
  }
  for (int k = 0; k < halvings && low < high; ++k) {
    const double mu = low + (high - low) / 2;
    (is_above(mu, p, q, A, spectrum) ? low : high) = mu;
  }
  return low;
}

double HessianSeries::most(double p, double q) const {
  if (!finite_) return infinity;
  const DoubleBall bound = extremes(middle_).largest + DoubleBall(spread(identity(order()), p, q));
  return bound.is_finite() ? bound.upper() : infinity;
}

}  // namespace heed::detail
