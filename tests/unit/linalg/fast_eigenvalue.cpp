// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_eigenvalue.hpp"

#include <cfenv>
#include <cmath>
#include <limits>

#include "heed/linalg/extreme_eigenvalue.hpp"
#include "heed/numeric/parallel.hpp"
#include "unit/linalg/double_saddle.hpp"
#include "unit/linalg/exact_claims.hpp"

using heed::Extreme;
using heed::fast_lambda_max;
using heed::fast_lambda_min;
using heed::FastEigenvalue;
using heed::FastEigenvalueMethod;
using heed::FastEigenvalueOptions;
using heed::Matrix;
using heed::PointSaddle;
using heed::Rational;
using heed::SaddleBlock;
using heed::test::DoubleSaddle;
using heed::test::Random;
using heed::test::random_double_saddle;
using heed::test::rounds;

namespace {

void check_encloses(const FastEigenvalue& r, const Matrix<Rational>& a, bool least) {
  INFO((least ? "least" : "largest") << " in [" << r.lower << ", " << r.upper << "]");
  CHECK(heed::test::ends_hold(r, a, least));
}

void check_both(const PointSaddle& p, const Matrix<Rational>& dense,
                const FastEigenvalueOptions& options = {}) {
  check_encloses(fast_lambda_min(p, options), dense, true);
  check_encloses(fast_lambda_max(p, options), dense, false);
}

}  // namespace

TEST_CASE("Fast eigenvalues: exact counts confirm both ends, at any scale") {
  Random random(341);
  int narrow = 0, total = 0;
  for (int round = rounds(150); round > 0; --round) {
    const double unit = std::ldexp(1.0, static_cast<int>(random.integer(-500, 500)));
    const double rows = random.chance(20) ? 1e3 : random.uniform(0.01, 3);
    const DoubleSaddle a =
        random_double_saddle(random, 3, 3, random.integer(0, 4), unit, std::sqrt(unit) * rows);
    const PointSaddle p = a.point();
    const Matrix<Rational> dense = a.exact();
    const FastEigenvalue least = fast_lambda_min(p), largest = fast_lambda_max(p);
    check_encloses(least, dense, true);
    check_encloses(largest, dense, false);
    const double norm = std::ldexp(p.norm_bound(), p.exponent());
    total += 2;
    narrow += least.upper - least.lower <= 1e-8 * std::fabs(least.lower) ? 1 : 0;
    narrow += largest.upper - largest.lower <= 1e-8 * std::fabs(largest.upper) ? 1 : 0;
    // Where the eigenvalue is 0 or rows of J dwarf it, at least relative to the norm.
    CHECK(least.upper - least.lower <= 1e-4 * norm);
    CHECK(largest.upper - largest.lower <= 1e-4 * norm);
  }
  CHECK(narrow > total * 3 / 4);
}

TEST_CASE("Fast eigenvalues: true in every rounding mode") {
  Random random(348);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
    for (int round = rounds(25); round > 0; --round) {
      const DoubleSaddle a = random_double_saddle(random, 3, 3, random.integer(0, 3));
      REQUIRE(std::fesetround(mode) == 0);
      const PointSaddle p = a.point();
      const FastEigenvalue least = fast_lambda_min(p), largest = fast_lambda_max(p);
      std::fesetround(FE_TONEAREST);
      const Matrix<Rational> dense = a.exact();
      check_encloses(least, dense, true);
      check_encloses(largest, dense, false);
      CHECK(least.upper - least.lower <= 1e-4);
      CHECK(largest.upper - largest.lower <= 1e-4);
    }
}

TEST_CASE("Fast eigenvalues: any candidate gives a true interval") {
  Random random(342);
  for (int round = rounds(80); round > 0; --round) {
    const DoubleSaddle a = random_double_saddle(random, 3, 3, random.integer(0, 3));
    const PointSaddle p = a.point();
    FastEigenvalueOptions options;
    options.candidate.resize(p.size());
    const long kind = random.integer(0, 4);
    for (double& x : options.candidate)
      x = kind == 0   ? 0
          : kind == 1 ? random.uniform()
          : kind == 2 ? 1e300 * random.uniform()
          : kind == 3 ? 1e-310 * random.uniform()
                      : static_cast<double>(random.integer(0, 1));
    if (random.chance(10)) options.candidate[0] = std::nan("");
    if (random.chance(10)) options.candidate[0] = HUGE_VAL;
    if (random.chance(10)) options.candidate.pop_back();
    if (options.candidate.empty()) continue;
    check_both(p, a.exact(), options);
  }
}

TEST_CASE("Fast eigenvalues agree with the ball route") {
  Random random(343);
  for (int round = rounds(12); round > 0; --round) {
    const DoubleSaddle a = random_double_saddle(random, 3, 9, random.integer(0, 6));
    const heed::BlockSaddle balls = a.balls();
    const PointSaddle p = a.point();
    const heed::PrecisionScope scope(200);
    for (const Extreme end : {Extreme::smallest, Extreme::largest}) {
      const heed::Ball reference = enclose_extreme_eigenvalue(balls, end, 12).value;
      const FastEigenvalue r = end == Extreme::smallest ? fast_lambda_min(p) : fast_lambda_max(p);
      CHECK(certainly(less_equal(heed::Ball(r.lower), reference.upper())));
      CHECK(certainly(less_equal(reference.lower(), heed::Ball(r.upper))));
    }
  }
}

TEST_CASE("Fast eigenvalues hold for every matrix within the perturbation") {
  Random random(344);
  for (int round = rounds(60); round > 0; --round) {
    DoubleSaddle a = random_double_saddle(random, 2, 3, random.integer(0, 3));
    const double size = std::ldexp(1.0, -static_cast<int>(random.integer(2, 40)));
    const FastEigenvalue least = fast_lambda_min(a.point(size));
    const FastEigenvalue largest = fast_lambda_max(a.point(size));
    CHECK(least.upper - least.lower < 2.1 * size + 1e-4);
    const double sign = random.chance(50) ? 1 : -1;
    for (SaddleBlock<double>& b : a.blocks)
      for (std::size_t i = 0; i < b.K.rows(); ++i) b.K(i, i) += sign * 0.999 * size;
    check_encloses(least, a.exact(), true);
    check_encloses(largest, a.exact(), false);
  }
}

TEST_CASE("Fast eigenvalues: width on a well-conditioned instance of several heads") {
  Random random(345);
  DoubleSaddle a;
  for (int h = 0; h < 4; ++h) {
    SaddleBlock<double> b{Matrix<double>(12, 16), Matrix<double>(16, 16)};
    for (double& x : b.M.entries()) x = random.uniform();
    heed::test::fill_symmetric(b.K, [&] { return random.uniform(); });
    a.blocks.push_back(std::move(b));
  }
  a.J = Matrix<double>(10, 4 * 28);
  for (double& x : a.J.entries()) x = 0.3 * random.uniform();
  for (const double unit : {1.0, 0x1p-700, 0x1p300}) {
    DoubleSaddle scaled{a.converted<double>([&](double x) { return x * unit; }).first, a.J};
    for (double& x : scaled.J.entries()) x *= std::sqrt(unit);
    const FastEigenvalue least = fast_lambda_min(scaled.point());
    CHECK(least.upper - least.lower < 2e-9 * std::fabs(least.upper));
    CHECK(least.method == FastEigenvalueMethod::inertia);
    CHECK(least.factorizations <= 3);
    const FastEigenvalue largest = fast_lambda_max(scaled.point());
    CHECK(largest.upper - largest.lower < 2e-9 * std::fabs(largest.upper));
    CHECK(largest.factorizations <= 3);
    heed::set_thread_count(2);
    const FastEigenvalue again = fast_lambda_min(scaled.point());
    heed::set_thread_count(1);
    CHECK(again.lower == least.lower);
    CHECK(again.upper == least.upper);
  }
}

TEST_CASE("Fast eigenvalues: a Gauss-Newton term that dwarfs the blocks costs no digits") {
  Random random(346);
  for (const double factor : {1e2, 1e4, 1e6}) {
    DoubleSaddle a;
    for (int h = 0; h < 2; ++h) {
      SaddleBlock<double> b{Matrix<double>(3, 4), Matrix<double>(4, 4)};
      for (double& x : b.M.entries()) x = random.uniform();
      heed::test::fill_symmetric(b.K, [&] { return random.uniform(); });
      a.blocks.push_back(std::move(b));
    }
    a.J = Matrix<double>(2, 14);
    for (double& x : a.J.entries()) x = factor * random.uniform();
    const FastEigenvalue r = fast_lambda_min(a.point());
    check_encloses(r, a.exact(), true);
    INFO("factor " << factor << ": [" << r.lower << ", " << r.upper << "]");
    // ||A|| is about factor^2; lambda_min about 1.
    CHECK(r.upper - r.lower < (factor < 1e5 ? 1e-6 : 1e-2) * std::fabs(r.lower));
  }
}

TEST_CASE("Fast eigenvalues: heads with one and the same block") {
  Random random(347);
  SaddleBlock<double> b{Matrix<double>(3, 4), Matrix<double>(4, 4)};
  for (double& x : b.M.entries()) x = random.uniform();
  DoubleSaddle a{{b, b, b}, Matrix<double>(2, 21)};
  for (double& x : a.J.entries()) x = random.uniform();
  // The eigenspace of the blocks has dimension 3 > 2: part of it is orthogonal to the rows of J.
  const FastEigenvalue r = fast_lambda_min(a.point());
  check_encloses(r, a.exact(), true);
  CHECK(r.upper - r.lower < 1e-9 * std::fabs(r.lower));
}

TEST_CASE("Fast eigenvalues: zero matrices, kernels, and the end that structure gives") {
  // Nothing but zeros: exactly 0.
  DoubleSaddle zero{{{Matrix<double>(2, 3), Matrix<double>(3, 3)}}, Matrix<double>(1, 5)};
  CHECK(fast_lambda_min(zero.point()).lower == 0);
  CHECK(fast_lambda_min(zero.point()).upper == 0);
  CHECK(fast_lambda_max(zero.point()).lower == 0);
  CHECK(fast_lambda_max(zero.point()).upper == 0);
  const FastEigenvalue around = fast_lambda_min(zero.point(0.5));
  CHECK(around.lower <= -0.5);
  CHECK(around.lower >= -0.6);
  CHECK(around.upper <= 0);  // n = 1 < u = 2

  // J^T J alone: lambda_min = 0.
  for (double& x : zero.J.entries()) x = 3;
  const FastEigenvalue kernel = fast_lambda_min(zero.point());
  check_encloses(kernel, zero.exact(), true);
  CHECK(kernel.upper == 0);
  CHECK(kernel.lower > -1e-9);
  check_encloses(fast_lambda_max(zero.point()), zero.exact(), false);

  // Definite: u = 0 and K > 0.
  DoubleSaddle definite{{{Matrix<double>(0, 2), Matrix<double>(2, 2)}}, Matrix<double>(0, 0)};
  definite.blocks[0].K(0, 0) = 2;
  definite.blocks[0].K(1, 1) = 3;
  const FastEigenvalue positive = fast_lambda_min(definite.point());
  check_encloses(positive, definite.exact(), true);
  CHECK(positive.lower > 1.999999);
  CHECK(positive.upper < 2.000001);

  // Equal and opposite eigenvalues, as at zero initialisation.
  DoubleSaddle pair{{{Matrix<double>(1, 1), Matrix<double>(1, 1)}}, Matrix<double>(0, 0)};
  pair.blocks[0].M(0, 0) = 1;
  CHECK(std::fabs(fast_lambda_min(pair.point()).lower + 1) < 1e-8);
  check_both(pair.point(), pair.exact());
}

TEST_CASE("Fast eigenvalues: entries at the ends of the range of double") {
  const double extremes[] = {5e-324, 1e-310, 1e-160,
                             1e150,  1e300,  std::numeric_limits<double>::max()};
  for (const double m : extremes)
    for (const double k : extremes)
      for (const double j : extremes) {
        INFO("M " << m << ", K " << k << ", J " << j);
        DoubleSaddle a{{{Matrix<double>(2, 2), Matrix<double>(2, 2)}}, Matrix<double>(1, 4)};
        a.blocks[0].M(0, 0) = m;
        a.blocks[0].M(1, 0) = -m;
        a.blocks[0].K(0, 0) = -k;
        a.blocks[0].K(1, 0) = a.blocks[0].K(0, 1) = k / 3;
        a.J(0, 0) = j;
        a.J(0, 3) = -j / 7;
        check_both(a.point(), a.exact());
      }
}

TEST_CASE("Fast eigenvalues: NaN and infinity give an interval without ends") {
  DoubleSaddle a{{{Matrix<double>(1, 2), Matrix<double>(2, 2)}}, Matrix<double>(1, 3)};
  a.blocks[0].K(0, 0) = 1;
  const auto unbounded = [](const FastEigenvalue& r) {
    return r.lower == -HUGE_VAL && r.upper == HUGE_VAL && r.method == FastEigenvalueMethod::none;
  };
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    DoubleSaddle b = a;
    b.J(0, 2) = bad;
    CHECK(unbounded(fast_lambda_min(b.point())));
    b = a;
    b.blocks[0].M(0, 0) = bad;
    CHECK(unbounded(fast_lambda_max(b.point())));
    b = a;
    b.blocks[0].K(1, 1) = bad;
    CHECK(unbounded(fast_lambda_min(b.point())));
    CHECK(unbounded(fast_lambda_min(a.point(bad))));
  }
  CHECK(unbounded(fast_lambda_min(PointSaddle({}, {}))));
}
