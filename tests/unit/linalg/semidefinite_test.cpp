// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/semidefinite.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "unit/margin/nuclear_support.hpp"

using namespace heed;
using namespace heed::detail;

namespace {

IntegerMatrix integers(const std::vector<std::vector<long>>& rows) {
  IntegerMatrix m(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) fmpz_set_si(m.at(i, j), rows[i][j]);
  return m;
}

Integer integer(long x) {
  Integer i;
  fmpz_set_si(i.raw(), x);
  return i;
}

}  // namespace

TEST_CASE("exact elimination: zero pivots and zero rows") {
  CHECK(is_semidefinite_exactly(integers({{0}})));
  CHECK(is_semidefinite_exactly(integers({{0, 0}, {0, 3}})));
  CHECK(is_semidefinite_exactly(integers({{1, 1}, {1, 1}})));
  CHECK(is_semidefinite_exactly(integers({{1, 1, 1}, {1, 1, 1}, {1, 1, 2}})));
  CHECK_FALSE(is_semidefinite_exactly(integers({{0, 1}, {1, 5}})));  // zero pivot, row not zero
  CHECK_FALSE(is_semidefinite_exactly(integers({{1, 1, 1}, {1, 1, 2}, {1, 2, 9}})));
  CHECK_FALSE(is_semidefinite_exactly(integers({{1, 2}, {2, 3}})));
  CHECK_FALSE(is_semidefinite_exactly(integers({{0, 0}, {0, -1}})));
}

TEST_CASE("exact elimination agrees with rational elimination on random singular matrices") {
  std::mt19937_64 random(3);
  std::size_t yes = 0, no = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random() % 5, r = random() % (n + 1);
    std::vector<std::vector<long>> g(n, std::vector<long>(n)), b(n, std::vector<long>(r));
    for (auto& row : b)
      for (long& x : row) x = static_cast<long>(random() % 5) - 2;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < r; ++k) g[i][j] += b[i][k] * b[j][k];
    if (random() % 2 == 0) {
      const std::size_t i = random() % n, j = random() % n;
      g[i][j] += random() % 2 == 0 ? 1 : -1;
      g[j][i] = g[i][j];
    }
    Matrix<Rational> q(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) q(i, j) = Rational(g[i][j]);
    const bool expected = margin_test::semidefinite(q);
    INFO("trial " << trial);
    CHECK(is_semidefinite_exactly(integers(g)) == expected);
    ++(expected ? yes : no);
  }
  CHECK(yes > 500);
  CHECK(no > 300);
}

TEST_CASE("alpha I - beta M^T M at the norm itself and beside it") {
  const IntegerMatrix M = integers({{3, 4}, {0, 0}});  // norm 5
  CHECK(is_semidefinite(integer(25), integer(1), M, 64));
  CHECK_FALSE(is_semidefinite(integer(24), integer(1), M, 64));
  CHECK(is_semidefinite(integer(100), integer(4), M, 64));
  CHECK_FALSE(is_definite(integers({{1, 1}, {1, 1}}), 64));
  CHECK(is_definite(integers({{2, 1}, {1, 1}}), 64));
}
