// SPDX-License-Identifier: Apache-2.0
// The norm from moments against enclosures of the whole matrix in balls.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "heed/attention/detail/moment_saddle.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/numeric/precision.hpp"

using namespace heed;
using detail::MomentSaddle;

namespace {

struct Moments {
  std::size_t T, d;
  std::vector<double> x, C, K;

  std::optional<DoubleRange> norm() const { return MomentSaddle(T, d, x, C, K).norm(); }

  Extremes<Ball> exact() const {
    SaddleBlock<Ball> b{Matrix<Ball>(T * d, d * d), Matrix<Ball>(d * d, d * d)};
    for (std::size_t t = 0; t < T; ++t)
      for (std::size_t p = 0; p < d; ++p)
        for (std::size_t a = 0; a < d; ++a)
          for (std::size_t e = 0; e < d; ++e) {
            const std::size_t at = (t * d + a) * d + e;
            b.M(t * d + a, p * d + e) = Ball(x[t * d + p]) * Ball(C[at]);
            for (std::size_t q = 0; q < d; ++q)
              b.K(p * d + a, q * d + e) += Ball(x[t * d + p]) * Ball(x[t * d + q]) * Ball(K[at]);
          }
    return extremes({std::move(b)}, Matrix<Ball>());
  }
};

// C_t = B^T B of rank `rank`, K_t symmetric with eigenvalues shifted by `shift`.
Moments random_moments(std::size_t T, std::size_t d, std::size_t rank, double shift,
                       unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Moments m{T, d, {}, {}, {}};
  for (std::size_t k = 0; k < T * d; ++k) m.x.push_back(normal(random));
  for (std::size_t t = 0; t < T; ++t) {
    Matrix<double> b(rank, d), c(d, d), k(d, d);
    for (double& e : b.entries()) e = normal(random);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t r = 0; r < rank; ++r) c(i, j) += b(r, i) * b(r, j);
        c(j, i) = c(i, j);
        k(i, j) = k(j, i) = normal(random) + (i == j ? shift : 0);
      }
    m.C.insert(m.C.end(), c.entries().begin(), c.entries().end());
    m.K.insert(m.K.end(), k.entries().begin(), k.entries().end());
  }
  return m;
}

void require_enclosed(const Moments& m, double width) {
  const PrecisionScope scope(256);
  const std::optional<DoubleRange> norm = m.norm();
  REQUIRE(norm);
  const Ball exact = m.exact().norm();
  INFO("T = " << m.T << ", d = " << m.d << ": [" << norm->lower << ", " << norm->upper << "]");
  CHECK(certainly(less_equal(Ball(norm->lower), exact)));
  CHECK(certainly(less_equal(exact, Ball(norm->upper))));
  CHECK(norm->upper <= norm->lower * (1 + width));
}

}  // namespace

TEST_CASE("moment saddle: norms of both signs, enclosed to nine digits") {
  unsigned seed = 0;
  for (const std::size_t T : {1UL, 2UL, 5UL, 9UL})
    for (const std::size_t d : {1UL, 2UL, 3UL, 6UL, 9UL})
      for (const double shift : {-30.0, 0.0, 30.0})
        require_enclosed(random_moments(T, d, (d + 1) / 2, shift, ++seed), 1e-9);
}

TEST_CASE("moment saddle: both ends alike, tokens or moments 0, far from 1") {
  Moments m = random_moments(4, 3, 2, 0, 7);
  m.K.assign(m.K.size(), 0);  // a spectrum symmetric about 0
  require_enclosed(m, 1e-9);
  m = random_moments(4, 3, 2, 5, 8);
  for (std::size_t k = 0; k < 3; ++k) m.x[k] = 0;
  for (std::size_t k = 0; k < 9; ++k) m.C[9 + k] = 0;
  require_enclosed(m, 1e-9);
  m.C.assign(m.C.size(), 0);
  require_enclosed(m, 1e-9);
  m = random_moments(4, 3, 2, 0, 9);
  for (double& x : m.x) x = std::ldexp(x, -40);
  require_enclosed(m, 1e-9);
}

TEST_CASE("moment saddle: an upper bound is proved just above an end, and not just below it") {
  const PrecisionScope scope(256);
  for (unsigned seed = 20; seed < 26; ++seed)
    for (const double shift : {-5.0, 0.0, 5.0}) {
      const Moments m = random_moments(4, 5, 3, shift, seed);
      const MomentSaddle a(m.T, m.d, m.x, m.C, m.K);
      const Extremes<Ball> exact = m.exact();
      MomentSaddle::Room room;
      for (const double sign : {1.0, -1.0}) {
        const Ball end = sign > 0 ? exact.largest : -exact.least;
        const double value = approx::to_double(end);
        CHECK_FALSE(a.upper_bound(value * (1 - 1e-10), sign, room) < 1e300);
        const double bound = a.upper_bound(value * (1 + 1e-10), sign, room);
        CHECK(certainly(less_equal(end, Ball(bound))));
        CHECK(bound <= value * (1 + 1e-9));
      }
    }
}

TEST_CASE("moment saddle: says nothing of 0, infinities, NaN and sizes out of range") {
  const Moments good = random_moments(3, 3, 2, 0, 10);
  Moments m = good;
  m.C.assign(m.C.size(), 0);
  m.K.assign(m.K.size(), 0);
  CHECK_FALSE(m.norm());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 0x1p300}) {
    m = good;
    m.x[4] = bad;
    CHECK_FALSE(m.norm());
    m = good;
    m.C[4] = bad;
    CHECK_FALSE(m.norm());
    m = good;
    m.K[4] = bad;
    CHECK_FALSE(m.norm());
  }
  m = good;
  for (double& x : m.x) x = std::ldexp(x, -200);
  CHECK_FALSE(m.norm());
}
