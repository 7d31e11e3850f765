// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/row_spans.hpp"

#include <algorithm>
#include <set>

#include "heed/linalg/detail/integer_matrix.hpp"

namespace heed::detail {
namespace {

using Row = const Rational*;

bool is_zero(Row x, std::size_t n) {
  return std::all_of(x, x + n, [](const Rational& c) { return c.sign() == 0; });
}

// Calls f(a_k, i) for every row that is not zero.
template <class F>
void for_rows(const MarginProblem& problem, const RankOneRows& rows, F&& f) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!is_zero(rows.a.row(k), problem.p()) && !is_zero(problem.Z.row(rows.query[k]), problem.q()))
      f(rows.a.row(k), rows.query[k]);
}
template <class F>
void for_rows(const MarginProblem& problem, F&& f) {
  for_rows(problem, problem.inequalities, f);
  for_rows(problem, problem.equalities, f);
}

std::vector<std::size_t> queries(const MarginProblem& problem) {
  std::set<std::size_t> used;
  for_rows(problem, [&](Row, std::size_t i) { used.insert(i); });
  return {used.begin(), used.end()};
}

// Each row times its own common denominator: same rank, integers.
std::size_t rank(const std::vector<Row>& rows, std::size_t n) {
  IntegerMatrix m(rows.size(), n);
  mpz_t lcm, t;
  mpz_init(lcm);
  mpz_init(t);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mpz_set_ui(lcm, 1);
    for (std::size_t c = 0; c < n; ++c) mpz_lcm(lcm, lcm, mpq_denref(rows[i][c].raw()));
    for (std::size_t c = 0; c < n; ++c) {
      mpz_divexact(t, lcm, mpq_denref(rows[i][c].raw()));
      mpz_mul(t, t, mpq_numref(rows[i][c].raw()));
      fmpz_set_mpz(m.at(i, c), t);
    }
  }
  mpz_clear(lcm);
  mpz_clear(t);
  return static_cast<std::size_t>(fmpz_mat_rank(m.raw()));
}

Rational inner(Row a, Row b, std::size_t n) {
  Rational sum;
  for (std::size_t c = 0; c < n; ++c) sum += a[c] * b[c];
  return sum;
}

}  // namespace

std::size_t rank_of_rows(const MarginProblem& problem) {
  std::vector<Row> rows;
  for_rows(problem, [&](Row a, std::size_t) { rows.push_back(a); });
  return rank(rows, problem.p());
}

std::size_t rank_of_queries(const MarginProblem& problem) {
  std::vector<Row> rows;
  for (const std::size_t i : queries(problem)) rows.push_back(problem.Z.row(i));
  return rank(rows, problem.q());
}

bool has_orthogonal_inputs(const MarginProblem& problem) {
  const std::vector<std::size_t> used = queries(problem);
  for (std::size_t i = 0; i < used.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (inner(problem.Z.row(used[i]), problem.Z.row(used[j]), problem.q()).sign() != 0)
        return false;
  std::vector<std::pair<Row, std::size_t>> rows;
  for_rows(problem, [&](Row a, std::size_t i) { rows.emplace_back(a, i); });
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (rows[k].second != rows[l].second &&
          inner(rows[k].first, rows[l].first, problem.p()).sign() != 0)
        return false;
  return true;
}

std::size_t inputs_with_inequalities(const MarginProblem& problem) {
  std::set<std::size_t> used;
  for_rows(problem, problem.inequalities, [&](Row, std::size_t i) { used.insert(i); });
  return used.size();
}

}  // namespace heed::detail
