// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/sturm.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using heed::Rational;
using namespace heed::detail;

namespace {

Polynomial from_roots(const std::vector<Rational>& roots) {
  Polynomial p(std::vector<Rational>{Rational(1)});
  for (const Rational& root : roots) {
    const Polynomial factor(std::vector<Rational>{-root, Rational(1)});
    fmpz_poly_mul(p.raw(), p.raw(), factor.raw());
  }
  return p;
}

}  // namespace

TEST_CASE("positive roots are isolated, each in one interval") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Rational> roots;
    for (int k = 0; k < 1 + trial % 9; ++k) {
      const Rational root(static_cast<long>(random() % 4001) - 2000,
                          1 + static_cast<long>(random() % 700));
      if (root.sign() != 0 && std::find(roots.begin(), roots.end(), root) == roots.end())
        roots.push_back(root);
    }
    Polynomial p = from_roots(roots);
    if (trial % 2 == 0) {  // and a pair of complex roots
      const Polynomial complex(std::vector<Rational>{5, 1, 1});
      fmpz_poly_mul(p.raw(), p.raw(), complex.raw());
    }
    std::sort(roots.begin(), roots.end());
    std::erase_if(roots, [](const Rational& r) { return r.sign() < 0; });
    const std::vector<RootInterval> found = positive_roots(p);
    REQUIRE(found.size() == roots.size());
    for (std::size_t k = 0; k < roots.size(); ++k) {
      CHECK(found[k].lo < roots[k]);
      CHECK(roots[k] < found[k].hi);
      CHECK(p.sign_at(found[k].lo) == found[k].sign_lo);
      CHECK(p.sign_at(found[k].hi) == -found[k].sign_lo);
    }
    const SturmSequence sturm(p);
    CHECK(sturm.count(Rational(0), Rational(5000)) == static_cast<long>(roots.size()));
  }
}

TEST_CASE("square-free factors carry multiplicities") {
  const Polynomial p = from_roots({1, 2, 2, 3, 3, 3});
  long total = 0;
  for (const auto& f : square_free_factors(p)) {
    total += f.multiplicity * f.factor.degree();
    CHECK(f.factor.sign_at(Rational(f.multiplicity)) == 0);
  }
  CHECK(total == 6);
}

TEST_CASE("close and far roots") {
  const Rational tiny = Rational::power_of_two(-300), huge = Rational::power_of_two(300);
  const std::vector<Rational> roots{tiny, tiny * Rational(3), Rational(1), Rational(1) + tiny,
                                    huge};
  const std::vector<RootInterval> found = positive_roots(from_roots(roots));
  REQUIRE(found.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) CHECK((found[k].lo < roots[k] && roots[k] < found[k].hi));
}

TEST_CASE("signs, quotients and constants") {
  const Polynomial p = from_roots({2, -1});
  CHECK(p.sign_at(Rational(2)) == 0);
  CHECK(p.sign_at(Rational(1)) == -1);
  CHECK(p.sign_at(Rational(5, 2)) == 1);
  CHECK(exact_quotient(p, from_roots({2})).degree() == 1);
  CHECK_THROWS_AS(exact_quotient(p, from_roots({7})), std::logic_error);
  CHECK(positive_roots(Polynomial(std::vector<Rational>{Rational(-3)})).empty());
}
