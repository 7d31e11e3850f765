// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "unit/landscape/support.hpp"

using namespace landscape_test;
using heed::complete_1d;
using heed::Landscape1dOptions;
using heed::LandscapeRoute;
using heed::LandscapeStatus;
using heed::Ternary;

TEST_CASE("phi is constant") {
  for (const AttentionKernel kernel : all_kernels()) {
    INFO(heed::kernel_word(kernel));
    CHECK(complete_1d(problem(kernel, {"1", "2"}, {"0", "0"}, "1")).status ==
          LandscapeStatus::constant);
    const bool normalised = heed::is_normalised(kernel);
    for (const auto& token :
         {problem(kernel, {"1", "2", "4"}, {"3", "3", "3"}, "1"),
          problem(kernel, {"2", "2"}, {"1", "5"}, "1"), problem(kernel, {"7"}, {"3"}, "1")}) {
      const Landscape1d r = complete_1d(token);
      CHECK((r.status == LandscapeStatus::constant) == normalised);
      if (!normalised) continue;
      CHECK(r.points.empty());
      CHECK(r.infimum.contains(Rational(2)));
      CHECK(r.attained == Ternary::certainly_true);
      CHECK(r.globally_benign() == Ternary::certainly_true);
    }
  }
}

TEST_CASE("tied keys act as one with the sum of their values") {
  for (const AttentionKernel kernel : all_kernels()) {
    if (kernel == AttentionKernel::gaussian_over_n) continue;  // n counts tied keys
    INFO(heed::kernel_word(kernel));
    const bool mean = heed::is_normalised(kernel);
    const Landscape1d tied =
        complete_1d(problem(kernel, {"0", "0", "3", "3"}, {"1", "3", "0", "2"}, "3/2"));
    const Landscape1d merged = complete_1d(problem(
        kernel, {"0", "3"},
        mean ? std::vector<std::string>{"2", "1"} : std::vector<std::string>{"4", "2"}, "3/2"));
    CHECK(kinds(tied) == kinds(merged));
    CHECK(tied.limit_plus == merged.limit_plus);
    REQUIRE(tied.points.size() == merged.points.size());
    for (std::size_t k = 0; k < tied.points.size(); ++k) {
      CHECK(tied.points[k].q.overlaps(merged.points[k].q));
      CHECK(tied.points[k].loss.overlaps(merged.points[k].loss));
    }
  }
}

TEST_CASE("ties weigh by their number") {
  // softmax: 2 e^0 * mean 2 against e^{3q} * 1; phi = 3/2 where 2 * 1/2 = e^{3q} / 2.
  const Landscape1d r =
      complete_1d(problem(AttentionKernel::softmax, {"0", "3", "0"}, {"1", "1", "3"}, "3/2"));
  CHECK(kinds(r) == "global minimum");
  CHECK((r.points[0].q * Ball(3)).overlaps(log(Ball(2))));
  const Landscape1d four = complete_1d(
      problem(AttentionKernel::softmax, {"0", "3", "0", "5"}, {"1", "-1", "3", "6"}, "-1"));
  for (const auto& p : four.points)
    CHECK(evaluate(
              problem(AttentionKernel::softmax, {"0", "3", "0", "5"}, {"1", "-1", "3", "6"}, "-1"),
              p.q)
              .first.contains_zero());
  CHECK(kinds(four) == "local minimum");
}

TEST_CASE("numbers of extreme size end, and claim nothing that is not proved") {
  for (const AttentionKernel kernel : all_kernels())
    for (const char* key : {"1e300", "1e-300", "-1e4000"}) {
      INFO(heed::kernel_word(kernel) << " " << key);
      const Landscape1d r = complete_1d(problem(kernel, {"0", key, "1"}, {"1", "2", "0"}, "1/2"));
      CHECK(r.infimum.is_finite());
      for (const auto& p : r.points) {
        CHECK(p.q.is_finite());
        CHECK(evaluate(problem(kernel, {"0", key, "1"}, {"1", "2", "0"}, "1/2"), p.q)
                  .loss()
                  .overlaps(p.loss));
      }
    }
}

TEST_CASE("one key and a Gaussian: q = k, and phi = y on both sides") {
  const Landscape1d r = complete_1d(problem(AttentionKernel::gaussian, {"1/3"}, {"2"}, "1"));
  CHECK(kinds(r) == "global minimum, maximum, global minimum");
  CHECK(r.points[1].q.contains(Rational(1, 3)));
  // 2 e^{-(q-k)^2/2} = 1
  CHECK(is_near(square(r.points[2].q - Ball(Rational(1, 3))) - ldexp(log(Ball(2)), 1), "0", 25));
  const Landscape1d none = complete_1d(problem(AttentionKernel::gaussian, {"1/3"}, {"2"}, "3"));
  CHECK(kinds(none) == "local minimum");
  CHECK(certainly(none.points[0].global));
  const Landscape1d away = complete_1d(problem(AttentionKernel::gaussian, {"1/3"}, {"2"}, "0"));
  CHECK(kinds(away) == "maximum");
  CHECK(away.attained == Ternary::certainly_false);
  const Landscape1d below = complete_1d(problem(AttentionKernel::gaussian, {"1/3"}, {"2"}, "-1"));
  CHECK(kinds(below) == "maximum");
  CHECK(below.infimum.contains(Rational(1, 2)));
  CHECK(below.attained == Ternary::certainly_false);
}

TEST_CASE("the target is an extreme value, so the infimum is at infinity") {
  const Landscape1d r =
      complete_1d(problem(AttentionKernel::softmax, {"0", "1", "3"}, {"1", "2", "4"}, "4"));
  CHECK(r.status == LandscapeStatus::complete);
  CHECK(r.points.empty());
  CHECK(r.attained == Ternary::certainly_false);
  CHECK(r.infimum.contains(Rational(0)));
  CHECK(r.globally_benign() == Ternary::certainly_true);
}

TEST_CASE("phi = y at an extremum of phi: a double zero, exactly by Sturm, a place by intervals") {
  // phi = (u + u^-1) / (u + 1 + u^-1): least value 2/3 at u = 1.
  const TokenProblem token =
      problem(AttentionKernel::softmax, {"-2", "0", "2"}, {"1", "0", "1"}, "2/3");
  const Landscape1d exact = complete_1d(token);
  CHECK(exact.status == LandscapeStatus::degenerate);
  CHECK(exact.places.empty());
  CHECK(exact.lists_all());
  REQUIRE(exact.points.size() == 1);
  CHECK(exact.points[0].kind == CriticalKind::global_minimum);
  CHECK(exact.points[0].multiplicity == 2);
  CHECK(exact.globally_benign() == Ternary::certainly_true);
  Landscape1dOptions options;
  options.route = LandscapeRoute::interval;
  const Landscape1d found = complete_1d(token, options);
  CHECK(found.status == LandscapeStatus::degenerate);
  REQUIRE(!found.places.empty());
  for (const Ball& place : found.places) CHECK(is_near(place, "0", 12));
  CHECK(found.globally_benign() == Ternary::unknown);
  // Intervals first: the place sends the problem to Sturm's sequences, unless the degree forbids
  // it.
  options.route.reset();
  options.sturm_degree = 0;
  CHECK(complete_1d(token, options).route == LandscapeRoute::sturm);
  CHECK(complete_1d(token, options).lists_all());
  options.most_degree = 1;
  CHECK(complete_1d(token, options).route == LandscapeRoute::interval);
}

TEST_CASE("a double zero of phi', an inflection") {
  // Odd values at odd keys make phi' even in q; it vanishes at 0 if Cov(P, k) does.
  const TokenProblem flat =
      problem(AttentionKernel::softmax, {"-3", "-1", "1", "3"}, {"-1", "3", "-3", "1"}, "10");
  const Landscape1d r = complete_1d(flat);
  CHECK(r.status == LandscapeStatus::degenerate);
  REQUIRE(r.lists_all());
  REQUIRE(r.points.size() == 1);
  CHECK(r.points[0].kind == CriticalKind::inflection);
  CHECK(r.points[0].multiplicity == 2);
  CHECK(r.points[0].q.contains_zero());
  Landscape1dOptions options;
  options.route = LandscapeRoute::interval;
  const Landscape1d found = complete_1d(flat, options);
  CHECK(found.status == LandscapeStatus::degenerate);
  CHECK(!found.places.empty());
  CHECK(found.points.empty());
}

TEST_CASE("keys far apart and close together") {
  for (const AttentionKernel kernel : all_kernels()) {
    INFO(heed::kernel_word(kernel));
    for (const char* far : {"1000", "1e9"}) {
      const Landscape1d r = complete_1d(problem(kernel, {"0", far, "7"}, {"1", "2", "-1"}, "1/2"));
      CHECK(r.status == LandscapeStatus::complete);
    }
    const Landscape1d close =
        complete_1d(problem(kernel, {"0", "1e-9", "3"}, {"1", "2", "-1"}, "1/2"));
    CHECK(close.status == LandscapeStatus::complete);
  }
}

TEST_CASE("bad arguments") {
  const TokenProblem good = named("PAIR", AttentionKernel::gaussian);
  TokenProblem token = good;
  token.values.pop_back();
  CHECK_THROWS_AS(complete_1d(token), std::invalid_argument);
  CHECK_THROWS_AS(evaluate(token, Ball(0)), std::invalid_argument);
  token = good;
  token.keys.clear();
  token.values.clear();
  CHECK_THROWS_AS(complete_1d(token), std::invalid_argument);
  token = good;
  token.beta.value = Rational(0);
  CHECK_THROWS_AS(complete_1d(token), std::invalid_argument);
  Landscape1dOptions options;
  options.route = LandscapeRoute::sturm;
  CHECK_THROWS_AS(complete_1d(good, options), std::invalid_argument);
  options.route.reset();
  options.most_boxes = 3;
  const Landscape1d r = complete_1d(good, options);
  CHECK(r.status == LandscapeStatus::undecided);
  CHECK(!r.reason.empty());
  CHECK(r.globally_benign() == Ternary::unknown);
}
