// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/ball_arb.hpp"

namespace heed::checks {
namespace {

using RationalMatrix = Matrix<Rational>;

// The lower triangle of W_1, mirrored.
RationalMatrix matrix_of(const MhaInstance& m) {
  RationalMatrix a = m.weights->W[0];
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  return a;
}

Matrix<Ball> to_balls(const RationalMatrix& a) {
  return map(a, [](const Rational& q) { return Ball(q); });
}

Rational to_rational(const Ball& point) {
  Rational q;
  fmpq_t exact;
  fmpq_init(exact);
  arf_get_fmpq(exact, arb_midref(arb(point)));
  fmpq_get_mpq(q.raw(), exact);
  fmpq_clear(exact);
  return q;
}

// Number of eigenvalues < s, by symmetric elimination in exact arithmetic with symmetric pivoting.
// A zero diagonal with a non-zero off-diagonal entry is a 2 x 2 pivot of negative determinant.
std::size_t eigenvalues_below(RationalMatrix a, const Rational& s) {
  std::size_t n = a.rows(), negative = 0;
  for (std::size_t i = 0; i < n; ++i) a(i, i) -= s;
  std::vector<std::size_t> left(n);
  for (std::size_t i = 0; i < n; ++i) left[i] = i;
  const auto eliminate = [&](std::size_t p) {
    std::erase(left, p);
    for (const std::size_t i : left) {
      const Rational factor = a(i, p) / a(p, p);
      if (factor.sign() == 0) continue;
      for (const std::size_t j : left) a(i, j) -= factor * a(p, j);
    }
  };
  while (!left.empty()) {
    const auto pivot =
        std::find_if(left.begin(), left.end(), [&](std::size_t i) { return a(i, i).sign() != 0; });
    if (pivot != left.end()) {
      negative += a(*pivot, *pivot).sign() < 0 ? 1 : 0;
      eliminate(*pivot);
      continue;
    }
    std::size_t p = n, q = n;
    for (const std::size_t i : left)
      for (const std::size_t j : left)
        if (a(i, j).sign() != 0) {
          p = i;
          q = j;
        }
    if (p == n) break;
    // Congruence x_p <- x_p + x_q makes the diagonal entry 2 a_pq.
    for (const std::size_t j : left) a(p, j) += a(q, j);
    for (const std::size_t i : left) a(i, p) += a(i, q);
  }
  return negative;
}

// lo <= lambda_min <= hi and the same for lambda_max, proved by exact inertia.
void exact_inertia(const MhaInstance& m, Tally& tally) {
  const RationalMatrix a = matrix_of(m);
  const std::size_t n = a.rows();
  for (const int bits : {64, 160}) {
    const PrecisionScope scope(bits);
    const Extremes<Ball> e = extremes(to_balls(a));
    require(e.least.is_finite() && e.largest.is_finite(), "extremes are not finite");
    const std::string at = " at " + std::to_string(bits) + " bits";
    const PrecisionScope wide(20'000);
    const Rational low = to_rational(e.least.lower()), high = to_rational(e.least.upper());
    require(eigenvalues_below(a, low) == 0, "lambda_min lies below its enclosure" + at);
    require(eigenvalues_below(a, high) > 0 ||
                eigenvalues_below(a, high + (high - low) + Rational::power_of_two(-6000)) > 0,
            "lambda_min lies above its enclosure" + at);
    const Rational top = to_rational(e.largest.upper()), bottom = to_rational(e.largest.lower());
    RationalMatrix minus = map(a, [](const Rational& q) { return -q; });
    require(eigenvalues_below(minus, -top) == 0, "lambda_max lies above its enclosure" + at);
    require(eigenvalues_below(a, bottom) < n, "lambda_max lies below its enclosure" + at);
    ++tally["matrices checked by exact inertia" + at];
  }
}

// Entries with radii: the enclosure holds for every real matrix inside, here for corners of the box.
void members(const MhaInstance& m, Tally& tally) {
  const RationalMatrix a = matrix_of(m);
  const std::size_t n = a.rows();
  for (const int exponent : {-8, -40, -90}) {
    const Rational scale = Rational::power_of_two(exponent);
    RationalMatrix radius =
        map(a, [&](const Rational& q) { return (abs(q) + Rational(1)) * scale; });
    Matrix<Ball> box(n, n);
    for (std::size_t k = 0; k < a.size(); ++k)
      box.data()[k] =
          Ball::hull(Ball(a.data()[k] - radius.data()[k]), Ball(a.data()[k] + radius.data()[k]));
    const Extremes<Ball> e = extremes(box);
    if (!e.least.is_finite() || !e.largest.is_finite()) {
      ++tally["not finite"];
      continue;
    }
    const PrecisionScope wide(20'000);
    const Rational low = to_rational(e.least.lower()), top = to_rational(e.largest.upper());
    const Rational high = to_rational(e.least.upper()), bottom = to_rational(e.largest.lower());
    for (const unsigned pattern : {0U, 0x55555555U, 0xffffffffU, 0x9e3779b9U}) {
      RationalMatrix corner = a;
      for (std::size_t i = 0, bit = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++bit)
          corner(i, j) = corner(j, i) =
              ((pattern >> bit) & 1) != 0 ? a(i, j) + radius(i, j) : a(i, j) - radius(i, j);
      const RationalMatrix minus = map(corner, [](const Rational& q) { return -q; });
      const Rational above = high + Rational::power_of_two(-6000),
                     below = bottom - Rational::power_of_two(-6000);
      require(eigenvalues_below(corner, low) == 0,
              "a member has an eigenvalue below the enclosure");
      require(eigenvalues_below(minus, -top) == 0,
              "a member has an eigenvalue above the enclosure");
      require(eigenvalues_below(corner, above) > 0,
              "lambda_min of a member lies above its enclosure");
      require(eigenvalues_below(minus, -below) > 0,
              "lambda_max of a member lies below its enclosure");
      ++tally["members"];
    }
  }
}

// Enclosures of different precision overlap and shrink; the finer is narrow unless it contains 0.
void precisions(const MhaInstance& m, Tally& tally) {
  const RationalMatrix a = matrix_of(m);
  Extremes<Ball> coarse;
  {
    const PrecisionScope scope(96);
    coarse = extremes(to_balls(a));
  }
  const PrecisionScope scope(512);
  const Extremes<Ball> fine = extremes(to_balls(a));
  require_overlap("lambda_min at 96 and 512 bits", coarse.least, fine.least);
  require_overlap("lambda_max at 96 and 512 bits", coarse.largest, fine.largest);
  const Ball norm = symmetric_norm_bound(to_balls(a));
  for (const Ball* x : {&fine.least, &fine.largest}) {
    require(certainly(less_equal(x->radius(), norm * ldexp(Ball(1), -300))),
            "wide enclosure at 512 bits: " + text(*x) + ", norm " + text(norm));
    ++tally[x->is_exact()                ? "exact"
            : x->contains_zero()         ? "contains 0"
            : x->has_relative_digits(12) ? "narrow"
                                         : "wide relative to a small eigenvalue"];
  }
}

// The factorisation's residual encloses A - P^T L D L^T P: solving with it reproduces a known vector.
void factorisation(const MhaInstance& m, Tally& tally) {
  const RationalMatrix a = matrix_of(m);
  const Matrix<Ball> b = to_balls(a);
  const Ldlt<Ball> f(b);
  const Matrix<Ball> residual = f.residual(b);
  const Ball error = symmetric_norm_bound(residual), norm = symmetric_norm_bound(b);
  require(error.is_finite(), "residual of the factorisation is not finite");
  require(f.negative() + f.zero() + f.positive() == a.rows(), "inertia does not add up");
  require(
      certainly(less_equal(error, norm * Ball(0x1p-100))) || certainly(less_equal(norm, Ball(0))),
      "residual " + text(error) + " against norm " + text(norm));
  // No eigenvalue within the error of 0: the inertia is that of A.
  const PrecisionScope wide(20'000);
  const Rational e = to_rational(error.upper());
  const std::size_t low = eigenvalues_below(a, -e), high = eigenvalues_below(a, e);
  require(low <= f.negative() + f.zero() && f.negative() <= high,
          "inertia " + std::to_string(f.negative()) + " outside " + std::to_string(low) + " .. " +
              std::to_string(high));
  ++tally[low == high ? "inertia decided" : "eigenvalue within the residual of 0"];
}

void double_close(const MhaInstance& m, Tally& tally) {
  const RationalMatrix a = matrix_of(m);
  const Matrix<double> rounded = map(a, [](const Rational& q) { return q.nearest_double(); });
  const Matrix<Ball> b = to_balls(a);
  const Ball norm = symmetric_norm_bound(b);
  if (!certainly(less_equal(norm, Ball(1e300))) || !certainly(less_equal(Ball(1e-280), norm))) {
    ++tally["outside the range of double"];
    return;
  }
  const Extremes<double> d = extremes(rounded);
  const Extremes<Ball> e = extremes(b);
  require_close("double lambda_min", d.least, e.least, norm, 1e-13);
  require_close("double lambda_max", d.largest, e.largest, norm, 1e-13);
}

}  // namespace

std::vector<Property> eigenvalue_enclosure_properties() {
  return {{"eigenvalue_enclosure.inertia",
           "exact rational inertia confirms both ends of the enclosures",
           draw_symmetric_matrix,
           1000,
           exact_inertia,
           {}},
          {"eigenvalue_enclosure.members",
           "entries with radii: the enclosure holds for every matrix inside",
           draw_symmetric_matrix,
           60,
           members,
           {}},
          {"eigenvalue_enclosure.precision",
           "two precisions overlap; the finer resolves 300 bits",
           draw_symmetric_matrix,
           2000,
           precisions,
           {}},
          {"eigenvalue_enclosure.ldlt",
           "the residual bounds the error of the factorisation and its inertia",
           draw_symmetric_matrix,
           2000,
           factorisation,
           {}},
          {"eigenvalue_enclosure.double",
           "the double solver is near the enclosures",
           draw_symmetric_matrix,
           2000,
           double_close,
           {}}};
}

}  // namespace heed::checks
