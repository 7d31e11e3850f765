// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/approx_gradient.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "heed/attention/detail/double_double.hpp"
#include "heed/data/read.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::approx::DoubleDouble;
using heed::approx::to_double;
using heed::test::Hard;

// Number of entries above 1e-300 and above 1e-16 of the largest; each must be right to 1e-12.
std::size_t require_accurate(const heed::MhaInstance& instance) {
  const heed::MhaInstance rounded = heed::test::rounded_to_double(instance);
  const std::vector<double> found = heed::approx::gradient(instance);
  const std::vector<Ball> exact = heed::MhaModel<Ball>(heed::mha_inputs<Ball>(rounded)).gradient();
  REQUIRE(found.size() == exact.size());
  double largest = 0;
  for (const Ball& e : exact) largest = std::max(largest, std::fabs(to_double(e)));
  if (!std::isfinite(largest)) return 0;
  std::size_t checked = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const double size = std::fabs(to_double(exact[k]));
    if (size <= 1e-300 || size <= 1e-16 * largest) continue;
    INFO("entry " << k << ": found " << found[k] << ", exact " << to_double(exact[k]));
    CHECK(std::fabs(to_double(Ball(found[k]) - exact[k])) <= 1e-12 * size);
    ++checked;
  }
  return checked;
}

TEST_CASE("careful gradient of every fixture to 1e-12, entry by entry") {
  const heed::PrecisionScope precision(600);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  for (const std::string& file : files) {
    INFO(file);
    require_accurate(heed::read_mha_instance(file));
  }
}

TEST_CASE("careful gradient of hard random instances to 1e-12, entry by entry") {
  const heed::PrecisionScope precision(400);
  std::size_t checked = 0;
  for (int kind = 0; kind < static_cast<int>(Hard::count); ++kind)
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      INFO("kind " << kind << ", seed " << seed);
      checked += require_accurate(heed::test::random_instance(static_cast<Hard>(kind), seed));
    }
  CHECK(checked > 30'000);
}

TEST_CASE("careful gradient needs weights") {
  heed::MhaInstance instance = heed::test::random_instance(Hard::nothing, 1);
  instance.weights.reset();
  CHECK_THROWS_AS(heed::approx::gradient(instance), std::invalid_argument);
}

// Relative error of a double-double number.
double error(const DoubleDouble& found, const Ball& exact) {
  const Ball difference = Ball(found.hi) + Ball(found.lo) - exact;
  return std::fabs(to_double(difference / exact));
}

TEST_CASE("double-double operations keep some 31 digits") {
  const heed::PrecisionScope precision(300);
  const std::vector<double> v = heed::test::random_vector(4000, 7);
  for (std::size_t k = 0; k + 4 <= v.size(); k += 4) {
    const DoubleDouble a = DoubleDouble::sum(v[k], 1e-17 * v[k + 1]);
    const DoubleDouble b = DoubleDouble::sum(v[k + 2], 1e-17 * v[k + 3]);
    const Ball x = Ball(a.hi) + Ball(a.lo), y = Ball(b.hi) + Ball(b.lo);
    CHECK(error(a + b, x + y) <= 1e-31);
    CHECK(error(a - b, x - y) <= 1e-31);
    CHECK(error(a * b, x * y) <= 1e-31);
    CHECK(error(a / b, x / y) <= 1e-31);
    CHECK(error(heed::approx::sqrt_of(std::fabs(v[k])), sqrt(Ball(std::fabs(v[k])))) <= 1e-31);
    const DoubleDouble e = a * 150.0;
    CHECK(error(exp(e), exp(Ball(e.hi) + Ball(e.lo))) <= 3e-29);
  }
  CHECK(exp(DoubleDouble(0)).value() == 1);
  CHECK(exp(DoubleDouble(-2000)).value() == 0);
}

}  // namespace
