// SPDX-License-Identifier: Apache-2.0
// The forms for large shapes, against balls and against the generic forms.
#include <catch2/catch.hpp>
#include <limits>

#include "heed/data/generate.hpp"
#include "heed/data/read.hpp"
#include "heed/linalg/gram_factor.hpp"
#include "heed/theory/mha_analysis.hpp"
#include "heed/theory/verify.hpp"

using namespace heed;

namespace {

MhaInstance gaussian(std::size_t n, std::size_t T, std::size_t d, std::size_t H, double sd) {
  TokenSpec tokens;
  tokens.samples = n;
  tokens.tokens = T;
  tokens.dim = d;
  MhaInstance m = generate_gaussian_tokens(tokens);
  WeightSpec weights;
  weights.kind = WeightSpec::Kind::gaussian;
  weights.gaussian_sd = sd;
  set_weights(m, weights, H, 5);
  return m;
}

void require_known(const char* name, const DoubleBall& x, const Ball& exact, int digits) {
  INFO(name << ": " << x.mid() << " +- " << x.rad() << ", exact " << approx::to_double(exact));
  CHECK(to_ball(x).overlaps(exact));
  CHECK(to_ball(x).has_relative_digits(digits));
}

}  // namespace

TEST_CASE("lean analysis: encloses, to seven digits, whether rows see few tokens or all") {
  // With T < d the Hessian of a head is taken in the coordinates of tokens, with T > d in those of weights.
  const auto check = [](std::size_t T, std::size_t d, double sd) {
    INFO("T = " << T << ", d = " << d << ", weights of size " << sd);
    const MhaInstance m = gaussian(3, T, d, 2, sd);
    const MhaAnalysis<DoubleBall> a(m, StateForm::lean);
    const PrecisionScope scope(256);
    const MhaAnalysis<Ball> b(m);
    for (std::size_t i = 0; i < a.samples(); ++i) {
      require_known("grad state", a.bounds(i).grad_state, b.bounds(i).grad_state, 7);
      require_known("grad exact", a.phi_gradient_norm(i), b.phi_gradient_norm(i), 7);
      for (std::size_t h = 0; h < a.heads(); ++h) {
        require_known("geom", a.bounds(i).hess_geom[h], b.bounds(i).hess_geom[h], 7);
        require_known("state", a.bounds(i).hess_state[h], b.bounds(i).hess_state[h], 7);
        require_known("exact", a.bounds(i).hess_exact[h], b.bounds(i).hess_exact[h], 7);
      }
    }
    require_known("lambda_min", a.hessian_extremes().least, b.hessian_extremes().least, 7);
    require_known("lambda_max", a.hessian_extremes().largest, b.hessian_extremes().largest, 7);
  };
  for (const double sd : {4.0, 1.0, 0.1}) check(6, 4, sd);
  for (const double sd : {1.0, 0.1}) check(4, 8, sd);
}

TEST_CASE("gram factor: between the matrix and the matrix plus the excess") {
  Matrix<double> g(3, 3);
  const double rows[3][2] = {{1, 2}, {3, -1}, {4, 1}};  // rank 2
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) g(i, j) = rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
  const auto f = gram_factor(g, 0);
  REQUIRE(f);
  CHECK(f->excess > 0);
  CHECK(f->excess < 1e-10);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      Rational sum;
      for (std::size_t k = 0; k < 3; ++k) sum += Rational(f->L(i, k)) * Rational(f->L(j, k));
      CHECK(abs(sum - Rational(g(i, j))) <= Rational(f->excess));
    }
  CHECK(Rational(f->L(0, 0)) * Rational(f->L(0, 0)) >= Rational(g(0, 0)));
  g(2, 2) = -1;
  CHECK_FALSE(gram_factor(g, 0));
  g(2, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(gram_factor(g, 0));
  CHECK_FALSE(gram_factor(Matrix<double>(1, 1), std::numeric_limits<double>::infinity()));
}

TEST_CASE("verify: a large shape is settled by doubles and a few values of Phi") {
  const MhaInstance m = gaussian(4, 16, 16, 4, 0.2);
  REQUIRE(state_form_for(m) == StateForm::kept);
  const MhaInstance large = gaussian(8, 16, 16, 8, 0.2);
  REQUIRE(state_form_for(large) == StateForm::lean);
  Budget budget;
  budget.digits = 5;
  const VerifyReport r = verify(large, budget);
  CHECK_FALSE(r.budget_ended);
  CHECK_FALSE(r.analysis);
  CHECK(exit_status(r.claims) == 0);
  for (const ClaimResult& c : r.claims) {
    INFO(c.id << " " << c.rung << ": " << c.verdict.reason);
    CHECK((c.verdict.kind == VerdictKind::proved || c.verdict.equality ||
           c.verdict.kind == VerdictKind::not_applicable));
    CHECK_FALSE(c.by_difference);
  }
  for (const IdentityResult& i : r.identities) CHECK(i.status != "inconsistent");
}

TEST_CASE(
    "verify: one sample of a large shape, whose sides share eigenvalues, needs no balls of them") {
  const MhaInstance m = gaussian(1, 24, 24, 8, 0.3);
  REQUIRE(state_form_for(m) == StateForm::lean);
  Budget budget;
  budget.digits = 5;
  const VerifyReport r = verify(m, budget);
  CHECK_FALSE(r.budget_ended);
  CHECK_FALSE(r.analysis);
  CHECK(exit_status(r.claims) == 0);
  int equalities = 0;
  for (const ClaimResult& c : r.claims) {
    INFO(c.id << " " << c.rung << ": " << c.verdict.reason);
    equalities += c.verdict.equality ? 1 : 0;
    CHECK((c.verdict.kind == VerdictKind::proved || c.verdict.equality ||
           c.verdict.kind == VerdictKind::not_applicable));
    if (c.by_difference) CHECK(c.verdict.reason.find("n = 1") != std::string::npos);
  }
  CHECK(equalities >= 2);
}
