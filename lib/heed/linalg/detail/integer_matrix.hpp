// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT.

#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>

#include <cstddef>
#include <utility>

#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// Integer of any size: RAII over FLINT's fmpz.
class Integer {
 public:
  Integer() { fmpz_init(value_); }
  explicit Integer(const mpz_t value) : Integer() { fmpz_set_mpz(value_, value); }
  Integer(const Integer& other) { fmpz_init_set(value_, other.value_); }
  Integer(Integer&& other) noexcept : Integer() { fmpz_swap(value_, other.value_); }
  Integer& operator=(Integer other) noexcept {
    fmpz_swap(value_, other.value_);
    return *this;
  }
  ~Integer() { fmpz_clear(value_); }

  fmpz* raw() { return value_; }
  const fmpz* raw() const { return value_; }

 private:
  fmpz_t value_;
};

/// Dense matrix of integers of any size: RAII over FLINT's fmpz_mat. No views, so that rows may be
/// moved about by FLINT.
class IntegerMatrix {
 public:
  IntegerMatrix() : IntegerMatrix(0, 0) {}
  IntegerMatrix(std::size_t rows, std::size_t cols) {
    fmpz_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(cols));
  }
  IntegerMatrix(const IntegerMatrix& other) { fmpz_mat_init_set(value_, other.value_); }
  IntegerMatrix(IntegerMatrix&& other) noexcept : IntegerMatrix() {
    fmpz_mat_swap(value_, other.value_);
  }
  IntegerMatrix& operator=(IntegerMatrix other) noexcept {
    fmpz_mat_swap(value_, other.value_);
    return *this;
  }
  ~IntegerMatrix() { fmpz_mat_clear(value_); }

  std::size_t rows() const { return static_cast<std::size_t>(fmpz_mat_nrows(value_)); }
  std::size_t cols() const { return static_cast<std::size_t>(fmpz_mat_ncols(value_)); }
  fmpz* at(std::size_t i, std::size_t j) {
    return fmpz_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  const fmpz* at(std::size_t i, std::size_t j) const {
    return fmpz_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
  }
  fmpz_mat_struct* raw() { return value_; }
  const fmpz_mat_struct* raw() const { return value_; }

 private:
  fmpz_mat_t value_;
};

/// A B.
inline IntegerMatrix multiply(const IntegerMatrix& a, const IntegerMatrix& b) {
  IntegerMatrix c(a.rows(), b.cols());
  fmpz_mat_mul(c.raw(), a.raw(), b.raw());
  return c;
}

inline IntegerMatrix transpose(const IntegerMatrix& a) {
  IntegerMatrix t(a.cols(), a.rows());
  fmpz_mat_transpose(t.raw(), a.raw());
  return t;
}

/// numerator / denominator. Precondition: denominator != 0.
inline Rational ratio(const fmpz* numerator, const fmpz* denominator) {
  Rational r;
  fmpz_get_mpz(mpq_numref(r.raw()), numerator);
  fmpz_get_mpz(mpq_denref(r.raw()), denominator);
  mpq_canonicalize(r.raw());
  return r;
}

}  // namespace heed::detail
