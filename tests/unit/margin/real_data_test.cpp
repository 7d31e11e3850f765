// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/data/csv_images.hpp"
#include "heed/data/read.hpp"
#include "heed/data/sample_rows.hpp"
#include "heed/margin/direction.hpp"
#include "heed/margin/frobenius_margin.hpp"

using namespace heed;

TEST_CASE("digits: the margins of all 45 pairs of classes as plain vectors are exact") {
  std::size_t exact = 0;
  for (long a = 0; a < 10; ++a)
    for (long b = a + 1; b < 10; ++b) {
      INFO(a << " against " << b);
      ImageOptions options;
      options.positive_label = a;
      options.negative_label = b;
      options.balanced = false;
      const RowsInstance rows =
          sample_rows(read_csv_images(std::string(HEED_EXAMPLES) + "/digits.csv.gz", options));
      CHECK(rows.F.rows() > 340);
      CHECK(rows.F.cols() == 64);
      const MarginProblem problem = margin_problem(rows);
      const FrobeniusMargin margin = frobenius_margin(problem);
      REQUIRE(margin.exact());
      // The optimality conditions, from the multipliers alone.
      const auto& bracket = std::get<MarginBracket>(margin.result);
      const Matrix<Rational> w = bracket_point(problem, bracket);
      const std::vector<Rational> values = row_values(problem.inequalities, problem.Z, w);
      Rational sum, norm2;
      for (std::size_t k = 0; k < values.size(); ++k) {
        sum += bracket.lambda[k];
        CHECK(bracket.lambda[k].sign() >= 0);
        CHECK(values[k] >= Rational(1));
        CHECK((bracket.lambda[k].sign() == 0 || values[k] == Rational(1)));
      }
      for (const Rational& x : w.entries()) norm2 += x * x;
      CHECK(norm2 == sum);
      CHECK(norm2 == bracket.lo);
      ++exact;
    }
  CHECK(exact == 45);
}

TEST_CASE("iris: versicolor and virginica are not separable, by an exact combination") {
  const auto rows = std::get<RowsInstance>(
      read_instance(std::string(HEED_TEST_DATA) + "/instances/iris-versicolor-virginica.json"));
  REQUIRE(rows.F.rows() == 100);
  const MarginProblem problem = margin_problem(rows);
  const FrobeniusMargin margin = frobenius_margin(problem);
  REQUIRE(std::holds_alternative<Infeasibility>(margin.result));
  const auto& proof = std::get<Infeasibility>(margin.result);
  Rational sum;
  for (const Rational& l : proof.lambda) {
    CHECK(l.sign() >= 0);
    sum += l;
  }
  CHECK(sum.sign() > 0);
  const Matrix<Rational> sum_of_rows = combine(problem.inequalities, problem.Z, proof.lambda);
  for (const Rational& x : sum_of_rows.entries()) CHECK(x.sign() == 0);
}
