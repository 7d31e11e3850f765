// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/integer_rows.hpp"

#include <map>
#include <string>

namespace heed::detail {
namespace {

/// count rationals as scale * integers without common factor; scale >= 0, 0 if all are 0.
Rational make_primitive(const Rational* x, std::size_t count, std::vector<Integer>& integers) {
  mpz_t lcm, gcd, term;
  mpz_inits(lcm, gcd, term, nullptr);
  mpz_set_ui(lcm, 1);
  for (std::size_t c = 0; c < count; ++c) mpz_lcm(lcm, lcm, mpq_denref(x[c].raw()));
  integers.assign(count, Integer());
  Integer content;
  for (std::size_t c = 0; c < count; ++c) {
    if (x[c].sign() == 0) continue;
    mpz_divexact(term, lcm, mpq_denref(x[c].raw()));
    mpz_mul(term, term, mpq_numref(x[c].raw()));
    mpz_gcd(gcd, gcd, term);
    fmpz_set_mpz(integers[c].raw(), term);
  }
  Rational scale;
  if (mpz_sgn(gcd) != 0) {
    fmpz_set_mpz(content.raw(), gcd);
    for (Integer& v : integers) fmpz_divexact(v.raw(), v.raw(), content.raw());
    mpz_set(mpq_numref(scale.raw()), gcd);
    mpz_set(mpq_denref(scale.raw()), lcm);
    mpq_canonicalize(scale.raw());
  }
  mpz_clears(lcm, gcd, term, nullptr);
  return scale;
}

bool first_nonzero_is_negative(const std::vector<Integer>& x) {
  for (const Integer& v : x)
    if (!fmpz_is_zero(v.raw())) return fmpz_sgn(v.raw()) < 0;
  return false;
}

void negate(std::vector<Integer>& x) {
  for (Integer& v : x) fmpz_neg(v.raw(), v.raw());
}

std::string key(const std::vector<Integer>& x) {
  std::string text;
  for (const Integer& v : x) {
    char* digits = fmpz_get_str(nullptr, 62, v.raw());
    (text += digits) += ' ';
    flint_free(digits);
  }
  return text;
}

IntegerMatrix matrix(const std::vector<std::vector<Integer>>& rows, std::size_t cols) {
  IntegerMatrix m(rows.size(), cols);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < cols; ++c) fmpz_set(m.at(i, c), rows[i][c].raw());
  return m;
}

/// Z as distinct primitive directions: z_i = scale_i * direction[id_i].
struct Directions {
  IntegerMatrix z;
  std::vector<std::size_t> id;
  std::vector<Rational> scale;

  explicit Directions(const Matrix<Rational>& Z) {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<Integer>> rows;
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      std::vector<Integer> integers;
      Rational s = make_primitive(Z.row(i), Z.cols(), integers);
      if (first_nonzero_is_negative(integers)) {
        negate(integers);
        s = -s;
      }
      const auto [at, added] = known.emplace(key(integers), rows.size());
      if (added) rows.push_back(std::move(integers));
      id.push_back(at->second);
      scale.push_back(s);
    }
    z = matrix(rows, Z.cols());
  }
};

class RowMerger {
 public:
  RowMerger(const RankOneRows& rows, const Directions& directions, bool equalities) {
    std::map<std::string, std::size_t> known;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::vector<Integer> integers;
      Rational scale = make_primitive(rows.a.row(k), rows.a.cols(), integers);
      const std::size_t i = rows.query[k];
      scale *= directions.scale[i];
      if (scale.sign() == 0) {
        if (!zero_row) zero_row = k;
        continue;
      }
      const bool turn = equalities ? first_nonzero_is_negative(integers) : scale.sign() < 0;
      if (turn) {
        negate(integers);
        scale = -scale;
      }
      const auto [at, added] =
          known.emplace(std::to_string(directions.id[i]) + ' ' + key(integers), a_.size());
      if (added) {
        a_.push_back(std::move(integers));
        out_.query.push_back(directions.id[i]);
        out_.source.push_back(k);
        out_.scale.push_back(scale);
      } else if (!equalities && scale < out_.scale[at->second]) {
        out_.source[at->second] = k;
        out_.scale[at->second] = scale;
      }
    }
    out_.a = matrix(a_, rows.a.cols());
  }
  std::optional<std::size_t> zero_row;
  IntegerRows take() { return std::move(out_); }

 private:
  std::vector<std::vector<Integer>> a_;
  IntegerRows out_;
};

}  // namespace

IntegerProblem integer_problem(const MarginProblem& problem) {
  IntegerProblem result;
  result.problem_rows = problem.rows();
  result.problem_equalities = problem.equalities.size();
  Directions directions(problem.Z);
  RowMerger inequalities(problem.inequalities, directions, false);
  result.zero_row = inequalities.zero_row;
  if (result.zero_row) return result;
  result.inequalities = inequalities.take();
  result.equalities = RowMerger(problem.equalities, directions, true).take();
  result.z = std::move(directions.z);
  // b_k = B / scale_k with the least B > 0 that makes them integers.
  mpz_t lcm, term;
  mpz_inits(lcm, term, nullptr);
  mpz_set_ui(lcm, 1);
  for (const Rational& s : result.inequalities.scale) mpz_lcm(lcm, lcm, mpq_numref(s.raw()));
  for (const Rational& s : result.inequalities.scale) {
    mpz_divexact(term, lcm, mpq_numref(s.raw()));
    mpz_mul(term, term, mpq_denref(s.raw()));
    result.b.emplace_back(term);
  }
  result.B = Integer(lcm);
  mpz_clears(lcm, term, nullptr);
  return result;
}

IntegerMatrix gram(const IntegerProblem& problem, const std::vector<std::size_t>& index) {
  const std::size_t p = index.size(), width = problem.inequalities.a.cols();
  IntegerMatrix a(p, width);
  std::map<std::size_t, std::size_t> place;  // of a direction among those in use
  for (std::size_t k = 0; k < p; ++k) {
    for (std::size_t c = 0; c < width; ++c) fmpz_set(a.at(k, c), problem.a_entry(index[k], c));
    place.emplace(problem.query(index[k]), place.size());
  }
  IntegerMatrix z(place.size(), problem.z.cols());
  for (const auto& [direction, i] : place)
    for (std::size_t c = 0; c < z.cols(); ++c) fmpz_set(z.at(i, c), problem.z.at(direction, c));
  IntegerMatrix g = multiply(a, transpose(a));
  const IntegerMatrix kernel = multiply(z, transpose(z));
  std::vector<std::size_t> at(p);
  for (std::size_t k = 0; k < p; ++k) at[k] = place.at(problem.query(index[k]));
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t l = 0; l < p; ++l) fmpz_mul(g.at(k, l), g.at(k, l), kernel.at(at[k], at[l]));
  return g;
}

Combination evaluate(const IntegerProblem& problem, const std::vector<std::size_t>& index,
                     const std::vector<Integer>& x) {
  const std::size_t width = problem.inequalities.a.cols();
  IntegerMatrix c(width,
                  problem.z.rows());  // column i: sum of x_k a_k over the rows of direction i
  for (std::size_t k = 0; k < index.size(); ++k)
    for (std::size_t r = 0; r < width; ++r)
      fmpz_addmul(c.at(r, problem.query(index[k])), x[k].raw(), problem.a_entry(index[k], r));
  const IntegerMatrix M = multiply(c, problem.z);
  const IntegerMatrix Mz = multiply(M, transpose(problem.z));  // column i: M z_i
  Combination result;
  for (std::size_t r = 0; r < M.rows(); ++r)
    for (std::size_t s = 0; s < M.cols(); ++s)
      fmpz_addmul(result.norm2.raw(), M.at(r, s), M.at(r, s));
  result.values.resize(problem.size());
  for (std::size_t k = 0; k < problem.size(); ++k)
    for (std::size_t r = 0; r < width; ++r)
      fmpz_addmul(result.values[k].raw(), problem.a_entry(k, r), Mz.at(r, problem.query(k)));
  return result;
}

Multipliers original_multipliers(const IntegerProblem& problem,
                                 const std::vector<std::size_t>& index,
                                 const std::vector<Integer>& x, const Integer& divisor) {
  Multipliers result;
  result.lambda.resize(problem.problem_rows);
  result.mu.resize(problem.problem_equalities);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const bool equality = problem.is_equality(index[k]);
    const IntegerRows& rows = equality ? problem.equalities : problem.inequalities;
    const std::size_t row = equality ? index[k] : index[k] - problem.equalities.size();
    // x_k (a_k z^T) = (x_k / scale_k) A_source
    const Rational& scale = rows.scale[row];
    const Integer above(mpq_denref(scale.raw())), below(mpq_numref(scale.raw()));
    Integer numerator, denominator;
    fmpz_mul(numerator.raw(), x[k].raw(), above.raw());
    fmpz_mul(denominator.raw(), divisor.raw(), below.raw());
    (equality ? result.mu : result.lambda)[rows.source[row]] =
        ratio(numerator.raw(), denominator.raw());
  }
  return result;
}

}  // namespace heed::detail
