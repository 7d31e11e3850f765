// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/numeric/scalar.hpp"

namespace heed::detail {

/// The set of all v that forms speak of: |v| <= radius, or |v_k| <= half[k] for all k. Forms are made
/// and combined within the scope of one.
class FormDomain {
 public:
  static FormDomain ball(std::size_t dimension, const Rational& radius);
  static FormDomain box(const std::vector<Rational>& half);

  std::size_t dimension() const { return half_.size(); }
  bool is_ball() const { return is_ball_; }
  const DoubleBall& half(std::size_t k) const { return half_[k]; }
  /// Upper bound of |slope.v|, as a point.
  DoubleBall reach(const std::vector<DoubleBall>& slope) const;

 private:
  bool is_ball_ = false;
  std::vector<DoubleBall> half_;
};

/// Makes the domain that of all forms of this thread until it is destroyed.
class FormScope {
 public:
  explicit FormScope(const FormDomain& domain);
  ~FormScope();
  FormScope(const FormScope&) = delete;
  FormScope& operator=(const FormScope&) = delete;
  static const FormDomain& domain();

 private:
  const FormDomain* before_;
};

/// A function phi around a point c, to first order with a bound of the rest:
///
///   |phi(c + s v) - phi(c) - s slope.v| <= s^2 rest    for all v of the domain and 0 <= s <= 1,
///
/// where balls contain phi(c) and its gradient. Operations keep this true.
/// A scalar of KernelModel. Note: proofs-notes/landscape.md, "Forms".
class LinearForm {
 public:
  LinearForm() = default;
  LinearForm(int constant) : value_(constant) {}
  explicit LinearForm(const DoubleBall& constant) : value_(constant) {}
  /// Coordinate k of c + v.
  static LinearForm coordinate(const DoubleBall& centre, std::size_t k);

  const DoubleBall& value() const { return value_; }
  const std::vector<DoubleBall>& slope() const { return slope_; }  ///< empty: 0
  const DoubleBall& rest() const { return rest_; }                 ///< a point >= 0
  bool is_finite() const;
  bool is_constant() const { return slope_.empty() && rest_.mid() == 0 && rest_.is_finite(); }

  LinearForm& operator+=(const LinearForm& x);
  LinearForm& operator-=(const LinearForm& x);
  LinearForm& operator*=(const LinearForm& x) { return *this = *this * x; }
  LinearForm& operator/=(const LinearForm& x) { return *this = *this / x; }
  friend LinearForm operator+(LinearForm x, const LinearForm& y) { return x += y; }
  friend LinearForm operator-(LinearForm x, const LinearForm& y) { return x -= y; }
  friend LinearForm operator-(const LinearForm& x) { return x.scaled(DoubleBall(-1)); }
  friend LinearForm operator*(const LinearForm& x, const LinearForm& y);
  friend LinearForm operator/(const LinearForm& x, const LinearForm& y);
  friend LinearForm exp(const LinearForm& x);
  friend LinearForm square(const LinearForm& x) { return x * x; }
  /// Of constants only.
  friend LinearForm sqrt(const LinearForm& x) { return LinearForm(sqrt(x.value_)); }

 private:
  LinearForm scaled(const DoubleBall& factor) const;
  LinearForm reciprocal() const;
  DoubleBall reach() const { return FormScope::domain().reach(slope_); }

  DoubleBall value_;
  std::vector<DoubleBall> slope_;
  DoubleBall rest_;
};

}  // namespace heed::detail

namespace heed {

template <>
struct Scalar<detail::LinearForm> {
  static constexpr bool rigorous = true;
  static detail::LinearForm from(const Rational& q) { return detail::LinearForm(DoubleBall(q)); }
};

namespace approx {
inline bool less(const detail::LinearForm& a, const detail::LinearForm& b) {
  return a.value().mid() < b.value().mid();
}
}  // namespace approx
}  // namespace heed
