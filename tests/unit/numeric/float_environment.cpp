// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/float_environment.hpp"

#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "heed/data/read.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/numeric/rational.hpp"
#include "heed/numeric/selftest.hpp"
#include "heed/theory/verify.hpp"

using heed::Ball;
using heed::FloatEnvironment;
using heed::FloatEnvironmentScope;
using heed::Rational;

namespace {

bool is_standard(const FloatEnvironment& e) { return e.rounding == FE_TONEAREST && !e.flush; }

/// What an action does in an environment: "" if it ends well, otherwise the message.
std::string message_in(const FloatEnvironment& e, const std::function<void()>& action) {
  const FloatEnvironmentScope scope(e);
  try {
    action();
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Deviations from the standard float environment are found") {
  REQUIRE(heed::float_environment_deviation().empty());
  for (const FloatEnvironment& e : heed::float_environments()) {
    std::string found;
    {
      const FloatEnvironmentScope scope(e);
      found = heed::float_environment_deviation();
    }
    INFO(e.name << ": " << found);
    CHECK((found.find("rounded") != std::string::npos) == (e.rounding != FE_TONEAREST));
    CHECK((found.find("subnormal") != std::string::npos) == e.flush);
    CHECK(heed::float_environment_deviation().empty());  // restored
  }
}

TEST_CASE("Scopes of float environments nest") {
  const std::vector<FloatEnvironment> all = heed::float_environments();
  std::string inside, after;
  {
    const FloatEnvironmentScope outer(all.back());
    {
      const FloatEnvironmentScope inner(all.front());
      inside = heed::float_environment_deviation();
    }
    after = heed::float_environment_deviation();
  }
  CHECK(inside.empty());
  CHECK_FALSE(after.empty());
}

TEST_CASE("What trusts doubles for a choice refuses other float environments") {
  const std::string text =
      R"({"format": "heed-instance-1", "model": "mha", "X": [[[1, 2], [0, 1]]], "y": [1],
          "U": [[[1, 0], [0, 1]]], "W": [[[1, 0], [0, 1]]]})";
  const heed::MhaInstance instance = heed::parse_mha_instance(text, "text");
  heed::Matrix<Ball> a(2, 2);
  a(0, 0) = Ball(1);
  const std::pair<const char*, std::function<void()>> actions[] = {
      {"read", [&] { heed::parse_mha_instance(text, "text"); }},
      {"direction", [] { heed::parse_direction("[1]", "text", 1); }},
      {"eigenvalue", [&] { heed::enclose_lambda_min(a, 10); }},
      {"analysis", [&] { heed::MhaAnalysis<Ball> analysis(instance); }},
      {"verify", [&] { heed::verify(instance, {}); }}};
  for (const FloatEnvironment& e : heed::float_environments())
    for (const auto& [name, action] : actions) {
      const std::string message = message_in(e, action);
      INFO(e.name << ": " << name << ": " << message);
      CHECK(message.empty() == is_standard(e));
      CHECK((message.find("fesetenv") != std::string::npos) == !is_standard(e));
    }
}

TEST_CASE("Scalars give the same results in every float environment") {
  for (unsigned seed : {1u, 2u, 3u})
    for (const heed::SelfTest& t : heed::environment_selftest(seed)) {
      INFO(t.name);
      CHECK(t.cases > 1000);
      CHECK(t.failures == 0);
    }
}

TEST_CASE("Doubles of every kind keep their value in every float environment") {
  const double values[] = {0.0,       0x1p-1074, -0x1.8p-1070, 0x0.fffffffffffffp-1022,
                           0x1p-1022, 0.1,       -1.0,         std::numeric_limits<double>::max()};
  for (const FloatEnvironment& e : heed::float_environments()) {
    std::vector<Rational> rationals;
    std::vector<Ball> balls;
    std::vector<double> back;
    {
      const FloatEnvironmentScope scope(e);
      for (const double x : values) {
        rationals.emplace_back(x);
        balls.emplace_back(x);
        back.push_back(rationals.back().nearest_double());
      }
      back.push_back((Rational(values[7]) * Rational(2)).nearest_double());
    }
    for (std::size_t k = 0; k < std::size(values); ++k) {
      INFO(e.name << ": " << std::hexfloat << values[k]);
      int exponent = 0;
      const double mantissa = std::frexp(values[k], &exponent);
      const Rational expected = Rational(static_cast<long>(std::ldexp(mantissa, 53))) *
                                Rational::power_of_two(exponent - 53);
      CHECK(rationals[k] == expected);
      CHECK(balls[k].is_exact());
      CHECK(balls[k].contains(expected));
      CHECK(back[k] == values[k]);
    }
    CHECK(std::isinf(back.back()));
  }
}
