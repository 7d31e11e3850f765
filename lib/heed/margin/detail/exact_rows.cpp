// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/exact_rows.hpp"

namespace heed::detail {
namespace {

// x 2^-exponent, row by row, over the least common denominator, which is returned.
class Cleared {
 public:
  Cleared(std::size_t rows, std::size_t cols) : values_(rows, cols) {}
  void set(std::size_t row, const Rational* x, long exponent) {
    const Rational scale = Rational::power_of_two(-exponent);
    for (std::size_t c = 0; c < values_.cols(); ++c) values_(row, c) = x[c] * scale;
  }
  Integer clear(IntegerMatrix& to) const {
    mpz_t lcm;
    mpz_init_set_si(lcm, 1);
    for (const Rational& x : values_.entries()) mpz_lcm(lcm, lcm, mpq_denref(x.raw()));
    mpz_t t;
    mpz_init(t);
    for (std::size_t i = 0; i < values_.rows(); ++i)
      for (std::size_t c = 0; c < values_.cols(); ++c) {
        mpz_divexact(t, lcm, mpq_denref(values_(i, c).raw()));
        mpz_mul(t, t, mpq_numref(values_(i, c).raw()));
        fmpz_set_mpz(to.at(i, c), t);
      }
    Integer denominator;
    fmpz_set_mpz(denominator.raw(), lcm);
    mpz_clear(t);
    mpz_clear(lcm);
    return denominator;
  }

 private:
  Matrix<Rational> values_;
};

}  // namespace

ExactRows::ExactRows(const MarginProblem& problem, const ScaledRows& scaled)
    : a(scaled.source.size(), problem.p()), z(problem.Z.rows(), problem.q()) {
  Cleared rows(a.rows(), a.cols()), queries(z.rows(), z.cols());
  for (std::size_t i = 0; i < z.rows(); ++i)
    queries.set(i, problem.Z.row(i), scaled.query_exponent[i]);
  for (std::size_t k = 0; k < a.rows(); ++k) {
    const RowSource& s = scaled.source[k];
    const RankOneRows& from = s.equality ? problem.equalities : problem.inequalities;
    rows.set(k, from.a.row(s.row), scaled.row_exponent[k]);
    const std::size_t i = from.query[s.row];
    query.push_back(i);
    equality.push_back(s.equality);
    exponent.push_back(scaled.exponent(static_cast<Index>(k)));
  }
  const Integer da = rows.clear(a), dz = queries.clear(z);
  fmpz_mul(denominator.raw(), da.raw(), dz.raw());
}

IntegerMatrix rows_of(const IntegerMatrix& a, std::size_t first, std::size_t count) {
  IntegerMatrix part(count, a.cols());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) fmpz_set(part.at(i, j), a.at(first + i, j));
  return part;
}

IntegerMatrix ExactRows::values(const IntegerMatrix& V) const {
  const IntegerMatrix B = rows_of(V, 0, p()), C = rows_of(V, p(), q());
  const IntegerMatrix u = multiply(multiply(z, C), transpose(B));  // row i: z_i^T C B^T
  IntegerMatrix v(size(), 1);
  for (std::size_t k = 0; k < size(); ++k)
    for (std::size_t c = 0; c < p(); ++c) fmpz_addmul(v.at(k, 0), a.at(k, c), u.at(query[k], c));
  return v;
}

IntegerMatrix ExactRows::combine(const IntegerMatrix& l) const {
  IntegerMatrix c(p(), z.rows());
  for (std::size_t k = 0; k < size(); ++k)
    if (!fmpz_is_zero(l.at(k, 0)))
      for (std::size_t r = 0; r < p(); ++r) fmpz_addmul(c.at(r, query[k]), l.at(k, 0), a.at(k, r));
  return multiply(c, z);
}

}  // namespace heed::detail
