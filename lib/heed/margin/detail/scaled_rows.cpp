// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/scaled_rows.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

namespace heed::detail {
namespace {

long exponent_above(const Rational& x) {
  return static_cast<long>(mpz_sizeinbase(mpq_numref(x.raw()), 2)) -
         static_cast<long>(mpz_sizeinbase(mpq_denref(x.raw()), 2)) + 1;
}

// Row by row into the columns of a matrix, each scaled.
void fill(const Rational* x, std::size_t n, long exponent, double* to) {
  const Rational scale = Rational::power_of_two(-exponent);
  for (std::size_t c = 0; c < n; ++c)
    to[c] = x[c].sign() == 0 ? 0 : (x[c] * scale).nearest_double();
}

}  // namespace

long exponent_above(const Rational* x, std::size_t n) {
  long largest = LONG_MIN;
  for (std::size_t c = 0; c < n; ++c)
    if (x[c].sign() != 0) largest = std::max(largest, exponent_above(x[c]));
  return largest;
}

ScaledRows scale_rows(const MarginProblem& problem) {
  ScaledRows s;
  const std::size_t n = problem.Z.rows(), p = problem.p(), q = problem.q();
  s.Z = MatrixXd::Zero(static_cast<Index>(q), static_cast<Index>(n));
  std::vector<bool> zero_query(n);
  for (std::size_t i = 0; i < n; ++i) {
    const long e = exponent_above(problem.Z.row(i), q);
    zero_query[i] = e == LONG_MIN;
    s.query_exponent.push_back(zero_query[i] ? 0 : e);
    fill(problem.Z.row(i), q, s.query_exponent[i], s.Z.col(static_cast<Index>(i)).data());
  }
  struct Item {
    std::size_t query;
    RowSource source;
    long exponent;
  };
  std::vector<Item> items;
  const auto collect = [&](const RankOneRows& rows, bool equality) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const long e = exponent_above(rows.a.row(k), p);
      if (e != LONG_MIN && !zero_query[rows.query[k]])
        items.push_back({rows.query[k], {equality, k}, e});
    }
  };
  collect(problem.inequalities, false);
  collect(problem.equalities, true);
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.query < b.query; });
  s.A.resize(static_cast<Index>(p), static_cast<Index>(items.size()));
  s.b = VectorXd::Zero(s.A.cols());
  for (Index k = 0; k < s.A.cols(); ++k) {
    const Item& item = items[static_cast<std::size_t>(k)];
    const RankOneRows& rows = item.source.equality ? problem.equalities : problem.inequalities;
    fill(rows.a.row(item.source.row), p, item.exponent, s.A.col(k).data());
    s.query.push_back(static_cast<Index>(item.query));
    s.source.push_back(item.source);
    s.row_exponent.push_back(item.exponent);
  }
  s.rescale(0);
  return s;
}

long ScaledRows::exponent(Index k) const {
  return -row_exponent[static_cast<std::size_t>(k)] -
         query_exponent[static_cast<std::size_t>(query_of(k))] - 2 * scale;
}

void ScaledRows::rescale(long new_scale) {
  scale = new_scale;
  for (Index k = 0; k < size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (!equality(k))
      b[k] = std::ldexp(
          1.0, static_cast<int>(-row_exponent[i] -
                                query_exponent[static_cast<std::size_t>(query[i])] - 2 * scale));
  }
}

ScaledRows ScaledRows::subset(const std::vector<Index>& rows) const {
  ScaledRows s;
  const auto m = static_cast<Index>(rows.size());
  s.A.resize(A.rows(), m);
  s.Z = Z;
  s.b.resize(m);
  s.query_exponent = query_exponent;
  s.scale = scale;
  for (Index k = 0; k < m; ++k) {
    const Index from = rows[static_cast<std::size_t>(k)];
    const auto f = static_cast<std::size_t>(from);
    s.A.col(k) = A.col(from);
    s.b[k] = b[from];
    s.query.push_back(query[f]);
    s.source.push_back(source[f]);
    s.row_exponent.push_back(row_exponent[f]);
  }
  return s;
}

}  // namespace heed::detail
