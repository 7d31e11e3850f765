// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/mpfr_real.hpp"

#include "heed/margin/detail/nuclear_careful.hpp"

#include <Eigen/SVD>
#include <cmath>

#include "heed/margin/detail/nuclear_interior.hpp"

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

template <unsigned D>
std::optional<FixedPoint> run(const MarginProblem& problem, const ScaledRows& scaled, int digits,
                              long bits) {
  using MatrixT = typename RowsOf<Real<D>>::MatrixT;
  const RowsOf<Real<D>> rows = convert<D>(problem, scaled);
  const double tolerance = std::pow(10.0, -digits - 2);
  InteriorPointOf<Real<D>> point;
  for (const double start : {10.0, 1e4, 1e10}) {
    point = interior_point(rows, start, tolerance, 1e40);
    if (std::max(std::fabs(point.gap), point.infeasibility) <= tolerance) break;
  }
  const Index p = rows.A.rows(), q = rows.Z.rows(), r = std::min(p, q);
  const MatrixT W = point.Y.topRightCorner(p, q);
  const Eigen::JacobiSVD<MatrixT> svd(W, Eigen::ComputeThinU | Eigen::ComputeThinV);
  MatrixT V(p + q, r);
  for (Index j = 0; j < r; ++j) {
    const Real<D> root = sqrt_nonnegative(Real<D>(svd.singularValues()[j]));
    V.col(j).head(p) = root * svd.matrixU().col(j);
    V.col(j).tail(q) = root * svd.matrixV().col(j);
  }
  FixedPoint x;
  x.bits = bits;
  fmpz_set_si(x.unit.raw(), 1);
  fmpz_mul_2exp(x.unit.raw(), x.unit.raw(), static_cast<ulong>(bits));
  x.V = IntegerMatrix(static_cast<std::size_t>(p + q), static_cast<std::size_t>(r));
  for (std::size_t i = 0; i < x.V.rows(); ++i)
    for (std::size_t j = 0; j < x.V.cols(); ++j)
      round_to(x.V.at(i, j), V(static_cast<Index>(i), static_cast<Index>(j)), bits);
  x.l = IntegerMatrix(static_cast<std::size_t>(rows.size()), 1);
  for (std::size_t k = 0; k < x.l.rows(); ++k)
    round_to(x.l.at(k, 0), point.l[static_cast<Index>(k)], bits);
  return x;
}

}  // namespace

std::optional<FixedPoint> careful_candidate(const MarginProblem& problem, const ScaledRows& scaled,
                                            int digits, long bits) {
  if (scaled.size() > 250 || scaled.A.rows() + scaled.Z.rows() > 64) return {};
  if (digits <= 15) return run<50>(problem, scaled, digits, bits);
  if (digits <= 40) return run<100>(problem, scaled, digits, bits);
  if (digits <= 90) return run<200>(problem, scaled, digits, bits);
  return {};
}

}  // namespace heed::detail
