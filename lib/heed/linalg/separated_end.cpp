// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/separated_end.hpp"

#include <cmath>
#include <utility>

#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/linalg/lanczos.hpp"
#include "heed/linalg/product.hpp"

namespace heed {
namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// The next eigenvalue: v is moved to the other side by a multiple of the norm.
double next_eigenvalue(const PointSaddle& a, Extreme end, const std::vector<double>& v) {
  const double push = (end == Extreme::smallest ? 4 : -4) * a.norm_bound();
  const approx::LinearOperator deflated{a.size(), [&](const double* x, double* y) {
                                          a.approx_apply(x, y);
                                          double along = 0;
                                          for (std::size_t k = 0; k < v.size(); ++k)
                                            along += v[k] * x[k];
                                          for (std::size_t k = 0; k < v.size(); ++k)
                                            y[k] += push * along * v[k];
                                        }};
  return approx::thick_restart_lanczos(deflated, end, {.tolerance = 1e-6, .max_products = 400})
      .value;
}

}  // namespace

std::optional<double> bound_others(const FastInertia& inertia, Extreme end, double shift) {
  const int exponent = inertia.matrix().exponent();
  const InertiaCount c = inertia.count(shift);
  if (!c.is_known()) return std::nullopt;
  if (end == Extreme::smallest) {
    if (c.below > 1) return std::nullopt;
    return detail::unscale_down(detail::round_down(c.shift - c.lower_error), exponent);
  }
  if (c.below + 1 < inertia.matrix().size() || !(c.upper_error < detail::infinity))
    return std::nullopt;
  return detail::unscale_up(detail::round_up(c.shift + c.upper_error), exponent);
}

SeparatedEnd separated_end(const FastInertia& inertia, Extreme end) {
  const PointSaddle& a = inertia.matrix();
  SeparatedEnd result;
  const bool least = end == Extreme::smallest;
  if (!a.is_finite() || a.size() == 0) {
    result.end = least ? fast_lambda_min(a) : fast_lambda_max(a);
    return result;
  }
  const approx::LinearOperator op{a.size(),
                                  [&](const double* x, double* y) { a.approx_apply(x, y); }};
  const approx::LanczosResult found = approx::thick_restart_lanczos(op, end, {.tolerance = 1e-14});
  FastEigenvalueOptions options;
  options.relative_width = 1e-9;
  options.candidate = found.vector;
  options.inertia = &inertia;
  result.end = least ? fast_lambda_min(a, options) : fast_lambda_max(a, options);
  const double gap = next_eigenvalue(a, end, found.vector) - found.value;
  for (const double share : {0.75, 0.4, 0.15}) {
    const auto bound = bound_others(inertia, end, found.value + share * gap);
    if (!bound || (least ? *bound <= result.end.upper : *bound >= result.end.lower)) continue;
    result.others = bound;
    break;
  }
  return result;
}

RayleighBounds rayleigh_bounds(const std::vector<Ball>& v, const std::vector<Ball>& Av) {
  const Ball squares = squared_norm(v), theta = dot(v.size(), v.data(), 1, Av.data(), 1) / squares;
  std::vector<Ball> r = Av;
  for (std::size_t k = 0; k < r.size(); ++k) r[k] -= theta * v[k];
  return {theta, sqrt_nonnegative(squared_norm(r) / squares)};
}

std::optional<Ball> temple_enclosure(const RayleighBounds& v, Extreme end, const Ball& others) {
  const bool least = end == Extreme::smallest;
  const Ball distance = least ? others - v.quotient : v.quotient - others;
  if (!certainly(positive(distance)) || !v.residual.is_finite()) return std::nullopt;
  const Ball shift = square(v.residual) / distance;
  return least ? Ball::hull((v.quotient - shift).lower(), v.quotient.upper())
               : Ball::hull(v.quotient.lower(), (v.quotient + shift).upper());
}

namespace approx {

std::vector<double> complement_solve(const LinearOperator& a, double theta, Extreme end,
                                     const std::vector<double>& v, std::vector<double> b,
                                     int max_products) {
  const std::size_t n = b.size();
  const double sign = end == Extreme::smallest ? 1 : -1;
  const auto project = [&](std::vector<double>& x) {
    const double along = product(v, x);
    for (std::size_t k = 0; k < n; ++k) x[k] -= along * v[k];
  };
  project(b);
  std::vector<double> x(n), r = b, p = b, y(n);
  double squares = product(r, r);
  const double target = squares * 0x1p-60;
  for (int step = 0; step < max_products && squares > target; ++step) {
    a.apply(p.data(), y.data());
    for (std::size_t k = 0; k < n; ++k) y[k] = sign * (y[k] - theta * p[k]);
    project(y);
    const double curvature = product(p, y);
    if (!(curvature > 0)) break;
    const double length = squares / curvature;
    for (std::size_t k = 0; k < n; ++k) {
      x[k] += length * p[k];
      r[k] -= length * y[k];
    }
    const double next = product(r, r);
    for (std::size_t k = 0; k < n; ++k) p[k] = r[k] + next / squares * p[k];
    squares = next;
  }
  for (double& xk : x) xk *= sign;
  return x;
}

}  // namespace approx
}  // namespace heed
