// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/sparsemax.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <variant>

using namespace heed;

namespace {

Rational objective(const std::vector<Rational>& gamma, const Rational& lambda,
                   const std::vector<Rational>& s) {
  Rational value;
  for (std::size_t t = 0; t < s.size(); ++t) value += gamma[t] * s[t] - lambda * s[t] * s[t];
  return value;
}

/// The best stationary point over all supports that is a point of the simplex.
std::vector<Rational> brute_force(const std::vector<Rational>& gamma, const Rational& lambda) {
  std::optional<Rational> best;
  std::vector<Rational> at;
  for (unsigned mask = 1; mask < (1u << gamma.size()); ++mask) {
    Rational sum;
    int count = 0;
    for (std::size_t t = 0; t < gamma.size(); ++t)
      if (mask >> t & 1) {
        sum += gamma[t];
        ++count;
      }
    const Rational tau = (sum - Rational(2) * lambda) / Rational(count);
    std::vector<Rational> s(gamma.size());
    bool feasible = true;
    for (std::size_t t = 0; t < gamma.size(); ++t)
      if (mask >> t & 1) {
        s[t] = (gamma[t] - tau) / (Rational(2) * lambda);
        feasible = feasible && s[t].sign() >= 0;
      }
    if (!feasible) continue;
    const Rational value = objective(gamma, lambda, s);
    if (!best || value > *best) {
      best = value;
      at = s;
    }
  }
  return at;
}

Matrix<Rational> unit_tokens(const std::vector<std::size_t>& axes, std::size_t d) {
  Matrix<Rational> x(axes.size(), d);
  for (std::size_t t = 0; t < axes.size(); ++t) x(t, axes[t]) = Rational(1);
  return x;
}

QueryInstance instance(const std::vector<std::vector<std::size_t>>& axes,
                       const std::vector<Rational>& v, const Matrix<Rational>& Z) {
  QueryInstance q;
  for (const auto& a : axes) q.X.push_back(unit_tokens(a, v.size()));
  q.Z = Z;
  q.v = v;
  q.y.assign(axes.size(), 1);
  return q;
}

Matrix<Rational> ones(std::size_t rows, std::size_t cols) {
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries()) x = Rational(1);
  return m;
}

}  // namespace

TEST_CASE("sparsemax is the best point over all supports, and counts as its rule says") {
  std::mt19937_64 random(2);
  std::size_t one = 0, all = 0, between = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t T = 1 + random() % 6;
    std::vector<Rational> gamma;
    for (std::size_t t = 0; t < T; ++t)
      gamma.emplace_back(static_cast<long>(random() % 9) - 4, 2L);  // many ties
    const Rational lambda(static_cast<long>(1 + random() % 12), 4L);
    const Sparsemax p = sparsemax(gamma, lambda);
    INFO("trial " << trial);
    CHECK(p.s == brute_force(gamma, lambda));
    Rational sum;
    std::size_t positive = 0;
    for (const Rational& x : p.s) {
      sum += x;
      positive += x.sign() > 0 ? 1 : 0;
    }
    CHECK(sum == Rational(1));
    CHECK(positive == p.count);
    CHECK(p.support.size() == p.count);
    std::vector<Rational> sorted = gamma;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    if (T > 1) CHECK((p.count == 1) == (sorted[0] - sorted[1] >= Rational(2) * lambda));
    Rational spread;
    for (const Rational& g : sorted) spread += g - sorted.back();
    CHECK((p.count == T) == (spread < Rational(2) * lambda));
    ++(p.count == 1 ? one : p.count == T ? all : between);
  }
  CHECK(one > 50);
  CHECK(all > 50);
  CHECK(between > 50);
  CHECK_THROWS_AS(sparsemax({}, Rational(1)), std::invalid_argument);
  CHECK_THROWS_AS(sparsemax({Rational(1)}, Rational(0)), std::invalid_argument);
}

TEST_CASE("what a quadratic head selects, and whether attention reaches it") {
  const std::vector<Rational> v{Rational(3), Rational(2), Rational(1), Rational(5, 2)};
  // lambda = 1: scores 3, 2 against 1 give s = (3/4, 1/4, 0).
  const auto reach = [&](const QueryInstance& q) {
    return std::get<LambdaHead>(lambda_head_sparsemax(q, Rational(1)));
  };
  const LambdaHead single = reach(instance({{0, 1, 2}}, v, ones(1, 4)));
  CHECK(single.inputs[0].s == std::vector<Rational>{Rational(3, 4), Rational(1, 4), Rational(0)});
  CHECK(single.sets_reachable);
  CHECK(single.gaps == Consistency::consistent);

  const LambdaHead twice = reach(instance({{0, 1, 2}, {2, 1, 0}}, v, ones(2, 4)));
  CHECK(twice.sets_reachable);
  CHECK(twice.gaps == Consistency::consistent);  // equal rows, equal gaps

  // Tokens 0 and 1 have another ratio where token 3 takes a share.
  const LambdaHead other = reach(instance({{0, 1, 2}, {0, 1, 3}}, v, ones(2, 4)));
  CHECK(other.inputs[1].count == 3);
  CHECK(other.sets_reachable);
  CHECK(other.gaps == Consistency::inconsistent);

  // The same query must prefer 0 to 2 in one input and 2 to 0 in no other: a zero query cannot.
  const LambdaHead none = reach(instance({{0, 1, 2}}, v, Matrix<Rational>(1, 4)));
  CHECK_FALSE(none.sets_reachable);
}

TEST_CASE("the statement on quadratic heads names what it lacks") {
  QueryInstance q = instance({{0, 1}}, {Rational(1), Rational(2)}, ones(1, 2));
  q.X[0](0, 1) = Rational(1);
  CHECK(std::get<std::string>(lambda_head_sparsemax(q, Rational(1))) ==
        "the tokens of an input are not orthonormal");
  q = instance({{0, 1}}, {Rational(1), Rational(2)}, ones(1, 2));
  q.y = {-1};
  CHECK(std::get<std::string>(lambda_head_sparsemax(q, Rational(1))) == "a label is not 1");
  q.v.reset();
  CHECK(std::get<std::string>(lambda_head_sparsemax(q, Rational(1))) ==
        "the instance has no scores v");
}
