// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_eigenvalue.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/linalg/fast_inertia.hpp"
#include "heed/linalg/lanczos.hpp"

namespace heed {
namespace {

using detail::infinity;

// Factor between one margin and the next when a count fails.
constexpr double widening = 16;

// The search for both ends; `sign` is 1 for the least eigenvalue and -1 for the largest, and all
// numbers here are eigenvalues times sign, so that the wanted one is the least.
class Search {
 public:
  Search(const PointSaddle& a, const FastEigenvalueOptions& options, double sign)
      : a_(a), options_(options), sign_(sign) {}

  FastEigenvalue run() {
    FastEigenvalue result;
    if (!a_.is_finite() || a_.size() == 0) {
      result.lower = -infinity;
      result.upper = infinity;
      return result;
    }
    const std::vector<double> v = candidate(result);
    const DoubleRange theta = a_.rayleigh_quotient(v);
    upper_ = sign_ > 0 ? theta.upper : -theta.lower;
    // A bound of the norm includes the perturbation; the zero matrix has no other eigenvalue than 0.
    lower_ = -a_.norm_bound();
    if (sign_ > 0) {
      lower_ = detail::round_down(-a_.block_norm_bound() - a_.perturbation());
      if (a_.rank() < a_.zero_block_size()) upper_ = std::min(upper_, a_.perturbation());
    }
    upper_ = std::min(upper_, a_.norm_bound());
    result.method = FastEigenvalueMethod::norm;
    if (a_.is_zero() && a_.perturbation() == 0) lower_ = upper_ = 0;
    if (lower_ < upper_) close_gap(result);
    // J has a kernel vector in the zero block, where every A' vanishes.
    if (sign_ > 0 && a_.rank() < a_.zero_block_size()) upper_ = std::min(upper_, 0.0);
    result.lower = detail::unscale_down(sign_ > 0 ? lower_ : -upper_, a_.exponent());
    result.upper = detail::unscale_up(sign_ > 0 ? upper_ : -lower_, a_.exponent());
    return result;
  }

 private:
  std::vector<double> candidate(FastEigenvalue& result) {
    if (!options_.candidate.empty()) return result.vector = options_.candidate;
    const approx::LinearOperator op{a_.size(), [&](const double* x, double* y) {
                                      ++result.products;
                                      a_.approx_apply(x, y);
                                    }};
    const Extreme end = sign_ > 0 ? Extreme::smallest : Extreme::largest;
    approx::LanczosResult found = approx::thick_restart_lanczos(op, end, {.tolerance = 1e-10});
    result.residual = std::ldexp(found.residual, a_.exponent());
    return result.vector = std::move(found.vector);
  }

  // True if the count puts a lower end; otherwise it may have improved the upper one.
  bool try_shift(const InertiaCount& c) {
    const double s = sign_ * c.shift;
    const bool proved = c.below == (sign_ > 0 ? 0 : a_.size());
    error_ = proved == (sign_ > 0) ? c.lower_error : c.upper_error;
    if (!c.is_known() || !(error_ < infinity)) return false;
    if (proved) {
      lower_ = std::max(lower_, detail::round_down(s - error_));
    } else {
      upper_ = std::min(upper_, detail::round_up(s + error_));
    }
    return proved;
  }

  // After a success: the end lies margin + error below theta.
  double next_margin(double theta, double margin, double failed) const {
    const double error = error_ - a_.perturbation();
    if (error > 8 * margin) return std::sqrt(margin * error);
    // The error grows at most about like the inverse square of the shift.
    double next = std::max({2 * error, std::sqrt(failed * margin), 0x1p-1000});
    const auto growth = [&](double m) { return (theta - margin) / (theta - m); };
    while (next < margin && error * growth(next) * growth(next) > next) next *= 4;
    return next;
  }

  void close_gap(FastEigenvalue& result) {
    std::optional<FastInertia> own;
    const FastInertia& inertia = options_.inertia != nullptr ? *options_.inertia : own.emplace(a_);
    // The end for the stored matrix itself: the perturbation is part of both bounds already.
    const double theta = upper_ - a_.perturbation(), size = std::fabs(theta);
    const double target = options_.relative_width * size;
    double margin = std::max(target / 2, 4 * inertia.approx_error(std::max(size, 0x1p-40)));
    double failed = 0, proved = 0;  // largest margin that failed, last that did not
    int refinements = 5;
    while (result.factorizations < options_.max_factorizations &&
           upper_ - lower_ > target + 2 * a_.perturbation()) {
      const double shift = theta - margin;
      if (shift < lower_) break;
      ++result.factorizations;
      double next;
      if (try_shift(inertia.count(sign_ * shift))) {
        result.method = FastEigenvalueMethod::inertia;
        proved = margin;
        next = next_margin(theta, margin, failed);
      } else {
        failed = margin;
        next = proved > 0 ? std::sqrt(failed * proved) : widening * margin;
      }
      if (proved > 0 &&
          (refinements-- == 0 || (next > margin / 4 && next <= margin) || next < failed))
        break;
      margin = next;
    }
  }

  const PointSaddle& a_;
  const FastEigenvalueOptions& options_;
  double sign_, lower_ = -infinity, upper_ = infinity, error_ = infinity;
};

}  // namespace

FastEigenvalue fast_lambda_min(const PointSaddle& a, const FastEigenvalueOptions& options) {
  return Search(a, options, 1).run();
}

FastEigenvalue fast_lambda_max(const PointSaddle& a, const FastEigenvalueOptions& options) {
  return Search(a, options, -1).run();
}

}  // namespace heed
