// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "unit/landscape/support.hpp"

using namespace landscape_test;
using heed::complete_1d;
using heed::LandscapeRoute;
using heed::LandscapeStatus;
using heed::Ternary;

namespace {

std::string kind_word(const std::string& reference) {
  if (reference.rfind("global minimum", 0) == 0) return "global minimum";
  if (reference == "strict NON-GLOBAL local minimum") return "local minimum*";
  if (reference == "strict local maximum") return "maximum";
  return reference;
}

void check_against(const nlohmann::json& reference, const Landscape1d& found) {
  REQUIRE(found.status == LandscapeStatus::complete);
  CHECK(found.limit_minus.to_string() == reference["limits_of_phi"]["minus_inf"]);
  CHECK(found.limit_plus.to_string() == reference["limits_of_phi"]["plus_inf"]);
  std::string expected;
  for (const auto& p : reference["critical"])
    expected += (expected.empty() ? "" : ", ") + kind_word(p["type"]);
  CHECK(kinds(found) == expected);
  REQUIRE(found.points.size() == reference["critical"].size());
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const auto& p = reference["critical"][k];
    INFO(p.dump());
    CHECK(is_near(found.points[k].q, p["q"], 24));
    CHECK(is_near(found.points[k].phi, p["phi"], 24));
    CHECK(is_near(found.points[k].loss, p["loss"], 24));
    CHECK(found.points[k].multiplicity == 1);
  }
}

}  // namespace

TEST_CASE("the classified instances of the reference file, by every route") {
  std::ifstream in(std::string(HEED_TEST_DATA) + "/landscape/kernel_reference.json");
  const auto reference = nlohmann::json::parse(in);
  std::size_t instances = 0;
  for (const auto& [name, data] : reference.items()) {
    if (!data.contains("keys")) continue;
    ++instances;
    for (const AttentionKernel kernel : {AttentionKernel::softmax, AttentionKernel::gaussian}) {
      INFO(name << " " << heed::kernel_word(kernel));
      const auto& expected = data[std::string(heed::kernel_word(kernel))];
      const TokenProblem token = named(name, kernel);
      CHECK(token.target.to_string() == data["target"]);
      heed::Landscape1dOptions options;
      options.route = LandscapeRoute::interval;
      check_against(expected, complete_1d(token, options));
      check_against(expected, complete_1d(token));
      CHECK((complete_1d(token).route == LandscapeRoute::sturm) ==
            (kernel == AttentionKernel::softmax));
    }
  }
  CHECK(instances == 4);
}

TEST_CASE("SM1: a bad minimum of softmax at 0 between two global ones") {
  const Landscape1d r = complete_1d(named("SM1", AttentionKernel::softmax));
  CHECK(kinds(r) == "global minimum, maximum, local minimum*, maximum, global minimum");
  CHECK(is_near(r.points[0].q, "-2.1971229432904598770", 18));
  CHECK(is_near(r.points[1].q, "-0.41774678343381595046", 18));
  CHECK(r.points[2].q.is_exact());
  CHECK(r.points[2].loss.contains(Rational(1, 50)));
  CHECK(r.points[2].curvature.contains(Rational(-37, 25)));
  CHECK(r.points[2].basin_left == 1);
  CHECK(r.points[2].basin_right == 3);
  CHECK(!r.points[0].basin_left);
  CHECK(r.points[0].basin_right == 1);
  CHECK(r.minima() == 3);
  CHECK(r.global_minima() == 2);
  CHECK(r.attained == Ternary::certainly_true);
  CHECK(r.globally_benign() == Ternary::certainly_false);
  CHECK(r.infimum.contains(Rational(0)));
}

TEST_CASE("SM1 with target 1: the infimum is not attained") {
  TokenProblem token = named("SM1", AttentionKernel::softmax);
  token.target = Rational(1);
  const Landscape1d r = complete_1d(token);
  CHECK(kinds(r) == "maximum, local minimum*, maximum");
  CHECK(is_near(r.points[1].loss, "0.045", 30));
  CHECK(r.attained == Ternary::certainly_false);
  CHECK(r.infimum.contains(Rational(0)));
  CHECK(r.globally_benign() == Ternary::certainly_false);
  CHECK(r.loss_minus.sign() == 0);
}

TEST_CASE("the Gaussian kernel on SM1: 11 critical points, all minima global") {
  const Landscape1d r = complete_1d(named("SM1", AttentionKernel::gaussian));
  CHECK(r.points.size() == 11);
  CHECK(r.count(CriticalKind::global_minimum) == 6);
  CHECK(r.count(CriticalKind::maximum) == 5);
  CHECK(r.globally_benign() == Ternary::certainly_true);
  CHECK(is_near(r.points[1].q, "-4.9999720463507102", 15));
  CHECK(is_near(r.points[3].q, "-2.5965484623705074", 15));
  CHECK(is_near(r.points[10].q, "5.4590448317660755", 15));
  CHECK(is_near(r.points[5].q, "0", 50));
  CHECK(r.loss_plus == Rational(81, 200));
}

TEST_CASE("GA1: the Gaussian kernel has a bad minimum, softmax has none") {
  const Landscape1d r = complete_1d(named("GA1", AttentionKernel::gaussian));
  CHECK(r.count(CriticalKind::local_minimum) == 1);
  CHECK(is_near(r.points[4].q, "0", 50));
  CHECK(r.globally_benign() == Ternary::certainly_false);
  // phi(0) = 1 + 4 e^-8, phi''(0) = -1 + 60 e^-8.
  const Ball tail = exp(Ball(-8));
  CHECK(r.points[4].phi.overlaps(Ball(1) + Ball(4) * tail));
  CHECK(r.points[4].curvature.overlaps(Ball(60) * tail - Ball(1)));
  const Landscape1d s = complete_1d(named("GA1", AttentionKernel::softmax));
  CHECK(kinds(s) == "global minimum, maximum, global minimum");
  CHECK(is_near(s.points[2].q, "0.3292394742312042", 16));
  CHECK(s.globally_benign() == Ternary::certainly_true);
}

TEST_CASE("PAIR: two keys, a bad minimum of the Gaussian kernel") {
  const Landscape1d r = complete_1d(named("PAIR", AttentionKernel::gaussian));
  CHECK(kinds(r) == "local minimum*, maximum, global minimum, maximum, global minimum");
  CHECK(is_near(r.points[0].q, "1.8275995e-7", 13));
  CHECK(is_near(r.points[0].loss, "0.12499998477", 11));
  CHECK(!r.points[0].basin_left);
  CHECK(r.points[0].basin_right == 1);
  const Landscape1d s = complete_1d(named("PAIR", AttentionKernel::softmax));
  CHECK(kinds(s) == "global minimum");
  CHECK(s.points[0].q.is_exact());
  CHECK(s.points[0].q.contains_zero());
}

TEST_CASE("VAL3: softmax escapes to infinity from the right of the maximum") {
  const Landscape1d r = complete_1d(named("VAL3", AttentionKernel::softmax));
  CHECK(kinds(r) == "global minimum, maximum");
  CHECK(is_near(r.points[0].q, "-1.1326282635675438", 15));
  CHECK(is_near(r.points[1].q, "0.59136023451099907", 16));
  CHECK(r.loss_plus == Rational(1, 8));
  CHECK(r.attained == Ternary::certainly_true);
}

TEST_CASE("four keys: a bad minimum of softmax") {
  for (const LandscapeRoute route : {LandscapeRoute::sturm, LandscapeRoute::interval}) {
    heed::Landscape1dOptions options;
    options.route = route;
    const Landscape1d r = complete_1d(named("FOUR", AttentionKernel::softmax), options);
    CHECK(kinds(r) == "global minimum, maximum, local minimum*");
    CHECK(is_near(r.points[2].q, "0.890447541681407", 15));
    CHECK(is_near(r.points[2].phi, "2.10521396384", 11));
    CHECK(is_near(r.points[2].curvature, "-0.4923", 4));
    CHECK(is_near(r.points[2].loss, "0.07793", 5));
  }
}

TEST_CASE("equal minima that a reflection exchanges are both global") {
  TokenProblem token = named("GA1", AttentionKernel::gaussian);
  token.target = Rational(3);
  const Landscape1d r = complete_1d(token);
  CHECK(kinds(r) == "local minimum, maximum, local minimum*, maximum, local minimum");
  CHECK(r.global_minima() == 2);
  CHECK(r.attained == Ternary::certainly_true);
  for (Rational& key : token.keys) key += Rational(1, 3);
  const Landscape1d shifted = complete_1d(token);
  CHECK(shifted.global_minima() == 2);
  CHECK(shifted.infimum.overlaps(r.infimum));
}

TEST_CASE("zeros as narrow as asked for") {
  heed::Landscape1dOptions options;
  options.bits = 400;
  for (const AttentionKernel kernel : all_kernels()) {
    const Landscape1d r = complete_1d(named("FOUR", kernel), options);
    REQUIRE(r.status == LandscapeStatus::complete);
    for (const auto& p : r.points) {
      CHECK(p.q.has_relative_digits(115));
      CHECK(p.phi.has_relative_digits(90));
      CHECK(p.curvature.has_relative_digits(90));
    }
  }
}

TEST_CASE("beta: queries scale with 1/beta (softmax) and with keys") {
  TokenProblem token = named("FOUR", AttentionKernel::softmax);
  const Landscape1d one = complete_1d(token);
  token.beta = {Rational(2), true};
  const Landscape1d root = complete_1d(token);
  REQUIRE(root.points.size() == one.points.size());
  for (std::size_t k = 0; k < one.points.size(); ++k)
    CHECK((root.points[k].q * sqrt(Ball(2))).overlaps(one.points[k].q));
  token = named("FOUR", AttentionKernel::gaussian);
  const Landscape1d wide = complete_1d(token);
  for (Rational& key : token.keys) key /= Rational(3);
  token.beta = {Rational(9), false};
  const Landscape1d narrow = complete_1d(token);
  REQUIRE(narrow.points.size() == wide.points.size());
  for (std::size_t k = 0; k < wide.points.size(); ++k)
    CHECK((narrow.points[k].q * Ball(3)).overlaps(wide.points[k].q));
}
