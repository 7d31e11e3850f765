// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/extreme_eigenvalue.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/rational.hpp"

namespace heed {
namespace {

constexpr int max_factorizations = 80;

/// Brackets the extreme eigenvalue lambda of A, seen from outside the spectrum: with sign = +1 for
/// lambda_min and -1 for lambda_max, sign lambda is the least eigenvalue of sign A.
class Bracket {
 public:
  Bracket(const SymmetricOperator& a, Extreme end, int digits)
      : a_(a), sign_(end == Extreme::smallest ? 1 : -1), digits_(digits), norm_(a.norm_bound()) {
    outer_ = -norm_;
    inner_ = norm_;
    floor_ = (norm_ * a.resolution()).upper();
    v_.assign(a.size(), Ball(1));
  }

  EigenvalueEnclosure run() {
    if (certainly(less_equal(norm_, Ball(0)))) return {Ball(0), Ball(0), v_, 0};
    if (!norm_.is_finite()) return {Ball::hull(outer_, inner_), norm_, v_, 0};
    const std::vector<double> candidate =
        a_.approx_extreme_vector(sign_ > 0 ? Extreme::smallest : Extreme::largest);
    set_vector({candidate.begin(), candidate.end()});
    // A step that certifies its shift next tries a margin of 2 residuals or a much smaller part of the
    // bracket (2^-2, 2^-4, 2^-8, ...: an eigenvalue of 1e-60 takes few steps); a failed one backs off.
    // A bracket of a few errors of the factorisation (wide entries, few bits) cannot get narrower.
    long growth = 0, shrink = 2;  // exponents of two; both double, for eigenvalues of any magnitude
    int count = 0;
    while (count < max_factorizations && !finished()) {
      const Ball width = inner_ - outer_, least = smallest_margin();
      const Ball margin =
          max(min(ldexp(max(ldexp(residual_, 1), least), growth), ldexp(width, -shrink)), least);
      const Ball s = (inner_ - margin).midpoint();
      const auto f = a_.factor_shifted(sign_ > 0 ? s : -s);
      ++count;
      const std::size_t beyond = sign_ > 0 ? f->negative : a_.size() - f->negative;
      const bool none_beyond = beyond == 0;
      const bool tried_closest = certainly(less_equal(margin, ldexp(least, 1)));
      if (f->error.is_finite()) {
        if (none_beyond) {
          outer_ = max(outer_, (s - f->error).lower()).lower();
          growth = 0;
          shrink *= 2;
        } else {
          inner_ = min(inner_, (s + f->error).upper()).upper();
          growth = std::max(2 * growth, 2L);
          shrink = std::max(shrink / 2, 1L);
        }
      } else {
        if (certainly(less_equal(ldexp(width, -1), margin))) break;  // as far off as it gets
        growth = std::max(2 * growth, 4L);
        shrink = std::max(shrink / 2, 1L);
      }
      improve_vector(*f);
      if (!f->error.is_finite()) continue;
      if (none_beyond && tried_closest) break;
      if (certainly(less_equal(inner_ - outer_, ldexp(f->error, 2)))) break;
    }
    const Ball hull = Ball::hull(outer_, inner_);
    return {sign_ > 0 ? hull : -hull, residual_, v_, count};
  }

 private:
  // The width still to be allowed at either end: a quarter of the target, but no closer to the
  // eigenvalue than the factorisation resolves.
  Ball smallest_margin() const { return max(ldexp(target(), -2), floor_).upper(); }
  Ball target() const { return (abs(inner_) * power_of_ten(-static_cast<long>(digits_))).upper(); }
  bool finished() const {
    return certainly(less_equal(inner_ - outer_, target())) ||
           certainly(less_equal(inner_ - outer_, floor_));
  }

  // The count has found an eigenvalue beyond the Rayleigh quotient: the vector belongs to another one.
  bool stuck() const { return certainly(less(inner_, theta_)); }

  // Takes a vector of finite numbers that is not zero, scaled to a largest entry of 1. Not by a power
  // of two: exponents of balls may exceed any machine integer.
  void set_vector(std::vector<Ball> x) {
    x.resize(a_.size());
    const auto largest = std::max_element(
        x.begin(), x.end(), [](const Ball& a, const Ball& b) { return approx::abs_less(a, b); });
    const Ball unit = abs(largest->midpoint());
    const auto finite = [](const Ball& t) { return t.is_finite(); };
    if (!unit.contains_zero() && std::all_of(x.begin(), x.end(), finite)) {
      for (Ball& t : x) t = (t.midpoint() / unit).midpoint();
      v_ = std::move(x);
    }
    evaluate_vector();
  }

  // Rayleigh quotient theta (an upper bound of sign lambda) and residual norm of the current vector.
  void evaluate_vector() {
    const std::vector<Ball> av = a_.apply(v_);
    const Ball norm2 = squared_norm(v_);
    const Ball theta = dot(v_, av) / norm2;
    if (!theta.is_finite()) {
      residual_ = norm_;
      return;
    }
    theta_ = sign_ > 0 ? theta : -theta;
    inner_ = min(inner_, theta_.upper()).upper();
    const Ball mid = theta.midpoint();
    Ball r2;
    for (std::size_t k = 0; k < v_.size(); ++k) r2 += square(av[k] - mid * v_[k]);
    residual_ = min(sqrt_nonnegative(r2 / norm2).upper(), norm_).upper();
  }

  void improve_vector(const ShiftedFactorization& f) {
    std::vector<Ball> b = v_;
    if (stuck())
      for (std::size_t k = 0; k < b.size(); ++k)
        b[k] += Ball(std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0) - 0.5);
    std::vector<Ball> x = f.approx_solve(b);
    if (!x.empty()) set_vector(std::move(x));
  }

  const SymmetricOperator& a_;
  int sign_;
  int digits_;
  Ball norm_, floor_;
  Ball outer_, inner_;  // outer_ <= sign lambda <= inner_, both single points
  std::vector<Ball> v_;
  Ball theta_;  // Rayleigh quotient of v_, times the sign
  Ball residual_;
};

}  // namespace

EigenvalueEnclosure enclose_extreme_eigenvalue(const SymmetricOperator& a, Extreme end,
                                               int digits) {
  require_standard_float_environment();
  if (a.size() == 0)
    throw std::invalid_argument("expected a matrix of size 1 or more, found 0 x 0");
  return Bracket(a, end, digits).run();
}

}  // namespace heed
