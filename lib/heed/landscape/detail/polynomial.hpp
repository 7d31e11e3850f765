// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <flint/fmpz_poly.h>

#include <cstddef>
#include <vector>

#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// Polynomial with integer coefficients: RAII over FLINT's fmpz_poly.
class Polynomial {
 public:
  Polynomial() { fmpz_poly_init(value_); }
  /// The primitive integer multiple, by a positive number, of sum_k coefficients[k] u^k.
  explicit Polynomial(const std::vector<Rational>& coefficients);
  Polynomial(const Polynomial& other) : Polynomial() { fmpz_poly_set(value_, other.value_); }
  Polynomial(Polynomial&& other) noexcept : Polynomial() { fmpz_poly_swap(value_, other.value_); }
  Polynomial& operator=(Polynomial other) noexcept {
    fmpz_poly_swap(value_, other.value_);
    return *this;
  }
  ~Polynomial() { fmpz_poly_clear(value_); }

  bool is_zero() const { return fmpz_poly_is_zero(value_) != 0; }
  long degree() const { return fmpz_poly_degree(value_); }  ///< -1 for 0
  Rational coefficient(long k) const;
  Polynomial derivative() const;
  /// -1, 0 or +1.
  int sign_at(const Rational& u) const;
  int leading_sign() const;
  /// Divided by its content, a positive number.
  void make_primitive();

  fmpz_poly_struct* raw() { return value_; }
  const fmpz_poly_struct* raw() const { return value_; }

 private:
  fmpz_poly_t value_;
};

/// a / b. Precondition: b divides a.
Polynomial exact_quotient(const Polynomial& a, const Polynomial& b);
Polynomial greatest_common_divisor(const Polynomial& a, const Polynomial& b);
Polynomial power(const Polynomial& a, long exponent);

/// A factor without multiple roots, and how often it divides; factors share no roots.
struct SquareFreeFactor {
  Polynomial factor;
  long multiplicity;
};
std::vector<SquareFreeFactor> square_free_factors(const Polynomial& a);

}  // namespace heed::detail
