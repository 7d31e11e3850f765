// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "heed/attention/mha_fast.hpp"
#include "heed/attention/mha_pairwise.hpp"
#include "heed/data/read.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::MhaInstance;
using heed::MhaModel;
using heed::approx::FastMha;
using heed::approx::to_double;
using heed::test::Hard;

constexpr const char* sets[] = {"baseline", "avx2", "avx512"};

// Largest error relative to the largest entry; NaN counts as infinite.
double relative_error(std::span<const double> found, const std::vector<Ball>& exact) {
  double largest = 0, error = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    largest = std::max(largest, std::fabs(to_double(exact[k])));
    const double e = std::fabs(to_double(Ball(found[k]) - exact[k]));
    error = e <= error ? error : e;
    if (!std::isfinite(found[k])) return std::numeric_limits<double>::infinity();
  }
  return largest > 0 ? error / largest : error;
}

TEST_CASE(
    "FastMha: gradient and Hessian-vector product of every fixture, for every instruction set") {
  const heed::PrecisionScope precision(600);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  for (const std::string& file : files) {
    const MhaInstance instance = heed::test::rounded_to_double(heed::read_mha_instance(file));
    const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
    const std::vector<double> v = heed::test::random_vector(instance.parameters(), 5);
    const std::vector<Ball> gradient = exact.gradient(),
                            product =
                                exact.hessian_vector_product(std::vector<Ball>(v.begin(), v.end()));
    for (const char* set : sets) {
      INFO(file << ", " << set);
      FastMha fast(heed::mha_inputs<double>(instance), set);
      CHECK(relative_error(fast.gradient(), gradient) < 1e-12);
      CHECK(relative_error(fast.phi(), exact.phi()) < 1e-12);
      CHECK(relative_error(fast.hessian_vector_product(v), product) < 1e-12);
      CHECK(fast.loss() == Approx(to_double(exact.loss())).epsilon(1e-12));
    }
  }
}

TEST_CASE("FastMha: hard random instances") {
  const heed::PrecisionScope precision(320);
  for (const Hard kind : {Hard::nothing, Hard::saturated, Hard::near, Hard::duplicates, Hard::ties,
                          Hard::zeros, Hard::norms, Hard::one_hot})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const MhaInstance instance = heed::test::random_instance(kind, seed);
      const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
      const double exponent = heed::test::exponent_magnitude(exact);
      FastMha fast(heed::mha_inputs<double>(instance), sets[seed % 3]);
      if (!(fast.loss() < 1e100)) continue;
      const double bound = 1e-13 * (10 + exponent);
      INFO("kind " << static_cast<int>(kind) << ", seed " << seed);
      // Saturated rows: relative to the magnitude of the terms, which cancel between samples.
      double magnitude = 0;
      for (const double m : heed::test::gradient_magnitudes(exact))
        magnitude = std::max(magnitude, m);
      const std::vector<Ball> gradient = exact.gradient();
      double error = 0;
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        const double e = std::fabs(to_double(Ball(fast.gradient()[k]) - gradient[k]));
        error = e <= error ? error : e;
      }
      CHECK(error <= bound * magnitude);
      const std::vector<double> v = heed::test::random_vector(fast.parameters(), seed);
      CHECK(relative_error(fast.hessian_vector_product(v),
                           exact.hessian_vector_product(std::vector<Ball>(v.begin(), v.end()))) <
            100 * bound);
    }
}

TEST_CASE("FastMha: shapes with compiled kernels, edges of tiles and blocks of rows") {
  for (const std::size_t T : {1UL, 3UL, 4UL, 5UL, 8UL, 17UL, 33UL})
    for (const std::size_t d : {1UL, 4UL, 7UL, 8UL}) {
      if (T == 33 && d > 4) continue;
      for (const std::size_t H : {1UL, 5UL, 8UL}) {
        MhaInstance m;
        auto matrix = [d, seed = std::uint64_t{T * 100 + d}](std::size_t rows) mutable {
          heed::Matrix<heed::Rational> x(rows, d);
          const std::vector<double> values = heed::test::random_vector(rows * d, ++seed);
          for (std::size_t k = 0; k < values.size(); ++k) x.data()[k] = heed::Rational(values[k]);
          return x;
        };
        for (std::size_t i = 0; i < 3; ++i) {
          m.X.push_back(matrix(i == 1 ? (T + 1) / 2 : T));
          m.y.push_back(i == 0 ? -1 : 1);
        }
        m.weights.emplace();
        for (std::size_t h = 0; h < H; ++h) {
          m.weights->U.push_back(matrix(T));
          m.weights->W.push_back(matrix(d));
        }
        const auto inputs = heed::mha_inputs<double>(m);
        heed::approx::PairwiseMha reference(inputs);
        const std::vector<double> v = heed::test::random_vector(m.parameters(), 3);
        const std::vector<double> product = reference.hessian_vector_product(v);
        for (const char* set : sets) {
          INFO("T = " << T << ", d = " << d << ", H = " << H << ", " << set);
          FastMha fast(inputs, set);
          const std::vector<double> found = fast.hessian_vector_product(v);
          double worst = 0;
          for (std::size_t k = 0; k < found.size(); ++k) {
            worst = std::max(worst, std::fabs(fast.gradient()[k] - reference.gradient()[k]));
            worst = std::max(worst, std::fabs(found[k] - product[k]) / 100);
          }
          CHECK(worst < 1e-12);
          CHECK(fast.loss() == Approx(reference.loss()).epsilon(1e-13));
        }
      }
    }
}

TEST_CASE("FastMha: the number of threads changes no bit") {
  MhaInstance m = heed::test::random_instance(Hard::nothing, 5);
  while (m.X.size() < 60) {
    m.X.push_back(m.X[m.X.size() % 3]);
    m.y.push_back(m.X.size() % 2 == 0 ? 1 : -1);
  }
  const auto inputs = heed::mha_inputs<double>(m);
  FastMha one(inputs);
  const std::vector<double> v = heed::test::random_vector(one.parameters(), 3);
  const std::vector<double> product = one.hessian_vector_product(v);
  heed::set_thread_count(3);
  FastMha three(inputs);
  const std::vector<double> again = three.hessian_vector_product(v);
  heed::set_thread_count(1);
  for (std::size_t k = 0; k < v.size(); ++k) {
    CHECK(one.gradient()[k] == three.gradient()[k]);
    CHECK(product[k] == again[k]);
  }
}

TEST_CASE("FastMha: moving, repeating, wrong input") {
  const MhaInstance m = heed::test::random_instance(Hard::nothing, 6);
  FastMha fast(heed::mha_inputs<double>(m));
  const std::vector<double> theta = fast.initial_parameters();
  const std::vector<double> gradient(fast.gradient().begin(), fast.gradient().end());
  std::vector<double> v = heed::test::random_vector(theta.size(), 1);
  const std::vector<double> product = fast.hessian_vector_product(v);
  fast.evaluate(v);
  fast.hessian_vector_product(v);
  fast.evaluate(theta);
  CHECK(std::equal(gradient.begin(), gradient.end(), fast.gradient().begin()));
  CHECK(fast.hessian_vector_product(v) == product);
  fast.hessian_vector_product(v, v);  // in place
  CHECK(v == product);
  CHECK_THROWS_AS(fast.evaluate(std::vector<double>(3)), std::invalid_argument);
  CHECK_THROWS_WITH(FastMha(heed::mha_inputs<double>(m), "mmx"),
                    Catch::Contains("expected baseline, avx2 or avx512"));
}

}  // namespace
