// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/mha_pairwise.hpp"
#include "heed/data/read.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::MhaModel;

// Every entry above 1e-300 and above 1e-16 of the largest, to 1e-12 of itself.
void require_accurate(std::span<const double> found, const std::vector<Ball>& exact) {
  REQUIRE(found.size() == exact.size());
  double largest = 0;
  for (const Ball& e : exact) largest = std::max(largest, std::fabs(heed::approx::to_double(e)));
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const double size = std::fabs(heed::approx::to_double(exact[k]));
    INFO("entry " << k << ": found " << found[k] << ", exact "
                  << heed::approx::to_double(exact[k]));
    REQUIRE(std::isfinite(found[k]));
    if (size <= 1e-300 || size <= 1e-16 * largest) continue;
    const double error = std::fabs(heed::approx::to_double(Ball(found[k]) - exact[k]));
    CHECK(error <= 1e-12 * size);
  }
}

TEST_CASE("gradient and Hessian-vector product of every fixture to 1e-12, entry by entry") {
  const heed::PrecisionScope precision(600);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  for (const std::string& file : files) {
    INFO(file);
    const heed::MhaInstance instance = heed::test::rounded_to_double(heed::read_mha_instance(file));
    heed::approx::PairwiseMha fast(heed::mha_inputs<double>(instance));
    const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
    require_accurate(fast.gradient(), exact.gradient());
    require_accurate(fast.phi(), exact.phi());
    const std::vector<double> v = heed::test::random_vector(fast.parameters(), 5);
    require_accurate(fast.hessian_vector_product(v),
                     exact.hessian_vector_product(std::vector<Ball>(v.begin(), v.end())));
  }
}

}  // namespace
