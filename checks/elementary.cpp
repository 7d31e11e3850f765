// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/logistic.hpp"

#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed::checks {
namespace {

Rational margin_of(const MhaInstance& m) {
  return m.weights->U[0](0, 0) * m.X[0](0, 0) * Rational(m.y[0]);
}

struct Values {
  Ball l, p, second, third, complement;
};

// Definitions, by the exponential of either sign and subtraction: cancels, so at many bits.
Values by_definition(const Ball& t) {
  const Ball up = exp(t), down = exp(-t);
  const Ball p = Ball(1) / (Ball(1) + up), q = Ball(1) / (Ball(1) + down);
  return {log(Ball(1) + down), p, p * q, p * q * (p - q), Ball(1) - exp(-log(Ball(1) + down))};
}

Values by_library(const Ball& t) {
  using L = Logistic<Ball>;
  const Ball l = L::value(t);
  return {l, L::probability(t), L::second(t), L::third(t), one_minus_exp_neg(l)};
}

bool within(const Rational& t, int limit) { return abs(t) <= Rational(limit); }

void require_same(const std::string& where, const Values& a, const Values& b) {
  require_overlap("l" + where, a.l, b.l);
  require_overlap("p" + where, a.p, b.p);
  require_overlap("l''" + where, a.second, b.second);
  require_overlap("l'''" + where, a.third, b.third);
  require_overlap("1 - e^-l" + where, a.complement, b.complement);
}

void logistic_forms(const MhaInstance& m, Tally& tally) {
  const Rational t = margin_of(m);
  const Values narrow = by_library(Ball(t));
  require(narrow.l.is_finite() && narrow.p.is_finite() && narrow.second.is_finite(), "not finite");
  if (within(t, 10'000)) {
    for (const Ball* x : {&narrow.l, &narrow.p, &narrow.second, &narrow.complement})
      require_narrow("a loss term at 128 bits", *x, 30);
    ++tally["margins within 10000"];
  }
  if (!within(t, 2000)) return;
  const PrecisionScope scope(8192);
  require_same(" at the margin", narrow, by_definition(Ball(t)));
}

// A margin known to a radius, on both sides of 0: every point of it is enclosed.
void wide_margins(const MhaInstance& m, Tally& tally) {
  const Rational t = margin_of(m);
  if (!within(t, 300)) return;
  for (const double radius : {1e-30, 1e-6, 0.25, 3.0}) {
    const Rational r(radius);
    const Values wide = by_library(Ball::hull(Ball(t - r), Ball(t + r)));
    const PrecisionScope scope(2048);
    for (const int k : {-4, -1, 0, 3, 4})
      require_same(" on a ball of radius " + std::to_string(radius), wide,
                   by_definition(Ball(t + r * Rational(k, 4))));
    // The note bounds the relative radius of l, p and l'' by 3 rho to first order.
    if (radius <= 1e-6)
      for (const Ball* x : {&wide.l, &wide.p, &wide.second})
        require(certainly(less_equal(x->radius(), Ball(3.01 * radius) * abs(*x))),
                "relative radius above 3 rho: " + text(*x));
  }
  ++tally["margins with a radius"];
}

void in_double(const MhaInstance& m, Tally& tally) {
  const Rational exact = margin_of(m);
  if (!within(exact, 1000)) return;
  const double t = exact.nearest_double();
  using L = Logistic<double>;
  const double l = L::value(t), p = L::probability(t), second = L::second(t), third = L::third(t),
               complement = one_minus_exp_neg(l);
  const PrecisionScope scope(4096);
  const Values v = by_definition(Ball(t));
  const auto close = [&](const std::string& what, double x, const Ball& y) {
    require_close(what + " in double at " + std::to_string(t), x, y, abs(y), 2e-15);
  };
  close("l", l, v.l);
  close("p", p, v.p);
  close("l''", second, v.second);
  close("l'''", third, v.third);
  close("1 - e^-l", complement, v.complement);
  ++tally["doubles compared"];
}

// lam(s, k) is the largest eigenvalue of [[0, s], [s, k]], for s, k >= 0 of any magnitude.
void saddle_value(const MhaInstance& m, Tally& tally) {
  const Rational s = abs(margin_of(m)),
                 k = abs(m.weights->W[0](0, 0)) + Rational(m.y[0] > 0 ? 1 : 0);
  for (const Rational& scale :
       {Rational(1), Rational::power_of_two(-500), Rational::power_of_two(500)}) {
    Matrix<Ball> a(2, 2);
    a(0, 1) = a(1, 0) = Ball(s * scale);
    a(1, 1) = Ball(k);
    const Ball lam = saddle_eigenvalue(Ball(s * scale), Ball(k));
    require_overlap("lam(s, k)", lam, enclose_lambda_max(a, 20));
    // lam^2 = k lam + s^2
    require_overlap("lam^2 - k lam", lam * lam - Ball(k) * lam, square(Ball(s * scale)));
    const double sd = (s * scale).nearest_double(), kd = k.nearest_double();
    if (std::isfinite(sd) && (sd == 0 || sd > 1e-290) && sd < 1e290)
      require_close("lam(s, k) in double", saddle_eigenvalue(sd, kd), lam, lam + Ball(1e-290),
                    1e-15);
  }
  ++tally["saddle eigenvalues"];
}

}  // namespace

std::vector<Property> elementary_properties() {
  return {{"elementary.logistic",
           "the stable forms enclose the definitions at every margin",
           draw_margin,
           2000,
           logistic_forms,
           {}},
          {"elementary.wide",
           "they enclose every point of a wide margin, and are not wide themselves",
           draw_margin,
           1000,
           wide_margins,
           {}},
          {"elementary.double",
           "in double they are accurate to a few units in the last place",
           draw_margin,
           2000,
           in_double,
           {}},
          {"elementary.saddle",
           "lam(s, k) is the largest eigenvalue of [[0, s], [s, k]]",
           draw_margin,
           1000,
           saddle_value,
           {}}};
}

}  // namespace heed::checks
