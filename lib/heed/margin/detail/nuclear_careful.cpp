// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/mpfr_real.hpp"

#include "heed/margin/detail/nuclear_careful.hpp"

#include <cmath>

#include "heed/linalg/detail/singular_triples.hpp"
#include "heed/margin/detail/nuclear_interior.hpp"
#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::detail {
namespace {

template <unsigned D>
RowsOf<Real<D>> convert(const MarginProblem& problem, const ScaledRows& scaled) {
  using T = Real<D>;
  RowsOf<T> rows;
  rows.query = scaled.query;
  rows.source = scaled.source;
  rows.A.resize(scaled.A.rows(), scaled.A.cols());
  rows.Z.resize(scaled.Z.rows(), scaled.Z.cols());
  rows.b.resize(scaled.size());
  const auto fill = [](const Rational* x, Index n, long exponent, auto&& column) {
    for (Index c = 0; c < n; ++c) column[c] = ldexp(Scalar<T>::from(x[c]), -exponent);
  };
  for (Index i = 0; i < rows.Z.cols(); ++i) {
    const auto from = static_cast<std::size_t>(i);
    fill(problem.Z.row(from), rows.Z.rows(), scaled.query_exponent[from], rows.Z.col(i));
  }
  for (Index k = 0; k < rows.size(); ++k) {
    const RowSource& s = scaled.source[static_cast<std::size_t>(k)];
    fill((s.equality ? problem.equalities : problem.inequalities).a.row(s.row), rows.A.rows(),
         scaled.row_exponent[static_cast<std::size_t>(k)], rows.A.col(k));
    rows.b[k] = s.equality ? T(0) : ldexp(T(1), scaled.exponent(k));
  }
  return rows;
}

template <unsigned D>
void round_to(fmpz* to, const Real<D>& x, long bits) {
  mpz_t z;
  mpz_init(z);
  mpfr_get_z(z, ldexp(x, bits).backend().data(), MPFR_RNDN);
  fmpz_set_mpz(to, z);
  mpz_clear(z);
}

void round_to(fmpz* to, const Ball& x, long bits) {
  arf_get_fmpz_fixed_si(to, arb_midref(arb(x)), -bits);
}

struct Ended {
  FixedPoint x;
  bool converged = false;
};

template <unsigned D>
Ended run(const MarginProblem& problem, const ScaledRows& scaled, int digits, long bits) {
  const RowsOf<Real<D>> rows = convert<D>(problem, scaled);
  const double tolerance = std::pow(10.0, -digits - 2);
  InteriorPointOf<Real<D>> point;
  Ended ended;
  for (const double start : {10.0, 1e4, 1e10}) {
    point = interior_point(rows, start, tolerance, 1e40);
    ended.converged = std::max(std::fabs(point.gap), point.infeasibility) <= tolerance;
    if (ended.converged) break;
  }
  // W = Y12 = B C^T by its singular triples.
  const PrecisionScope scope(static_cast<int>(4 * D));
  const std::size_t p = static_cast<std::size_t>(rows.A.rows()),
                    q = static_cast<std::size_t>(rows.Z.rows());
  Matrix<Ball> W(p, q);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < q; ++j)
      arf_set_mpfr(arb_midref(arb(W(i, j))),
                   point.Y(static_cast<Index>(i), static_cast<Index>(p + j)).backend().data());
  const SingularTriples triples = approx_singular_triples(W);
  FixedPoint& x = ended.x;
  x.bits = bits;
  fmpz_one(x.unit.raw());
  fmpz_mul_2exp(x.unit.raw(), x.unit.raw(), static_cast<ulong>(bits));
  x.V = IntegerMatrix(p + q, triples.sigma.size());
  for (std::size_t j = 0; j < triples.sigma.size(); ++j) {
    const Ball root = sqrt_nonnegative(triples.sigma[j]);
    for (std::size_t i = 0; i < p; ++i) round_to(x.V.at(i, j), triples.left(j, i) * root, bits);
    for (std::size_t i = 0; i < q; ++i)
      round_to(x.V.at(p + i, j), triples.right(j, i) * root, bits);
  }
  x.l = IntegerMatrix(static_cast<std::size_t>(rows.size()), 1);
  for (std::size_t k = 0; k < x.l.rows(); ++k)
    round_to(x.l.at(k, 0), point.l[static_cast<Index>(k)], bits);
  return ended;
}

}  // namespace

std::optional<FixedPoint> careful_candidate(const MarginProblem& problem, const ScaledRows& scaled,
                                            int digits, long bits) {
  if (scaled.size() > 250 || scaled.A.rows() + scaled.Z.rows() > 64) return {};
  if (digits > 90) return {};
  if (digits <= 15) {
    Ended few = run<50>(problem, scaled, digits, bits);
    if (few.converged) return std::move(few.x);
  }
  if (digits <= 40) {
    Ended more = run<100>(problem, scaled, digits, bits);
    if (more.converged) return std::move(more.x);
  }
  return run<200>(problem, scaled, digits, bits).x;
}

}  // namespace heed::detail
