// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/query_attention.hpp"

#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/query_textbook.hpp"
#include "heed/attention/query_kernel.hpp"
#include "heed/attention/query_scaled.hpp"
#include "heed/attention/query_selection.hpp"
#include "heed/linalg/product.hpp"

namespace heed::checks {
namespace {

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Scalar<S>::from(q); });
}

template <class S>
typename QueryModel<S>::Inputs inputs_of(const QueryInstance& q) {
  return std::make_shared<QueryInputs<S>>(q, q.points.front().head);
}

template <class S>
QueryModel<S> model_of(const QueryInstance& q) {
  const QueryPoint& p = q.points.front();
  return QueryModel<S>(inputs_of<S>(q), p.loss, in_scalar<S>(p.weights.W));
}

Matrix<Ball> direction_of(const QueryInstance& q) {
  return in_scalar<Ball>(*q.points.front().direction);
}

Ball inner(const Matrix<Ball>& a, const Matrix<Ball>& b) { return dot(a.entries(), b.entries()); }

// False, and counted, where a ReLU head has a kink or may have one.
template <class S>
bool smooth(const QueryModel<S>& model, Tally& tally) {
  if (model.open_unit()) ++tally["not proved differentiable"];
  return !model.open_unit();
}

void against_textbook(const QueryInstance& q, Tally& tally) {
  if (!QueryTextbook::feasible(q)) {
    ++tally["logits or margins too large for the textbook forms"];
    return;
  }
  const QueryModel<Ball> model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  const Matrix<Ball> product = model.hessian_vector_product(direction_of(q));
  const Ball curvature = model.curvature_along(model.direction_gaps(direction_of(q)));
  const PrecisionScope scope(QueryTextbook::bits_for(q));
  const QueryTextbook book(q);
  require_overlap("margins", model.margins(), book.margins);
  for (std::size_t i = 0, k = 0; i < q.X.size(); ++i)
    for (const Ball& s : book.attention[i]) require_overlap("s", model.attention()[k++], s);
  require_overlap("L", model.loss(), book.loss);
  require_overlap("grad L", model.gradient(), book.gradient);
  require_overlap("(hess L)[D]", product, book.product);
  require_overlap("<D, (hess L)[D]>", curvature, inner(direction_of(q), book.product));
  ++tally["compared with the textbook"];
}

struct Values {
  std::vector<Ball> margins, attention;
  Ball loss, curvature;
  std::vector<Ball> gradient, product;
};

template <class S>
std::vector<Ball> as_balls(const std::vector<S>& v) {
  std::vector<Ball> b;
  for (const S& x : v) b.push_back(to_ball(x));
  return b;
}

template <class S>
Values values(const QueryInstance& q, const QueryModel<S>& model) {
  const auto D = in_scalar<S>(*q.points.front().direction);
  return {as_balls(model.margins()),
          as_balls(model.attention()),
          to_ball(model.loss()),
          to_ball(model.curvature_along(model.direction_gaps(D))),
          as_balls(model.gradient().entries()),
          as_balls(model.hessian_vector_product(D).entries())};
}

void require_same(const std::string& what, const Values& a, const Values& b) {
  require_overlap("margins " + what, a.margins, b.margins);
  require_overlap("s " + what, a.attention, b.attention);
  require_overlap("L " + what, a.loss, b.loss);
  require_overlap("<D, (hess L)[D]> " + what, a.curvature, b.curvature);
  require_overlap("grad L " + what, a.gradient, b.gradient);
  require_overlap("(hess L)[D] " + what, a.product, b.product);
}

// Three precisions and the doubles enclose the same numbers; the finest are narrow.
void at_several_precisions(const QueryInstance& q, Tally& tally) {
  std::optional<Values> coarse, doubles;
  {
    const PrecisionScope scope(64);
    if (const auto model = model_of<Ball>(q); smooth(model, tally)) coarse = values(q, model);
    if (const auto model = model_of<DoubleBall>(q); smooth(model, tally))
      doubles = values(q, model);
  }
  const PrecisionScope scope(512);
  const auto model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  const Values fine = values(q, model);
  if (coarse) require_same("at 64 and 512 bits", *coarse, fine);
  if (doubles) require_same("in doubles and at 512 bits", *doubles, fine);
  if (!is_tame(q)) return;
  require_narrow("margins", fine.margins);
  require_narrow("s", fine.attention);
  require_narrow("grad L", fine.gradient);
  require_narrow("(hess L)[D]", fine.product);
  ++tally["narrow at 512 bits"];
}

Ball largest(const std::vector<Ball>& v) {
  Ball most;
  for (const Ball& x : v) most = max(most, abs(x));
  return most;
}

// Radii are small against the terms that are added up.
void tight(const QueryInstance& q, Tally& tally) {
  if (!is_tame(q)) return;
  const auto model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  // Every term of the gradient is at most |l'| R |x| |z| sqrt d; a direction adds R |x| |D| |z| d^2.
  Ball token(1), query(1), score(1), slope, size(1);
  for (const auto& x : q.X)
    for (const Rational& e : x.entries()) token = max(token, abs(Ball(e)));
  for (const Rational& e : q.Z.entries()) query = max(query, abs(Ball(e)));
  for (const Ball& g : model.score_gaps()) score = max(score, abs(g));
  for (const auto& l : model.loss_terms()) slope = max(slope, max(l.slope, l.second));
  size += largest(direction_of(q).entries());
  const Ball d(static_cast<int>(q.dim()));
  const Ball logits = Ball(1) + d * d * token * query *
                                    largest(in_scalar<Ball>(q.points.front().weights.W).entries());
  const Ball gradient =
      slope * score * token * query * d * (logits + score + largest(model.margins()));
  const Ball product = gradient * score * token * query * size * d * d * token * token;
  const auto check = [&](const std::string& what, const std::vector<Ball>& v, const Ball& scale,
                         double relative) {
    for (const Ball& x : v)
      require(certainly(less_equal(x.radius(), Ball(relative) * scale + Ball(0x1p-1000))),
              what + ": radius too large: " + text(x) + ", scale " + text(scale));
  };
  const auto check_all = [&](const std::string& what, const Values& v, double unit) {
    check("s " + what, v.attention, logits, 1e3 * unit);
    check("grad L " + what, v.gradient, gradient * token * query, 1e3 * unit);
    check("(hess L)[D] " + what, v.product, product, 1e3 * unit);
  };
  {
    const PrecisionScope scope(128);
    const auto fine = model_of<Ball>(q);
    if (smooth(fine, tally)) check_all("at 128 bits", values(q, fine), 0x1p-128);
  }
  const auto doubles = model_of<DoubleBall>(q);
  if (!smooth(doubles, tally)) return;
  check_all("in doubles", values(q, doubles), 0x1p-52);
  const auto plain = model_of<double>(q);
  if (!smooth(plain, tally)) return;
  for (std::size_t k = 0; k < model.gradient().size(); ++k)
    require_close("double gradient", plain.gradient().data()[k], model.gradient().data()[k],
                  gradient * token * query, 1e-12);
  const auto hvp = plain.hessian_vector_product(in_scalar<double>(*q.points.front().direction));
  const auto exact = model.hessian_vector_product(direction_of(q));
  for (std::size_t k = 0; k < hvp.size(); ++k)
    require_close("double product", hvp.data()[k], exact.data()[k], product, 1e-12);
  ++tally["tight"];
}

// (f(W + h D) - f(W)) / h lies in the enclosure of the derivative over the box W + [0, h] D.
void difference_quotients(const QueryInstance& q, Tally& tally) {
  const PrecisionScope scope(640);
  const QueryPoint& point = q.points.front();
  const auto inputs = inputs_of<Ball>(q);
  const Rational step = Rational::power_of_two(-100);
  const Ball h(step);
  Matrix<Rational> moved = point.weights.W;
  for (std::size_t k = 0; k < moved.size(); ++k)
    moved.data()[k] += step * point.direction->data()[k];
  Matrix<Ball> box(moved.rows(), moved.cols());
  for (std::size_t k = 0; k < moved.size(); ++k)
    box.data()[k] = Ball::hull(Ball(point.weights.W.data()[k]), Ball(moved.data()[k]));
  const QueryModel<Ball> at(inputs, point.loss, in_scalar<Ball>(point.weights.W)),
      there(inputs, point.loss, in_scalar<Ball>(moved)), between(inputs, point.loss, box);
  if (!smooth(between, tally) || !smooth(at, tally) || !smooth(there, tally)) return;
  const Matrix<Ball> D = direction_of(q);
  require_overlap("(L(W + h D) - L(W)) / h", (there.loss() - at.loss()) / h,
                  between.slope_along(between.direction_gaps(D)));
  const Matrix<Ball> g0 = at.gradient(), g1 = there.gradient(),
                     product = between.hessian_vector_product(D);
  for (std::size_t k = 0; k < g0.size(); ++k)
    require_overlap("(grad L(W + h D) - grad L(W)) / h", (g1.data()[k] - g0.data()[k]) / h,
                    product.data()[k]);
  if (is_tame(q)) {
    require_narrow("derivative over the box", product.entries(), 6);
    ++tally["narrow over the box"];
  }
}

// One derivative, by every route that the library offers.
void routes_to_the_slope(const QueryInstance& q, Tally& tally) {
  const QueryPoint& p = q.points.front();
  const QueryModel<Ball> model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  const Matrix<Ball> D = direction_of(q);
  const Ball slope = inner(model.gradient(), D);
  require_overlap("exact gaps", model.direction_gaps(D), model.direction_gaps(*p.direction));
  require_overlap("slope from gaps", slope, model.slope_along(model.direction_gaps(D)));
  require_overlap("slope from exact gaps", slope,
                  model.slope_along(model.direction_gaps(*p.direction)));
  require_overlap("slope from pairs", slope, model.slope_along_exact(*p.direction));
  require_overlap("curvature", inner(D, model.hessian_vector_product(D)),
                  model.curvature_along(model.direction_gaps(*p.direction)));
  const std::vector<Ball> c = model.gradient_coefficients();
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    Ball sum;
    for (std::size_t t = 0; t < q.X[i].rows(); ++t) sum += c[model.inputs().offset(i) + t];
    require(!sum.is_finite() || sum.contains_zero(), "coefficients of an input do not add up to 0");
  }
  // <D1, H[D2]> = <H[D1], D2>, D2 = W.
  const Matrix<Ball> W = in_scalar<Ball>(p.weights.W);
  require_overlap("symmetry of the Hessian", inner(D, model.hessian_vector_product(W)),
                  inner(W, model.hessian_vector_product(D)));
  ++tally["compared"];
}

// All of M orthogonal to every (x_a - x_t) z^T of the instance.
Matrix<Rational> outside_span(const QueryInstance& q, Matrix<Rational> m) {
  std::vector<Matrix<Rational>> basis;
  std::vector<Rational> squares;
  const auto reduce = [&](Matrix<Rational>& a) {
    for (std::size_t b = 0; b < basis.size(); ++b) {
      Rational along;
      for (std::size_t k = 0; k < a.size(); ++k) along += a.data()[k] * basis[b].data()[k];
      along /= squares[b];
      for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] -= along * basis[b].data()[k];
    }
  };
  for (std::size_t i = 0; i < q.X.size(); ++i)
    for (std::size_t t = 1; t < q.X[i].rows(); ++t) {
      Matrix<Rational> a(q.dim(), q.dim());
      Rational square;
      for (std::size_t r = 0; r < q.dim(); ++r)
        for (std::size_t c = 0; c < q.dim(); ++c)
          a(r, c) = (q.X[i](0, r) - q.X[i](t, r)) * q.Z(i, c);
      reduce(a);
      for (const Rational& e : a.entries()) square += e * e;
      if (square.sign() == 0) continue;
      basis.push_back(a);
      squares.push_back(square);
    }
  reduce(m);
  return m;
}

// The gradient and every product lie in the span of the A_k, with the coefficients c_it.
void in_span(const QueryInstance& q, Tally& tally) {
  const QueryPoint& p = q.points.front();
  const QueryModel<Ball> model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  std::vector<std::size_t> selected;
  for (const auto& s : q.selected) selected.push_back(s.front());
  const QueryKernel<Ball> kernel(inputs_of<Ball>(q), p.loss, selected,
                                 in_scalar<Ball>(p.weights.W));
  require_overlap("grad L from c_k A_k", model.gradient(),
                  kernel.combine(kernel.gradient_coefficients()));
  const Matrix<Rational> outside = outside_span(q, *p.direction);
  const std::vector<Ball> b = model.direction_gaps(outside);
  for (const Ball& x : b)
    require(x.is_exact() && x.contains_zero(), "gaps outside the span are not exactly 0");
  const Ball along = model.slope_along_exact(outside);
  require(!along.is_finite() || (along.is_exact() && along.contains_zero()),
          "slope outside the span is not 0");
  const Ball inside = inner(model.gradient(), in_scalar<Ball>(outside)),
             product =
                 inner(model.hessian_vector_product(direction_of(q)), in_scalar<Ball>(outside));
  require(!inside.is_finite() || inside.contains_zero(), "grad L leaves the span");
  require(!product.is_finite() || product.contains_zero(), "(hess L)[D] leaves the span");
  ++tally["in span"];
}

// W = W_0 + sum_k beta_k A_k by its coefficients and as a matrix.
void kernel_form(const QueryInstance& q, Tally& tally) {
  const QueryPoint& p = q.points.front();
  const PrecisionScope scope(256);
  const auto inputs = inputs_of<Ball>(q);
  std::vector<std::size_t> selected;
  for (const auto& s : q.selected) selected.push_back(s.front());
  QueryKernel<Ball> kernel(inputs, p.loss, selected, in_scalar<Ball>(p.weights.W));
  const std::vector<Rational> beta = test_direction(kernel.rows());
  Matrix<Rational> W = p.weights.W;
  for (std::size_t k = 0; k < kernel.rows(); ++k) {
    const std::size_t i = kernel.row_input(k), t = kernel.row_token(k);
    for (std::size_t r = 0; r < q.dim(); ++r)
      for (std::size_t c = 0; c < q.dim(); ++c)
        W(r, c) += beta[k] * (q.X[i](selected[i], r) - q.X[i](t, r)) * q.Z(i, c);
  }
  kernel.evaluate(to_balls(beta));
  const QueryModel<Ball> model(inputs, p.loss, in_scalar<Ball>(W));
  require_overlap("s by kernel", kernel.model().attention(), model.attention());
  require_overlap("margins by kernel", kernel.model().margins(), model.margins());
  require_overlap("L by kernel", kernel.model().loss(), model.loss());
  if (!smooth(model, tally) || !smooth(kernel.model(), tally)) return;
  const std::vector<Ball> c = kernel.gradient_coefficients();
  const Matrix<Ball> gradient = model.gradient();
  require_overlap("grad L by kernel", kernel.combine(c), gradient);
  require_overlap("|grad L|^2 by kernel", kernel.squared_norm_of(c), squared_norm(gradient));
  const Matrix<Ball> D = kernel.combine(to_balls(beta));
  require_overlap("curvature by kernel", kernel.curvature_along(to_balls(beta)),
                  model.curvature_along(model.direction_gaps(D)));
  ++tally["compared"];
}

Matrix<Ball> sum(const Matrix<Ball>& a, const Matrix<Ball>& b) {
  Matrix<Ball> c = a;
  for (std::size_t k = 0; k < c.size(); ++k) c.data()[k] += b.data()[k];
  return c;
}

// Gradient and product in (K, Q) against the ones in W = K Q^T.
void factors(const QueryInstance& q, Tally& tally) {
  const QueryPoint& p = q.points.front();
  const std::size_t d = q.dim(), m = 2;
  // Any K, Q do: pieces of W and of the direction.
  const auto slice = [&](const Matrix<Ball>& a, std::size_t shift) {
    Matrix<Ball> f(d, m);
    for (std::size_t k = 0; k < f.size(); ++k) f.data()[k] = a.data()[(k + shift) % a.size()];
    return f;
  };
  const Matrix<Ball> D = direction_of(q), W = in_scalar<Ball>(p.weights.W);
  const QueryFactors<Ball> at{slice(W, 0), slice(D, 1)}, direction{slice(D, 2), slice(W, 3)};
  const auto inputs = inputs_of<Ball>(q);
  const QueryModel<Ball> by_factors(inputs, p.loss, at),
      by_product(inputs, p.loss, multiply_transposed(at.K, at.Q));
  if (!smooth(by_factors, tally) || !smooth(by_product, tally)) return;
  require_overlap("L by factors", by_factors.loss(), by_product.loss());
  const Matrix<Ball> G = by_product.gradient();
  const QueryFactors<Ball> gradient = factor_gradient(by_factors, at);
  require_overlap("grad_K", gradient.K, multiply(G, at.Q));
  require_overlap("grad_Q", gradient.Q, transposed_multiply(G, at.K));
  const Matrix<Ball> H = by_product.hessian_vector_product(
      sum(multiply_transposed(direction.K, at.Q), multiply_transposed(at.K, direction.Q)));
  const QueryFactors<Ball> product = factor_hessian_vector_product(by_factors, at, direction);
  require_overlap("product in K", product.K, sum(multiply(H, at.Q), multiply(G, direction.Q)));
  require_overlap("product in Q", product.Q,
                  sum(transposed_multiply(H, at.K), transposed_multiply(G, direction.K)));
  ++tally["compared"];
}

// Excess, odds of every token, and the elementary inequalities between them.
void odds_and_excess(const QueryInstance& q, Tally& tally) {
  const PrecisionScope scope(256);
  const QueryModel<Ball> model = model_of<Ball>(q);
  const QueryExcess<Ball> excess = query_excess(model);
  Ball least;
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    const std::size_t best = model.inputs().best_token(i), T = q.X[i].rows();
    const Ball gamma = Ball(q.y[i]) * model.inputs().features(i)(best, 0);
    least += query_loss_terms(model.loss_kind(), gamma).value;
    require(!certainly(negative(excess.drop[i])) && !certainly(negative(excess.terms[i])),
            "a negative excess");
    for (std::size_t j = 0; j < T; ++j) {
      const TokenOdds<Ball> odds = token_odds(model, i, j);
      require(odds.alone == (T == 1), "alone means T_i = 1");
      if (odds.alone) continue;
      const Ball s = model.attention()[model.inputs().offset(i) + j];
      require_overlap("q = 1 - s", odds.rest, Ball(1) - s);
      require_overlap("log q", exp(odds.log_rest), odds.rest);
      require_overlap("log s", exp(odds.log_own), s);
      require_overlap("log odds", odds.log_odds, odds.log_rest - odds.log_own);
      require(!certainly(less(odds.least_gap, -odds.log_odds)), "least gap below -log odds");
      require(!certainly(less(log(Ball(static_cast<int>(T) - 1)) - odds.log_odds, odds.least_gap)),
              "least gap above log(T - 1) - log odds");
    }
  }
  require_overlap("E = L - L_*", excess.mean,
                  model.loss() - least / Ball(static_cast<int>(q.X.size())));
  const QueryExcess<DoubleBall> doubles = query_excess(model_of<DoubleBall>(q));
  require_overlap("E in doubles", to_ball(doubles.mean), excess.mean);
  require_overlap("e_i in doubles", as_balls(doubles.terms), excess.terms);
  if (is_tame(q)) {
    const QueryExcess<double> plain = query_excess(model_of<double>(q));
    for (std::size_t i = 0; i < q.X.size(); ++i) {
      // Relative to e_i itself: logits and the optimal score enter by exponentials.
      Ball sum(1);
      for (const auto* numbers : {&q.X[i], &q.points.front().weights.W, &q.Z})
        sum *= Ball(1) + largest(in_scalar<Ball>(*numbers).entries());
      sum *= Ball(static_cast<int>(q.dim() * q.dim()));
      sum += abs(model.margins()[i]) + excess.drop[i];
      require_close("e_i in double", plain.terms[i], excess.terms[i], excess.terms[i] * sum, 1e-13);
    }
    ++tally["double excess compared"];
  }
  ++tally["compared"];
}

// e^log_scale rows = rows of the gradient; in double the direction survives gaps of any size.
void scaled_gradient(const QueryInstance& q, Tally& tally) {
  const PrecisionScope scope(256);
  const QueryModel<Ball> model = model_of<Ball>(q);
  if (!smooth(model, tally)) return;
  const ScaledGradient<Ball> scaled = scaled_query_gradient(model);
  const Matrix<Ball> rows = model.gradient_rows();
  for (std::size_t k = 0; k < rows.size(); ++k)
    require_overlap("scaled rows", exp(scaled.log_scale) * scaled.rows.data()[k], rows.data()[k]);
  const QueryModel<DoubleBall> doubles = model_of<DoubleBall>(q);
  if (!smooth(doubles, tally)) return;
  const ScaledGradient<DoubleBall> enclosed = scaled_query_gradient(doubles);
  for (std::size_t k = 0; k < rows.size(); ++k)
    require_overlap("scaled rows in doubles",
                    exp(to_ball(enclosed.log_scale)) * to_ball(enclosed.rows.data()[k]),
                    rows.data()[k]);
  ++tally["compared"];
}

}  // namespace

std::vector<Property> query_attention_properties() {
  return {
      query_property("query_attention.textbook",
                     "attention, loss, gradient and product enclose the textbook forms", 300,
                     against_textbook),
      query_property("query_attention.precision",
                     "enclosures at 64 and 512 bits and in doubles agree, fine ones are narrow",
                     1000, at_several_precisions),
      query_property("query_attention.tight",
                     "radii at 53 and 128 bits, and errors of doubles, are small against the terms",
                     1000, tight),
      query_property(
          "query_attention.derivatives",
          "difference quotients of loss and gradient lie in the derivatives over the box", 500,
          difference_quotients),
      query_property("query_attention.slope",
                     "gradient, gaps and pairs give one slope; the Hessian is symmetric", 1000,
                     routes_to_the_slope),
      query_property("query_attention.span",
                     "the gradient is sum c_k A_k and has no component outside their span", 500,
                     in_span),
      query_property("query_attention.kernel", "the kernel form equals the form in W", 500,
                     kernel_form),
      query_property("query_attention.factors", "gradient and product in (K, Q)", 500, factors),
      query_property("query_attention.excess",
                     "excess, odds and least gaps agree and obey the elementary inequalities", 1000,
                     odds_and_excess, draw_linear_query_instance),
      query_property("query_attention.scaled", "the scaled gradient is the gradient", 500,
                     scaled_gradient)};
}

}  // namespace heed::checks
