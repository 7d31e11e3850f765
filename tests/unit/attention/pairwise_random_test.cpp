// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/mha_pairwise.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::MhaModel;
using heed::approx::to_double;
using heed::test::Hard;

constexpr std::uint64_t seeds = 28;

// 1e-12 of the entry, unless terms of different samples or tokens cancel in it: then rounding
// errors of the terms remain, 2^-53 of their magnitudes times factors of T, d and the exponents.
TEST_CASE("gradient of hard random instances, entry by entry") {
  const heed::PrecisionScope precision(320);
  std::size_t checked = 0, strict = 0;
  for (int kind = 0; kind < static_cast<int>(Hard::count); ++kind)
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const heed::MhaInstance instance = heed::test::random_instance(static_cast<Hard>(kind), seed);
      const heed::approx::PairwiseMha fast(heed::mha_inputs<double>(instance));
      const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
      const std::vector<Ball> gradient = exact.gradient();
      const std::vector<double> magnitude = heed::test::gradient_magnitudes(exact);
      const double sizes = static_cast<double>(instance.max_tokens() + instance.dim());
      const double unit = std::ldexp(sizes + heed::test::exponent_magnitude(exact), -53);
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        const double size = std::fabs(to_double(gradient[k]));
        if (!(magnitude[k] < 1e290) || size <= 1e-290) continue;
        const double error = std::fabs(to_double(Ball(fast.gradient()[k]) - gradient[k]));
        INFO("kind " << kind << ", seed " << seed << ", entry " << k << ": error " << error
                     << ", entry " << size << ", magnitude of its terms " << magnitude[k]);
        CHECK(error <= 8 * unit * magnitude[k]);
        ++checked;
        strict += error <= 1e-12 * size;
      }
    }
  REQUIRE(checked > 10'000);
  CHECK(static_cast<double>(strict) >= 0.998 * static_cast<double>(checked));
}

TEST_CASE("values, loss and gradient agree with the reference model in double") {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const heed::MhaInstance instance = heed::test::random_instance(Hard::nothing, seed);
    const heed::approx::PairwiseMha fast(heed::mha_inputs<double>(instance));
    const MhaModel<double> reference(heed::mha_inputs<double>(instance));
    INFO("seed " << seed);
    CHECK(fast.loss() == Approx(reference.loss()).epsilon(1e-13));
    CHECK(fast.mean_slope() == Approx(reference.mean_slope()).epsilon(1e-13));
    for (std::size_t i = 0; i < instance.samples(); ++i) {
      CHECK(fast.phi()[i] == Approx(reference.phi()[i]).epsilon(1e-12).margin(1e-13));
      CHECK(fast.margins()[i] == instance.y[i] * fast.phi()[i]);
    }
    const std::vector<double> gradient = reference.gradient();
    for (std::size_t k = 0; k < gradient.size(); ++k)
      CHECK(fast.gradient()[k] == Approx(gradient[k]).epsilon(1e-12).margin(1e-14));
  }
}

TEST_CASE("Hessian-vector products of hard random instances") {
  const heed::PrecisionScope precision(320);
  for (int kind = 0; kind < static_cast<int>(Hard::count); ++kind)
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const heed::MhaInstance instance = heed::test::random_instance(static_cast<Hard>(kind), seed);
      heed::approx::PairwiseMha fast(heed::mha_inputs<double>(instance));
      if (!(fast.loss() < 1e100)) continue;
      const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
      const std::vector<double> v = heed::test::random_vector(fast.parameters(), seed);
      const std::vector<double> found = fast.hessian_vector_product(v);
      const std::vector<Ball> product =
          exact.hessian_vector_product(std::vector<Ball>(v.begin(), v.end()));
      double largest = 0, error = 0;
      for (std::size_t k = 0; k < found.size(); ++k) {
        largest = std::max(largest, std::fabs(to_double(product[k])));
        const double e = std::fabs(to_double(Ball(found[k]) - product[k]));
        error = e <= error ? error : e;
      }
      INFO("kind " << kind << ", seed " << seed << ": error " << error << " of " << largest);
      CHECK(error <= 1e-12 * largest);
    }
}

}  // namespace
