// SPDX-License-Identifier: Apache-2.0
// Extreme eigenvalues of matrices of DoubleBall.
#include <cmath>

#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/spectral.hpp"
#include "unit/linalg/exact_inertia.hpp"
#include "unit/linalg/named_matrices.hpp"
#include "unit/linalg/random_saddle.hpp"
#include "unit/numeric/double_ball_reference.hpp"

using heed::Ball;
using heed::DoubleBall;
using heed::Extremes;
using heed::Matrix;
using heed::Rational;
using heed::SaddleBlock;
using namespace heed::test;

namespace {

Matrix<DoubleBall> double_balls(const RationalMatrix& a) {
  return map(a, [](const Rational& q) { return DoubleBall(q); });
}

// Counts eigenvalues exactly on both sides of the ends.
void encloses(const Extremes<DoubleBall>& e, const RationalMatrix& a) {
  if (!e.least.is_finite() || !e.largest.is_finite()) return;
  if (exact_inertia(a, least_of(e.least)).negative != 0) FAIL("least too large: " << show(e.least));
  const Inertia below = exact_inertia(a, largest_of(e.least));
  if (below.negative + below.zero == 0) FAIL("least too small: " << show(e.least));
  if (exact_inertia(a, largest_of(e.largest)).positive != 0)
    FAIL("largest too small: " << show(e.largest));
  const Inertia above = exact_inertia(a, least_of(e.largest));
  if (above.positive + above.zero == 0) FAIL("largest too large: " << show(e.largest));
}

RationalMatrix random_symmetric(Random& random, std::size_t n, long exponent) {
  RationalMatrix a(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      a(i, j) = a(j, i) = random.chance(20) ? Rational(0) : random.dyadic(exponent);
  return a;
}

double relative(const DoubleBall& x, const DoubleBall& size) {
  return x.rad() / std::fabs(size.mid());
}

}  // namespace

TEST_CASE("extremes of DoubleBall enclose the eigenvalues of named matrices, narrowly") {
  for (const RationalMatrix& a :
       {rosser(), wilkinson(4), hadamard(2), scaled(rosser(), Rational::parse("1e-200")),
        scaled(rosser(), Rational::parse("1e200")), scaled(rosser(), Rational(1, 3))}) {
    const auto e = extremes(double_balls(a));
    encloses(e, a);
    CHECK(relative(e.least, e.norm()) < 1e-12);
    CHECK(relative(e.largest, e.norm()) < 1e-12);
    CHECK(heed::lambda_max(double_balls(a)).mid() == e.largest.mid());
  }
}

TEST_CASE(
    "extremes of DoubleBall enclose the eigenvalues of every matrix with entries in the balls") {
  Random random(7401);
  for (int round = rounds(150); round > 0; --round) {
    const auto n = static_cast<std::size_t>(random.integer(2, 6));
    const RationalMatrix mid = random_symmetric(random, n, random.chance(30) ? 40 : 3);
    const double size =
        random.chance(50) ? 0 : std::ldexp(1.0, -static_cast<int>(random.integer(0, 40)));
    Matrix<DoubleBall> a(n, n);
    RationalMatrix member(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double m = mid(i, j).nearest_double();
        a(i, j) = a(j, i) = DoubleBall::enclose(m, size * std::fabs(m));
        member(i, j) = member(j, i) = point_of(a(i, j), random.chance(50) ? 4 : -4);
      }
    const auto e = extremes(a);
    encloses(e, member);
    if (size == 0 && e.norm().mid() != 0) CHECK(relative(e.norm(), e.norm()) < 1e-12);
    // The eigenvalues may really move by as much as ||radii||.
    CHECK(e.least.rad() <=
          static_cast<double>(n) * (size + 1e-13) * std::fabs(e.norm().mid()) * 4 + 1e-300);
  }
}

TEST_CASE(
    "extremes of DoubleBall: sizes 1 and 0 entries, values that are not finite, extreme "
    "magnitudes") {
  Matrix<DoubleBall> one(1, 1);
  one(0, 0) = DoubleBall(Rational(-1, 3));
  CHECK(extremes(one).least.contains(Rational(-1, 3)));
  CHECK(extremes(Matrix<DoubleBall>(3, 3)).norm().is_exact());
  Matrix<DoubleBall> bad(2, 2);
  bad(0, 0) = 1;
  bad(1, 1) = DoubleBall::unknown();
  CHECK_FALSE(extremes(bad).least.is_finite());
  CHECK_FALSE(extremes(bad).largest.is_finite());
  for (const double size : {0x1p1020, 0x1p-1020, 0x1p-1000}) {
    Matrix<DoubleBall> a(2, 2);
    a(0, 1) = a(1, 0) = size;
    const auto e = extremes(a);
    CHECK(e.largest.contains(Rational(size)));
    CHECK(e.least.contains(Rational(-size)));
    CHECK(e.largest.rad() <= 1e-13 * size + 0x1p-1018);
  }
  Matrix<DoubleBall> zero_mid(2, 2);
  zero_mid(0, 0) = DoubleBall::enclose(0, 1e-10);
  CHECK(extremes(zero_mid).largest.contains(Rational(1e-10)));
  CHECK(extremes(zero_mid).largest.rad() < 2e-10);
}

TEST_CASE("extremes of DoubleBall saddles: exact counts at small size, with and without J") {
  Random random(7402);
  for (int round = rounds(40); round > 0; --round) {
    const RationalSaddle a = random_saddle(random, 3, 3, random.integer(0, 3));
    if (a.dense().rows() == 0) continue;
    std::vector<SaddleBlock<DoubleBall>> blocks;
    for (const auto& b : a.blocks) blocks.push_back({double_balls(b.M), double_balls(b.K)});
    encloses(extremes(blocks, double_balls(a.J)), a.dense());
  }
}

TEST_CASE("extremes of DoubleBall saddles agree with Ball at every size") {
  Random random(7403);
  for (const std::size_t heads : {std::size_t{1}, std::size_t{3}, std::size_t{12}}) {
    const std::size_t u = heads == 3 ? 40 : 12, w = 16, n = 5, size = heads * (u + w);
    std::vector<SaddleBlock<DoubleBall>> blocks;
    std::vector<SaddleBlock<Ball>> balls;
    for (std::size_t h = 0; h < heads; ++h) {
      SaddleBlock<DoubleBall> b{Matrix<DoubleBall>(u, w), Matrix<DoubleBall>(w, w)};
      for (DoubleBall& x : b.M.entries()) x = random.uniform();
      for (std::size_t i = 0; i < w; ++i)
        for (std::size_t j = 0; j <= i; ++j) b.K(i, j) = b.K(j, i) = random.uniform();
      const auto to = [](const Matrix<DoubleBall>& m) {
        return map(m, [](const DoubleBall& x) { return to_ball(x); });
      };
      balls.push_back({to(b.M), to(b.K)});
      blocks.push_back(std::move(b));
    }
    Matrix<DoubleBall> J(n, size);
    for (DoubleBall& x : J.entries()) x = random.uniform() / 8;
    const auto with = extremes(blocks, J), without = extremes(blocks, {});
    const auto exact = extremes(balls, map(J, [](const DoubleBall& x) { return to_ball(x); }));
    const auto exact_blocks = extremes(balls, Matrix<Ball>(0, size));
    INFO(heads << " heads");
    CHECK(surrounds(with.least, exact.least));
    CHECK(surrounds(with.largest, exact.largest));
    CHECK(surrounds(without.least, exact_blocks.least));
    CHECK(surrounds(without.largest, exact_blocks.largest));
    CHECK(relative(without.least, without.norm()) < 1e-9);
    CHECK(relative(with.least, with.norm()) < 1e-9);
    CHECK(relative(with.largest, with.norm()) < 1e-9);
    CHECK(with.least.is_finite());
  }
}

// Radii are carried to the structured route as one norm: members at the ends of all balls are enclosed.
TEST_CASE("extremes of large DoubleBall saddles enclose those of every member") {
  Random random(7404);
  for (const double spread : {1e-9, 1e-4, 1e-1})
    for (int round = rounds(4); round > 0; --round) {
      const std::size_t u = 40, w = 12, n = 4, heads = 7, size = heads * (u + w);
      const auto draw = [&](DoubleBall& x, Ball& member, double scale) {
        const double mid = scale * random.uniform();
        x = DoubleBall::enclose(mid, spread * std::fabs(mid));
        member = Ball(point_of(x, random.chance(50) ? 4 : -4));
      };
      std::vector<SaddleBlock<DoubleBall>> blocks;
      std::vector<SaddleBlock<Ball>> members;
      for (std::size_t h = 0; h < heads; ++h) {
        SaddleBlock<DoubleBall> b{Matrix<DoubleBall>(u, w), Matrix<DoubleBall>(w, w)};
        SaddleBlock<Ball> m{Matrix<Ball>(u, w), Matrix<Ball>(w, w)};
        for (std::size_t k = 0; k < u * w; ++k) draw(b.M.data()[k], m.M.data()[k], 1);
        for (std::size_t i = 0; i < w; ++i)
          for (std::size_t j = 0; j <= i; ++j) {
            draw(b.K(i, j), m.K(i, j), 1);
            b.K(j, i) = b.K(i, j);
            m.K(j, i) = m.K(i, j);
          }
        blocks.push_back(std::move(b));
        members.push_back(std::move(m));
      }
      Matrix<DoubleBall> J(n, size);
      Matrix<Ball> member_J(n, size);
      for (std::size_t k = 0; k < J.size(); ++k) draw(J.data()[k], member_J.data()[k], 0.3);
      const auto e = extremes(blocks, J), alone = extremes(blocks, {});
      const auto exact = extremes(members, member_J);
      const auto exact_alone = extremes(members, Matrix<Ball>(0, size));
      INFO("radii " << spread);
      CHECK(surrounds(e.least, exact.least));
      CHECK(surrounds(e.largest, exact.largest));
      CHECK(surrounds(alone.least, exact_alone.least));
      CHECK(surrounds(alone.largest, exact_alone.largest));
      // No wider than a few norms of the radii.
      CHECK(relative(e.least, e.norm()) < 60 * spread);
    }
  // Entries at the ends of the range, and one that is not known.
  for (const double scale : {0x1p1000, 0x1p-1000, 0x1p-520}) {
    std::vector<SaddleBlock<DoubleBall>> blocks{
        {Matrix<DoubleBall>(30, 30), Matrix<DoubleBall>(30, 30)}};
    for (std::size_t k = 0; k < 30; ++k)
      blocks[0].M(k, k) = DoubleBall::enclose(scale, scale * 1e-8);
    const auto e = extremes(blocks, {});
    INFO("scale " << scale);
    // [[0, M], [M^T, 0]] has the singular values of M.
    for (const long k : {-4, 0, 4}) {
      CHECK(e.largest.contains(point_of(blocks[0].M(0, 0), k)));
      CHECK(e.least.contains(-point_of(blocks[0].M(0, 0), k)));
    }
    CHECK(e.largest.rad() <= 1e-6 * scale + 0x1p-1018);
    blocks[0].K(3, 3) = DoubleBall::unknown();
    CHECK_FALSE(extremes(blocks, {}).least.is_finite());
  }
  // Blocks 0, J one row of equal entries: the largest eigenvalue is P times the square of the entry.
  const std::vector<SaddleBlock<DoubleBall>> zeros(
      5, {Matrix<DoubleBall>(40, 40), Matrix<DoubleBall>(40, 40)});
  Matrix<DoubleBall> J(1, 400);
  for (DoubleBall& x : J.entries()) x = DoubleBall::enclose(0.75, 1e-8);
  const auto e = extremes(zeros, J);
  for (const long k : {-4, 0, 4}) {
    const Rational entry = point_of(J(0, 0), k);
    CHECK(e.largest.contains(Rational(400) * entry * entry));
  }
  CHECK(e.largest.rad() < 1e-5);
}
