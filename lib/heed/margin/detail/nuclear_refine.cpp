// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_refine.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

namespace heed::detail {
namespace {

std::size_t natural(Index i) { return static_cast<std::size_t>(i); }

long bits_of(const IntegerMatrix& a) { return std::labs(fmpz_mat_max_bits(a.raw())); }

// a 2^-shift in double.
MatrixXd scaled_double(const IntegerMatrix& a, long shift) {
  MatrixXd d(static_cast<Index>(a.rows()), static_cast<Index>(a.cols()));
  for (Index j = 0; j < d.cols(); ++j)
    for (Index i = 0; i < d.rows(); ++i) {
      slong e = 0;
      const double x = fmpz_get_d_2exp(&e, a.at(natural(i), natural(j)));
      d(i, j) = std::ldexp(x, static_cast<int>(std::max<long>(e - shift, -2000)));
    }
  return d;
}

void add_scaled(fmpz* x, double d, long exponent) {
  Integer t;
  int e = 0;
  const double mantissa = std::frexp(d, &e);
  fmpz_set_d(t.raw(), std::ldexp(mantissa, 53));
  const long shift = e - 53 + exponent;
  if (shift >= 0) {
    fmpz_mul_2exp(t.raw(), t.raw(), static_cast<ulong>(shift));
  } else {
    fmpz_tdiv_q_2exp(t.raw(), t.raw(), static_cast<ulong>(-shift));
  }
  fmpz_add(x, x, t.raw());
}

struct Residual {
  IntegerMatrix R;  // times 2^(2 bits) denominator
  IntegerMatrix c;
};

Residual exact_residual(const ExactRows& rows, const std::vector<Index>& active,
                        const FixedPoint& x) {
  const std::size_t p = rows.p(), q = rows.q();
  const IntegerMatrix M = rows.combine(x.l);
  Residual r{x.V, IntegerMatrix(active.size(), 1)};
  Integer unit;
  fmpz_mul_2exp(unit.raw(), rows.denominator.raw(), static_cast<ulong>(x.bits));
  fmpz_mat_scalar_mul_fmpz(r.R.raw(), r.R.raw(), unit.raw());
  const IntegerMatrix top = multiply(M, rows_of(x.V, p, q)),
                      bottom = multiply(transpose(M), rows_of(x.V, 0, p));
  for (std::size_t j = 0; j < x.V.cols(); ++j) {
    for (std::size_t i = 0; i < p; ++i) fmpz_sub(r.R.at(i, j), r.R.at(i, j), top.at(i, j));
    for (std::size_t i = 0; i < q; ++i)
      fmpz_sub(r.R.at(p + i, j), r.R.at(p + i, j), bottom.at(i, j));
  }
  const IntegerMatrix values = rows.values(x.V);
  for (std::size_t k = 0; k < active.size(); ++k) {
    const std::size_t row = natural(active[k]);
    if (!rows.equality[row]) {
      const long shift = 2 * x.bits + rows.exponent[row];
      if (shift >= 0) {
        fmpz_mul_2exp(r.c.at(k, 0), rows.denominator.raw(), static_cast<ulong>(shift));
      } else {
        fmpz_fdiv_q_2exp(r.c.at(k, 0), rows.denominator.raw(), static_cast<ulong>(-shift));
      }
    }
    fmpz_sub(r.c.at(k, 0), r.c.at(k, 0), values.at(row, 0));
  }
  return r;
}

}  // namespace

FixedPoint round_candidate(const NuclearCandidate& candidate, long bits) {
  FixedPoint x;
  x.bits = bits;
  fmpz_set_si(x.unit.raw(), 1);
  fmpz_mul_2exp(x.unit.raw(), x.unit.raw(), static_cast<ulong>(bits));
  x.V = IntegerMatrix(natural(candidate.V.rows()), natural(candidate.V.cols()));
  x.l = IntegerMatrix(natural(candidate.l.size()), 1);
  for (Index i = 0; i < candidate.V.rows(); ++i)
    for (Index j = 0; j < candidate.V.cols(); ++j)
      add_scaled(x.V.at(natural(i), natural(j)), candidate.V(i, j), bits);
  for (Index k = 0; k < candidate.l.size(); ++k)
    add_scaled(x.l.at(natural(k), 0), candidate.l[k], bits);
  return x;
}

long refine(const ExactRows& rows, const NuclearCandidate& candidate, FixedPoint& x) {
  const std::vector<Index>& active = candidate.active;
  FixedPoint best = x;
  long best_size = LONG_MAX;
  int stalls = 0;
  for (int i = 0; i < 8 + x.bits / 2 && stalls < 4; ++i) {
    const Residual r = exact_residual(rows, active, x);
    const long largest = std::max(bits_of(r.R), bits_of(r.c));
    const long size = largest - 2 * x.bits - static_cast<long>(fmpz_bits(rows.denominator.raw()));
    stalls = size < best_size ? 0 : stalls + 1;
    if (size < best_size) {
      best_size = size;
      best = x;
    }
    if (size <= -x.bits + 8) break;
    // The mantissa of the denominator is between 1/2 and 1.
    slong e = 0;
    const double mantissa = fmpz_get_d_2exp(&e, rows.denominator.raw());
    const NuclearNewton::Step s = candidate.newton->step(
        scaled_double(r.R, largest) / mantissa, scaled_double(r.c, largest).col(0) / mantissa);
    if (!s.dV.allFinite() || !s.dl.allFinite()) break;
    const long exponent = size + x.bits;
    for (Index a = 0; a < s.dV.rows(); ++a)
      for (Index b = 0; b < s.dV.cols(); ++b)
        add_scaled(x.V.at(natural(a), natural(b)), s.dV(a, b), exponent);
    for (std::size_t k = 0; k < active.size(); ++k)
      add_scaled(x.l.at(natural(active[k]), 0), s.dl[static_cast<Index>(k)], exponent);
  }
  x = best;
  return best_size;
}

}  // namespace heed::detail
