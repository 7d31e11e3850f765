// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_enclosed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>

#include "heed/attention/mha_fast.hpp"
#include "heed/data/read.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"
#include "unit/attention/uncertain_instances.hpp"

namespace {

using heed::Ball;
using heed::EnclosedMha;
using heed::MhaInstance;
using heed::MhaModel;
using heed::approx::to_double;
using heed::test::Hard;

struct Width {
  double radius = 0, largest = 0;
  bool finite = true;
  double relative() const { return radius / largest; }
};

// Containment of all of Phi, L, grad L in exact numbers, not the rounded ones.
Width require_contained(const MhaInstance& instance, const std::string& set) {
  const EnclosedMha found(heed::mha_inputs<double>(instance), set);
  const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
  Width width;
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    INFO("Phi of sample " << i << ": " << found.phi()[i] << " +- " << found.phi_radius()[i]);
    CHECK(found.phi_ball(i).contains(exact.phi()[i]));
  }
  CHECK(found.loss().contains(exact.loss()));
  const std::vector<Ball> gradient = exact.gradient();
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const double radius = found.gradient_radius(k);
    INFO("entry " << k << ": " << found.gradient()[k] << " +- " << radius << ", exact "
                  << to_double(gradient[k]));
    CHECK(found.gradient_ball(k).contains(gradient[k]));
    width.finite = width.finite && std::isfinite(radius);
    width.radius = std::max(width.radius, radius);
    width.largest = std::max(width.largest, std::fabs(to_double(gradient[k])));
  }
  return width;
}

TEST_CASE("enclosed gradient: contains the exact one of every fixture, decimals included") {
  const heed::PrecisionScope precision(600);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  std::size_t narrow = 0;
  for (const std::string& file : files)
    for (const char* set : {"baseline", "avx2", "avx512"}) {
      INFO(file << ", " << set);
      const Width w = require_contained(heed::read_mha_instance(file), set);
      narrow += w.finite && w.relative() < 1e-10 ? 1 : 0;
    }
  CHECK(3 * narrow >= 2 * files.size());
}

TEST_CASE("enclosed gradient: contains that of hard random instances") {
  const heed::PrecisionScope precision(320);
  std::size_t narrow = 0, easy = 0;
  for (int kind = 0; kind < static_cast<int>(Hard::count); ++kind)
    for (std::uint64_t seed = 0; seed < 28; ++seed) {
      INFO("kind " << kind << ", seed " << seed);
      const MhaInstance instance = heed::test::random_instance(static_cast<Hard>(kind), seed);
      const char* const sets[] = {"baseline", "avx2", "avx512"};
      const Width w = require_contained(instance, sets[seed % 3]);
      if (kind != static_cast<int>(Hard::nothing)) continue;
      ++easy;
      narrow += w.finite && w.radius <= 1e-10 * w.largest ? 1 : 0;
    }
  INFO(narrow << " of " << easy << " easy instances narrow");
  CHECK(narrow == easy);
}

TEST_CASE(
    "enclosed gradient: radii of a trained-size instance stay far below 1e-10 of the largest") {
  const heed::PrecisionScope precision(128);
  const MhaInstance instance = [] {
    MhaInstance m = heed::test::random_instance(Hard::nothing, 5);
    // 40 samples of one shape
    const auto first = m.X.front();
    m.X.clear();
    m.y.clear();
    for (std::uint64_t s = 0; m.X.size() < 40; ++s) {
      const MhaInstance other = heed::test::random_instance(Hard::nothing, 7 * s + 5);
      for (std::size_t i = 0; i < other.samples(); ++i)
        if (other.dim() == first.cols() && other.X[i].rows() <= first.rows()) {
          m.X.push_back(other.X[i]);
          m.y.push_back(other.y[i]);
        }
      if (s > 4000) break;
    }
    return m;
  }();
  REQUIRE(instance.samples() >= 20);
  const Width w = require_contained(instance, "");
  INFO("relative radius " << w.relative());
  CHECK(w.relative() < 1e-11);
}

TEST_CASE("enclosed gradient: contains that of a slope known to 1e-9, and of uncertain weights") {
  const heed::PrecisionScope precision(320);
  for (const char* set : {"baseline", "avx2", "avx512"}) {
    for (const heed::Loss loss : {heed::Loss::logistic, heed::Loss::exponential}) {
      const Width w = require_contained(heed::test::uncertain_slope(loss, 3, 10000), set);
      CHECK(w.relative() < 1e-4);
    }
    CHECK(require_contained(heed::test::uncertain_weights(), set).relative() < 1e-4);
  }
}

TEST_CASE("enclosed gradient: says nothing rather than something wrong") {
  MhaInstance m = heed::test::random_instance(Hard::nothing, 0);
  SECTION("logits beyond the reach of double") {
    for (auto& w : m.weights->W)
      for (auto& x : w.entries()) x *= heed::Rational::parse("1e18");
  }
  SECTION("numbers that overflow") {
    for (auto& u : m.weights->U)
      for (auto& x : u.entries()) x *= heed::Rational::parse("1e200");
  }
  const EnclosedMha e(heed::mha_inputs<double>(m));
  bool infinite = false;
  for (const double r : e.W_radius()) infinite = infinite || std::isinf(r);
  CHECK(infinite);
  for (std::size_t k = 0; k < e.parameters(); ++k) {
    CHECK(std::isfinite(e.gradient()[k]));
    CHECK(e.gradient_radius(k) >= 0);
  }
}

TEST_CASE("enclosed gradient: refuses every rounding mode but to nearest") {
  const MhaInstance m = heed::test::random_instance(Hard::nothing, 0);
  EnclosedMha e(heed::mha_inputs<double>(m));
  const std::vector<double> theta = e.initial_parameters();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    bool values = false, hessian = false;
    try {
      e.evaluate(theta);
    } catch (const std::runtime_error&) {
      values = true;
    }
    try {
      e.hessian();
    } catch (const std::runtime_error&) {
      hessian = true;
    }
    std::fesetround(FE_TONEAREST);
    CHECK(values);
    CHECK(hessian);
  }
}

TEST_CASE("enclosed gradient: midpoints are those of FastMha, whatever the number of threads") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const MhaInstance m = heed::test::random_instance(Hard::nothing, seed);
    const auto inputs = heed::mha_inputs<double>(m);
    const heed::approx::FastMha fast(inputs);
    const EnclosedMha one(inputs);
    heed::set_thread_count(2);
    const EnclosedMha two(inputs);
    heed::set_thread_count(1);
    for (std::size_t k = 0; k < one.parameters(); ++k) {
      CHECK(one.gradient()[k] == two.gradient()[k]);
      CHECK(one.gradient_radius(k) == two.gradient_radius(k));
      CHECK(one.gradient()[k] == Approx(fast.gradient()[k]).epsilon(1e-12).margin(1e-18));
    }
  }
}

}  // namespace
