// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/double_ball.hpp"

#include <cmath>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/numeric/logistic.hpp"
#include "heed/numeric/verdict.hpp"
#include "heed/theory/loss.hpp"
#include "heed/theory/mha_grad.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/moment.hpp"

namespace heed::checks {
namespace {

std::string text(const DoubleBall& x) { return checks::text(to_ball(x)); }

// The reference encloses one number at far more bits: it may not lie outside x.
void require_contains(const std::string& what, const DoubleBall& x, const Ball& reference) {
  if (!x.is_finite() || !reference.is_finite()) return;
  const Ball low(Rational(x.mid()) - Rational(x.rad())),
      high(Rational(x.mid()) + Rational(x.rad()));
  if (certainly(less(reference, low)) || certainly(less(high, reference)))
    fail(what + ": " + text(x) + " does not contain " + checks::text(reference));
}

template <class Container, class Reference>
void require_contains_all(const std::string& what, const Container& x, const Reference& reference) {
  require(x.size() == reference.size(), what + ": lengths differ");
  for (std::size_t k = 0; k < x.size(); ++k)
    require_contains(what + "[" + std::to_string(k) + "]", x[k], reference[k]);
}

// All numbers of an instance, as nearest doubles with a radius or without.
std::vector<DoubleBall> numbers_of(const MhaInstance& m) {
  std::vector<DoubleBall> all;
  const auto add = [&](const Matrix<Rational>& t) {
    for (const Rational& q : t.entries()) {
      const DoubleBall x(q);
      all.push_back(x);
      if (all.size() % 3 == 0) all.push_back(DoubleBall::enclose(x.mid(), std::fabs(x.mid()) / 8));
      if (all.size() % 7 == 0)
        all.push_back(DoubleBall::enclose(x.mid(), 1.5 * std::fabs(x.mid())));
    }
  };
  for (const auto* group : {&m.X, &m.weights->U, &m.weights->W})
    for (const Matrix<Rational>& t : *group) add(t);
  return all;
}

Rational point(const DoubleBall& x, int k) {
  return Rational(x.mid()) + Rational(x.rad()) * Rational(k, 2);
}

void operations(const MhaInstance& m, Tally& tally) {
  const std::vector<DoubleBall> all = numbers_of(m);
  const PrecisionScope scope(200);
  const std::size_t count = std::min<std::size_t>(all.size(), 12);
  for (std::size_t k = 0; k < count; ++k) {
    const DoubleBall &a = all[k], &b = all[(5 * k + 3) % all.size()];
    if (!a.is_finite() || !b.is_finite()) continue;
    ++tally[a.mid() == 0 || b.mid() == 0 ? "pairs with a 0" : "pairs"];
    const DoubleBall aa[] = {a, b, a}, bb[] = {b, b, -b};
    const DoubleBall sum = dot(3, aa, 1, bb, 1);
    for (const int i : {-2, 1, 2})
      for (const int j : {-2, 0, 2}) {
        const Rational x = point(a, i), y = point(b, j);
        const Ball bx(x), by(y);
        const auto exactly = [&](const char* what, const DoubleBall& r, const Rational& value) {
          require(r.contains(value), std::string(what) + " of " + text(a) + " and " + text(b) +
                                         ": " + text(r) + " does not contain the exact value");
        };
        exactly("sum", a + b, x + y);
        exactly("difference", a - b, x - y);
        exactly("product", a * b, x * y);
        exactly("dot", sum, y * y);
        exactly("square", square(a), x * x);
        exactly("max", max(a, b), x < y ? y : x);
        exactly("min", min(a, b), x < y ? x : y);
        if (y.sign() != 0) {
          exactly("quotient", a / b, x / y);
        } else {
          require(!(a / b).is_finite(), "finite quotient by a ball that contains 0");
        }
        require_contains("sqrt(|x|)", sqrt(abs(a)), sqrt(abs(bx)));
        require_contains("exp", exp(a), exp(bx));
        require_contains("expm1", expm1(a), expm1(bx));
        require_contains("tanh", tanh(a), tanh(bx));
        require_contains("log1p(|x|)", log1p(abs(a)), log1p(abs(bx)));
        if (x.sign() != 0) require_contains("log", log(abs(a)), log(abs(bx)));
        require_contains("l", Logistic<DoubleBall>::value(a), Logistic<Ball>::value(bx));
        require_contains("p", Logistic<DoubleBall>::probability(a),
                         Logistic<Ball>::probability(bx));
      }
    if (!a.is_exact() || !b.is_exact() || std::fabs(std::log2(std::fabs(a.mid()))) > 400 ||
        std::fabs(std::log2(std::fabs(b.mid()))) > 400)
      continue;
    ++tally["pairs of points: width"];
    for (const DoubleBall& r : {a + b, a - b, a * b, a / b, square(a), sqrt(abs(a))})
      require(r.rad() <= 4 * DoubleBall::unit * std::fabs(r.mid()) + 0x1p-1015,
              "a wide result on points: " + text(r));
  }
}

void require_narrow_double(const std::string& what, const DoubleBall& x) {
  require_narrow(what, to_ball(x), 6);
}

void model(const MhaInstance& m, Tally& tally) {
  const MhaModel<DoubleBall> a(mha_inputs<DoubleBall>(m));
  const std::vector<Rational> direction = test_direction(m.parameters());
  const std::vector<DoubleBall> v(direction.begin(), direction.end());
  const std::vector<DoubleBall> hvp = a.hessian_vector_product(v), gradient = a.gradient();
  const bool tame = is_tame(m);
  const PrecisionScope scope(256);
  const MhaModel<Ball> b(mha_inputs<Ball>(m));
  require_contains_all("Phi", a.phi(), b.phi());
  require_contains("L", a.loss(), b.loss());
  require_contains("G", a.mean_slope(), b.mean_slope());
  require_contains_all("grad L", gradient, b.gradient());
  require_contains_all("(hess L) v", hvp, b.hessian_vector_product(to_balls(direction)));
  require_contains_all("K", a.ntk_kernel().entries(), b.ntk_kernel().entries());
  require_contains_all("J", a.weighted_gradients().entries(), b.weighted_gradients().entries());
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t h = 0; h < m.heads(); ++h) {
      require_contains_all("A", a.head(i, h).A.entries(), b.head(i, h).A.entries());
      require_contains_all("Gam", a.head(i, h).Gam.entries(), b.head(i, h).Gam.entries());
    }
  for (std::size_t h = 0; h < m.heads(); ++h) {
    const SaddleBlock<DoubleBall> x = a.loss_block(h);
    const SaddleBlock<Ball> y = b.loss_block(h);
    require_contains_all("block M", x.M.entries(), y.M.entries());
    require_contains_all("block K", x.K.entries(), y.K.entries());
  }
  ++tally[a.loss().is_finite() ? "loss: finite" : "loss: out of range"];
  if (!tame) return;
  ++tally["tame: width"];
  require_narrow_double("L", a.loss());
  for (const LossTerms<DoubleBall>& l : a.loss_terms()) require_narrow_double("p", l.slope);
}

// Values by the form that states are not kept in.
void lean_model(const MhaInstance& m, Tally& tally) {
  const MhaModel<DoubleBall> a(mha_inputs<DoubleBall>(m), StateForm::lean);
  const std::vector<Rational> direction = test_direction(m.parameters());
  const std::vector<DoubleBall> hvp =
      a.hessian_vector_product({direction.begin(), direction.end()});
  const bool tame = is_tame(m);
  const PrecisionScope scope(256);
  const MhaModel<Ball> b(mha_inputs<Ball>(m)), lean(mha_inputs<Ball>(m), StateForm::lean);
  require_contains_all("Phi", a.phi(), b.phi());
  require_contains_all("grad Phi", a.phi_gradients().entries(), b.phi_gradients().entries());
  require_contains_all("(hess L) v", hvp, b.hessian_vector_product(to_balls(direction)));
  require_overlap("Phi, lean balls", lean.phi(), b.phi());
  HeadState<DoubleBall> room;
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t h = 0; h < m.heads(); ++h) {
      const HeadState<DoubleBall>& x = a.head(i, h, room);
      require_contains_all("A", x.A.entries(), b.head(i, h).A.entries());
      require_contains_all("Gam", x.Gam.entries(), b.head(i, h).Gam.entries());
      for (std::size_t t = 0; t < x.xc.size(); ++t)
        require_contains_all("xc", x.xc[t].entries(), b.head(i, h).xc[t].entries());
    }
  if (!tame) return;
  ++tally["tame: width"];
  for (const DoubleBall& x : a.phi())
    require_close("Phi", x.mid(), to_ball(x), Ball(1) + to_ball(abs(x)), 1e-9);
}

template <class S>
std::vector<RungValues<S>> all_rungs(const MhaAnalysis<S>& a) {
  std::vector<RungValues<S>> all;
  for (auto* family :
       {&loss_claims<S>, &moment_claims<S>, &mha_grad_claims<S>, &mha_hessian_claims<S>})
    for (RungValues<S>& r : family(a, every_rung)) all.push_back(std::move(r));
  return all;
}

// Sides, and so verdicts, of the first tier of verify for large shapes.
void lean_claims(const MhaInstance& m, Tally& tally) {
  const std::vector<RungValues<DoubleBall>> first =
      all_rungs(MhaAnalysis<DoubleBall>(m, StateForm::lean));
  const PrecisionScope scope(512);
  const std::vector<RungValues<Ball>> exact = all_rungs(MhaAnalysis<Ball>(m));
  for (const RungValues<DoubleBall>& r : first) {
    const RungValues<Ball>* e = find_rung(exact, r.id, r.rung);
    require(e != nullptr, r.id + " " + r.rung + ": not evaluated in balls");
    if (!r.complete || !r.not_applicable.empty() || r.items.size() != e->items.size()) continue;
    for (std::size_t k = 0; k < r.items.size(); ++k) {
      const std::string name = r.id + " " + r.rung + " " + r.items[k].where;
      const Ball lhs = to_ball(r.items[k].lhs), rhs = to_ball(r.items[k].rhs);
      require_overlap(name + " lhs", lhs, e->items[k].lhs);
      require_overlap(name + " rhs", rhs, e->items[k].rhs);
      const Verdict in_double = compare(lhs, rhs),
                    in_balls = compare(e->items[k].lhs, e->items[k].rhs);
      require(in_double.kind != VerdictKind::refuted, name + ": refuted in double");
      ++tally[std::string("rungs: ") + to_string(in_double.kind) + ", at 512 bits " +
              to_string(in_balls.kind)];
      // Of a rung with a known difference, balls may separate the sides only in that direction.
      if (r.difference.empty() || r.difference_is_zero)
        require(!(r.difference_is_zero && in_balls.kind == VerdictKind::refuted),
                name + ": differs");
      else
        require(in_balls.kind != VerdictKind::refuted, name + ": difference of the wrong sign");
    }
  }
}

void values_alone(const MhaInstance& m, Tally&) {
  const PrecisionScope scope(192);
  const LossValues<Ball> v = loss_values(m);
  const MhaModel<Ball> b(mha_inputs<Ball>(m));
  require_overlap("margins", v.margins, b.margins());
  require_overlap("L", v.loss, b.loss());
  require_overlap("G", v.mean_slope, b.mean_slope());
  if (is_tame(m)) require_narrow("L", v.loss, 30);
}

void analysis_in(StateForm form, const MhaInstance& m, Tally& tally) {
  const MhaAnalysis<DoubleBall> a(m, form);
  const PrecisionScope scope(256);
  const MhaAnalysis<Ball> b(m);
  const auto number = [&](const std::string& what, const DoubleBall& x, const Ball& y) {
    require_contains(what, x, y);
    ++tally[!x.is_finite()                                      ? "quantities: not known"
            : to_ball(x).has_relative_digits(7) || x.is_exact() ? "quantities: 7 digits or exact"
                                                                : "quantities: fewer digits"];
  };
  number("R", a.norms().R, b.norms().R);
  number("M_U", a.norms().M_U, b.norms().M_U);
  number("b1", a.b1(), b.b1());
  number("b2", a.b2(), b.b2());
  number("||grad L||", a.gradient_norm(), b.gradient_norm());
  number("lambda_min", a.hessian_extremes().least, b.hessian_extremes().least);
  number("lambda_max", a.hessian_extremes().largest, b.hessian_extremes().largest);
  number("Gauss-Newton", a.gauss_newton_norm(), b.gauss_newton_norm());
  for (std::size_t h = 0; h < m.heads(); ++h)
    number("block minimum", a.block_minima()[h], b.block_minima()[h]);
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const SampleBounds<DoubleBall>& x = a.bounds(i);
    const SampleBounds<Ball>& y = b.bounds(i);
    number("sigma", a.geometry(i).sigma, b.geometry(i).sigma);
    number("grad geom", x.grad_geom, y.grad_geom);
    number("grad state", x.grad_state, y.grad_state);
    number("grad exact", a.phi_gradient_norm(i), b.phi_gradient_norm(i));
    for (std::size_t h = 0; h < m.heads(); ++h) {
      number("hess geom", x.hess_geom[h], y.hess_geom[h]);
      number("hess state", x.hess_state[h], y.hess_state[h]);
      number("hess exact", x.hess_exact[h], y.hess_exact[h]);
    }
  }
}

void analysis(const MhaInstance& m, Tally& tally) { analysis_in(StateForm::kept, m, tally); }
void lean_analysis(const MhaInstance& m, Tally& tally) { analysis_in(StateForm::lean, m, tally); }

}  // namespace

std::vector<Property> double_ball_properties() {
  return {{"double_ball.operations",
           "operations contain exact results and values at 200 bits, and are narrow on points",
           draw_instance,
           300,
           operations,
           {}},
          {"double_ball.model",
           "the model in double enclosures contains what balls of 256 bits enclose",
           draw_instance,
           1000,
           model,
           {}},
          {"double_ball.analysis",
           "norms, bounds and eigenvalues too",
           draw_instance,
           300,
           analysis,
           {}},
          {"double_ball.lean_model",
           "so does the model without kept states",
           draw_instance,
           600,
           lean_model,
           {}},
          {"double_ball.lean_analysis",
           "and an analysis by compressed Hessians and the kernels of EnclosedMha",
           draw_instance,
           300,
           lean_analysis,
           {}},
          {"double_ball.lean_claims",
           "whose verdicts agree with balls of 512 bits; sides differ in the known direction",
           draw_instance,
           200,
           lean_claims,
           {}},
          {"double_ball.loss_values",
           "margins and losses without states are those of the model",
           draw_instance,
           500,
           values_alone,
           {}}};
}

}  // namespace heed::checks
