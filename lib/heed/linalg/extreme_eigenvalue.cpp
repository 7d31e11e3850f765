// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/extreme_eigenvalue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "heed/linalg/product.hpp"
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
    set_vector(a_.approx_extreme_vector(sign_ > 0 ? Extreme::smallest : Extreme::largest));
    // A step that certifies its shift next tries a margin of 2 residuals or a much smaller part of the
    // bracket (2^-2, 2^-4, 2^-8, ...: an eigenvalue of 1e-60 takes few steps); a failed one backs off.
    Ball growth(1);
    long shrink = 2;
    int count = 0;
    while (count < max_factorizations && !finished()) {
      const Ball margin =
          max(min(ldexp(residual_, 1) * growth, ldexp(inner_ - outer_, -shrink)), smallest_margin());
      const Ball s = (inner_ - margin).midpoint();
      const auto f = a_.factor_shifted(sign_ > 0 ? s : -s);
      ++count;
      const std::size_t beyond = sign_ > 0 ? f->negative : a_.size() - f->negative;
      const bool none_beyond = beyond == 0;
      const bool tried_closest = certainly(less_equal(margin, ldexp(smallest_margin(), 1)));
      if (f->error.is_finite()) {
        if (none_beyond) {
          outer_ = max(outer_, (s - f->error).lower()).lower();
          growth = Ball(1);
          shrink *= 2;
        } else {
          inner_ = min(inner_, (s + f->error).upper()).upper();
          growth = ldexp(growth, 2);
          shrink = std::max(shrink / 2, 1L);
        }
      } else {
        growth = ldexp(growth, 4);
        shrink = std::max(shrink / 2, 1L);
      }
      improve_vector(*f);
      if (none_beyond && tried_closest && f->error.is_finite()) break;
    }
    const Ball hull = Ball::hull(outer_, inner_);
    return {sign_ > 0 ? hull : -hull, residual_, v_, count};
  }

 private:
  // The width still to be allowed at either end: a quarter of the target, but no closer to the
  // eigenvalue than the factorisation resolves.
  Ball smallest_margin() const { return max(ldexp(target(), -2), floor_).upper(); }
  Ball target() const {
    return (abs(inner_) * Ball(Rational::parse("1e-" + std::to_string(digits_)))).upper();
  }
  bool finished() const {
    return certainly(less_equal(inner_ - outer_, target())) ||
           certainly(less_equal(inner_ - outer_, floor_));
  }

  void set_vector(const std::vector<double>& candidate) {
    v_.assign(candidate.begin(), candidate.end());
    v_.resize(a_.size());
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
    const Ball signed_theta = sign_ > 0 ? theta : -theta;
    inner_ = min(inner_, signed_theta.upper()).upper();
    const Ball mid = theta.midpoint();
    Ball r2;
    for (std::size_t k = 0; k < v_.size(); ++k) r2 += square(av[k] - mid * v_[k]);
    residual_ = min(sqrt_nonnegative(r2 / norm2).upper(), norm_).upper();
  }

  void improve_vector(const ShiftedFactorization& f) {
    std::vector<Ball> x = f.approx_solve(v_);
    if (x.empty()) return;
    long exponent = approx::exponent(Ball(0));
    for (const Ball& t : x) exponent = std::max(exponent, approx::exponent(t));
    for (Ball& t : x) {
      if (!t.is_finite()) return;
      t = ldexp(t.midpoint(), -exponent);
    }
    v_ = std::move(x);
    evaluate_vector();
  }

  const SymmetricOperator& a_;
  int sign_;
  int digits_;
  Ball norm_, floor_;
  Ball outer_, inner_;  // outer_ <= sign lambda <= inner_, both single points
  std::vector<Ball> v_;
  Ball residual_;
};

}  // namespace

EigenvalueEnclosure enclose_extreme_eigenvalue(const SymmetricOperator& a, Extreme end, int digits) {
  if (a.size() == 0) throw std::invalid_argument("expected a matrix of size 1 or more, found 0 x 0");
  return Bracket(a, end, digits).run();
}

}  // namespace heed
