// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_inertia.hpp"

#include <cmath>

#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/numeric/parallel.hpp"
#include "unit/linalg/double_saddle.hpp"
#include "unit/linalg/exact_claims.hpp"

using heed::FastInertia;
using heed::InertiaCount;
using heed::Matrix;
using heed::PointSaddle;
using heed::Rational;
using heed::SaddleBlock;
using heed::test::DoubleSaddle;
using heed::test::exact_inertia;
using heed::test::Inertia;
using heed::test::Random;
using heed::test::random_double_saddle;
using heed::test::rounds;

namespace {

void check_count(const InertiaCount& c, const Matrix<Rational>& dense, int exponent) {
  INFO("shift " << c.shift << ", below " << c.below << ", errors " << c.lower_error << ", "
                << c.upper_error);
  CHECK(heed::test::count_holds(c, dense, exponent));
}

bool known(const PointSaddle& a) { return FastInertia(a).count(-1).is_known(); }

}  // namespace

TEST_CASE("FastInertia: counts agree with exact ones within the error") {
  Random random(331);
  int known = 0, sharp = 0, total = 0;
  for (int round = rounds(150); round > 0; --round) {
    const double unit = std::ldexp(1.0, static_cast<int>(random.integer(-60, 60)));
    const DoubleSaddle a = random_double_saddle(random, 3, 3, random.integer(0, 4), unit,
                                                std::sqrt(unit) * random.uniform(0.01, 3));
    const PointSaddle point = a.point();
    const FastInertia inertia(point);
    const Matrix<Rational> dense = a.exact();
    for (int shift = 0; shift < 4; ++shift) {
      double s = random.uniform(-4, 4);
      if (random.chance(30)) s *= std::ldexp(1.0, -static_cast<int>(random.integer(1, 40)));
      if (random.chance(20)) s = -1;  // often an eigenvalue of integer matrices
      const InertiaCount c = inertia.count(s);
      ++total;
      if (!c.is_known()) continue;
      ++known;
      sharp += c.lower_error < 1e-9 ? 1 : 0;
      check_count(c, dense, point.exponent());
    }
  }
  CHECK(known > total * 9 / 10);
  CHECK(sharp > total * 3 / 4);
}

TEST_CASE("FastInertia: counts at the doubles next to an eigenvalue") {
  Random random(336);
  int known_counts = 0;
  for (int round = rounds(120); round > 0; --round) {
    const DoubleSaddle a = random_double_saddle(random, 2, 2, random.integer(0, 2));
    const PointSaddle point = a.point();
    if (!(point.norm_bound() > 0)) continue;
    const FastInertia inertia(point);
    const Matrix<Rational> dense = a.exact();
    const bool least = random.chance(50);
    const heed::FastEigenvalue r = least ? fast_lambda_min(point) : fast_lambda_max(point);
    // Bisection with exact counts down to two neighbours with the eigenvalue between them.
    double low = r.lower, high = r.upper;
    for (double s = (low + high) / 2; low < s && s < high; s = (low + high) / 2) {
      const Inertia c = exact_inertia(dense, Rational(s));
      (c.negative >= (least ? 1 : point.size()) ? high : low) = s;
    }
    for (double s : {low, high, std::nextafter(low, -9e9), std::nextafter(high, 9e9)}) {
      s = std::ldexp(s, -point.exponent());
      for (const InertiaCount& c : {inertia.count(s), inertia.count(s * (1 + 0x1p-50))}) {
        if (!c.is_known()) continue;
        ++known_counts;
        check_count(c, dense, point.exponent());
      }
    }
  }
  CHECK(known_counts > 100);
}

TEST_CASE("FastInertia: the count of the blocks alone") {
  Random random(332);
  for (int round = rounds(40); round > 0; --round) {
    DoubleSaddle a = random_double_saddle(random, 3, 3, 2);
    const PointSaddle point = a.point();
    const InertiaCount c = FastInertia(point).count_blocks(random.uniform(-3, 3));
    a.J = Matrix<double>(0, 0);
    if (c.is_known()) check_count(c, a.exact(), point.exponent());
  }
}

TEST_CASE("FastInertia: holds for every matrix within the perturbation") {
  Random random(333);
  for (int round = rounds(60); round > 0; --round) {
    DoubleSaddle a = random_double_saddle(random, 2, 3, random.integer(0, 3));
    const double size = std::ldexp(1.0, -static_cast<int>(random.integer(2, 30)));
    const PointSaddle point = a.point(size);
    const InertiaCount c = FastInertia(point).count(random.uniform(-2, 2));
    if (!c.is_known()) continue;
    // Shift one whole K_h by up to the perturbation: the extreme case of a spectral bound.
    for (SaddleBlock<double>& b : a.blocks) {
      const double shift = (random.chance(50) ? size : -size) * random.uniform(0.9, 0.999);
      for (std::size_t i = 0; i < b.K.rows(); ++i) b.K(i, i) += shift;
    }
    check_count(c, a.exact(), point.exponent());
  }
}

TEST_CASE("FastInertia: several block sizes above the blocking of the factorisation") {
  Random random(334);
  DoubleSaddle a;
  for (int h = 0; h < 2; ++h) {
    SaddleBlock<double> b{Matrix<double>(20, 90), Matrix<double>(90, 90)};
    for (double& x : b.M.entries()) x = random.uniform();
    heed::test::fill_symmetric(b.K, [&] { return random.uniform(); });
    a.blocks.push_back(std::move(b));
  }
  a.J = Matrix<double>(30, 220);
  for (double& x : a.J.entries()) x = 0.2 * random.uniform();
  const PointSaddle point = a.point();
  const FastInertia inertia(point);
  const double unit = std::ldexp(1.0, -point.exponent());
  // An independent count: dense elimination in balls (route A) at high precision.
  const heed::PrecisionScope scope(400);
  const heed::BlockSaddle balls = a.balls();
  for (const double s : {-9.0, -5.0, -1.0, 2.0, 9.0}) {
    const InertiaCount c = inertia.count(s * unit);
    REQUIRE(c.is_known());
    CHECK(c.lower_error < 1e-7);
    CHECK((c.below == 0 || c.upper_error < 1e-5));
    CHECK(c.below == balls.factor_shifted(heed::Ball(s))->negative);
  }
}

TEST_CASE("FastInertia: the same numbers for every number of threads") {
  Random random(335);
  for (int round = rounds(20); round > 0; --round) {
    const DoubleSaddle a = random_double_saddle(random, 8, 12, 6);
    const PointSaddle point = a.point();
    const InertiaCount one = FastInertia(point).count(-0.7);
    heed::set_thread_count(3);
    const InertiaCount three = FastInertia(point).count(-0.7);
    heed::set_thread_count(1);
    CHECK(one.below == three.below);
    CHECK(one.lower_error == three.lower_error);
    CHECK(one.upper_error == three.upper_error);
  }
}

TEST_CASE("FastInertia: what cannot be counted is unknown") {
  DoubleSaddle a{{{Matrix<double>(1, 2), Matrix<double>(2, 2)}}, Matrix<double>(1, 3)};
  a.blocks[0].K(0, 0) = 1;
  for (const double s : {0.0, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL, 5e-324, 1e-200}) {
    const PointSaddle point = a.point();
    CHECK_FALSE(FastInertia(point).count(s).is_known());
  }
  CHECK(known(a.point()));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    DoubleSaddle b = a;
    b.J(0, 1) = bad;
    CHECK_FALSE(known(b.point()));
    b = a;
    b.blocks[0].M(0, 1) = bad;
    CHECK_FALSE(known(b.point()));
    b = a;
    b.blocks[0].K(1, 0) = bad;
    CHECK_FALSE(known(b.point()));
    CHECK_FALSE(known(a.point(bad)));
  }
  CHECK_FALSE(known(a.point(-1)));
  CHECK_THROWS_AS(PointSaddle(a.blocks, Matrix<double>(2, 2)), std::invalid_argument);
}
