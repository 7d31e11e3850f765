// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/fast_curvature.hpp"

#include <catch2/catch.hpp>

#include "heed/data/read.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::MhaInstance;

struct Count {
  std::size_t values = 0, narrow = 0;
};

void require_enclosed(const char* name, const DoubleBall& found, const Ball& exact, Count& count) {
  INFO(name << ": " << found.mid() << " +- " << found.rad() << ", exact "
            << heed::approx::to_double(exact));
  CHECK(to_ball(found).overlaps(exact));
  if (exact.contains_zero()) return;
  ++count.values;
  count.narrow += found.is_finite() && to_ball(found).has_relative_digits(6) ? 1 : 0;
}

void compare(const MhaInstance& instance, Count& count) {
  const auto found = heed::fast_curvature(instance);
  REQUIRE(found);
  const heed::MhaAnalysis<Ball> a(instance);
  const heed::CurvatureRatios<Ball> ratios = heed::curvature_ratios(a);
  require_enclosed("loss", found->loss, a.loss(), count);
  require_enclosed("G", found->mean_slope, a.mean_slope(), count);
  require_enclosed("gradient norm", found->gradient_norm, a.gradient_norm(), count);
  require_enclosed("lambda_min", found->hessian.least, a.hessian_extremes().least, count);
  require_enclosed("lambda_max", found->hessian.largest, a.hessian_extremes().largest, count);
  require_enclosed("kappa_hat", found->ratios.kappa_hat, ratios.kappa_hat, count);
  require_enclosed("kappa_hat_G", found->ratios.kappa_hat_G, ratios.kappa_hat_G, count);
  REQUIRE(found->block_minima.size() == a.block_minima().size());
  for (std::size_t h = 0; h < a.block_minima().size(); ++h)
    require_enclosed("block", found->block_minima[h], a.block_minima()[h], count);
  CHECK(found->reduction == a.reduction_note());
}

TEST_CASE("fast curvature: overlaps the enclosures in balls on every fixture, mostly narrow") {
  const heed::PrecisionScope precision(256);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  Count count;
  for (const std::string& file : files) {
    INFO(file);
    compare(heed::read_mha_instance(file), count);
  }
  INFO(count.narrow << " of " << count.values);
  CHECK(10 * count.narrow >= 6 * count.values);
}

TEST_CASE("fast curvature: tokens of lower rank, with equal samples and heads") {
  const heed::PrecisionScope precision(256);
  Count count;
  for (std::uint64_t seed = 0; seed < 14; ++seed) {
    MhaInstance m = heed::test::random_instance(heed::test::Hard::nothing, seed);
    INFO("seed " << seed);
    // The last coordinate repeats the first one: rank d - 1 at most.
    for (auto& x : m.X)
      for (std::size_t t = 0; t < x.rows(); ++t) x(t, x.cols() - 1) = x(t, 0);
    m.X.push_back(m.X.front());
    m.y.push_back(-m.y.front());
    m.weights->U.push_back(m.weights->U.front());
    m.weights->W.push_back(m.weights->W.front());
    compare(m, count);
  }
  CHECK(10 * count.narrow >= 8 * count.values);
}

}  // namespace
