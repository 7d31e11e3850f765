// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/data/generate_query.hpp"
#include "support.hpp"

using namespace heed;
using data_test::message_of;

namespace {

Rational dot(const Rational* a, const Rational* b, std::size_t d) {
  Rational sum;
  for (std::size_t c = 0; c < d; ++c) sum += a[c] * b[c];
  return sum;
}

QueryInstance make(QuerySpec::Data data, std::size_t n, std::size_t T, std::size_t d) {
  QuerySpec spec;
  spec.data = data;
  spec.inputs = n;
  spec.tokens = T;
  spec.dim = d;
  return generate_query(spec);
}

}  // namespace

TEST_CASE("query generator: unit tokens, the selected one has the largest score") {
  const QueryInstance a = make(QuerySpec::Data::unit, 6, 8, 10);
  CHECK(same_numbers(a, make(QuerySpec::Data::unit, 6, 8, 10)));
  const auto gamma = scores(a);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t t = 0; t < 8; ++t) {
      CHECK(gamma[i][t] <= gamma[i][a.selected[i].front()]);
      const Rational error = dot(a.X[i].row(t), a.X[i].row(t), 10) - Rational(1);
      CHECK(abs(error) < Rational(1e-14));
    }
  }
}

TEST_CASE("query generator: orthonormal tokens are exactly so") {
  const QueryInstance a = make(QuerySpec::Data::orthonormal, 3, 4, 5);
  for (const auto& x : a.X)
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t t = 0; t < 4; ++t)
        CHECK(dot(x.row(s), x.row(t), 5) == Rational(s == t ? 1 : 0));
}

TEST_CASE("query generator: equal scores") {
  const QueryInstance a = make(QuerySpec::Data::equal_scores, 5, 4, 3);
  const auto gamma = scores(a);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t t = 0; t < 4; ++t)
      CHECK(gamma[i][t] == Rational(t == a.selected[i].front() ? 1 : 0));
}

TEST_CASE("query generator: all support means orthogonal constraints and positive score gaps") {
  const QueryInstance a = make(QuerySpec::Data::all_support, 4, 5, 4);
  const auto gamma = scores(a);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t best = a.selected[i].front();
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(dot(a.Z.row(i), a.Z.row(j), 4) == Rational(i == j ? 1 : 0));
    Matrix<Rational> difference(5, 4);
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t c = 0; c < 4; ++c) difference(t, c) = a.X[i](best, c) - a.X[i](t, c);
    for (std::size_t t = 0; t < 5; ++t) {
      if (t == best) continue;
      CHECK(gamma[i][t] < gamma[i][best]);
      for (std::size_t s = 0; s < t; ++s)
        CHECK(dot(difference.row(t), difference.row(s), 4).sign() == 0);
    }
  }
}

TEST_CASE("query generator: self-attention and errors") {
  QuerySpec spec;
  spec.self = true;
  const QueryInstance a = generate_query(spec);
  for (std::size_t i = 0; i < spec.inputs; ++i)
    for (std::size_t c = 0; c < spec.dim; ++c) CHECK(a.Z(i, c) == a.X[i](0, c));
  spec.data = QuerySpec::Data::equal_scores;
  CHECK_THAT(message_of([&] { generate_query(spec); }), Catch::Contains("self: expected unit"));
  CHECK_THAT(message_of([] { make(QuerySpec::Data::orthonormal, 2, 5, 4); }),
             Catch::Contains("dim: expected d >= T"));
  CHECK_THAT(message_of([] { make(QuerySpec::Data::unit, 0, 5, 4); }), Catch::Contains("expected"));
}
