// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/query_attention.hpp"
#include "heed/linalg/product.hpp"

namespace heed::checks {
namespace {

Matrix<Ball> balls(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Ball(q); });
}

QueryModel<Ball> model_of(const QueryInstance& q) {
  const QueryPoint& p = q.points.front();
  return QueryModel<Ball>(std::make_shared<QueryInputs<Ball>>(q, p.head), p.loss,
                          balls(p.weights.W));
}

Matrix<Rational> product(const Matrix<Rational>& a, const Matrix<Rational>& b, bool transposed) {
  Matrix<Rational> c(a.rows(), transposed ? b.rows() : b.cols());
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t j = 0; j < c.cols(); ++j)
      for (std::size_t k = 0; k < a.cols(); ++k)
        c(i, j) += a(i, k) * (transposed ? b(j, k) : b(k, j));
  return c;
}

void scale(std::vector<Rational>& v, const Rational& factor) {
  for (Rational& x : v) x *= factor;
}

// I - 2 v v^T / (v^T v), v = (1, 2, ..) + shift.
Matrix<Rational> reflection(std::size_t d, int shift) {
  std::vector<Rational> v;
  Rational square;
  for (std::size_t k = 0; k < d; ++k) {
    v.emplace_back(static_cast<long>(k) + 1 + shift);
    square += v[k] * v[k];
  }
  Matrix<Rational> o(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      o(i, j) = Rational(i == j ? 1 : 0) - Rational(2) * v[i] * v[j] / square;
  return o;
}

// The head of the same values for tokens times c.
void scale_head(QueryInstance& q, const Rational& c) {
  scale(*q.v, Rational(1) / c);
  QueryHead& head = q.points.front().head;
  if (auto* relu = std::get_if<ReluHead>(&head)) scale(relu->V.entries(), Rational(1) / c);
  if (auto* quadratic = std::get_if<QuadraticHead>(&head)) quadratic->lambda /= c * c;
}

void require_image(const std::string& what, const QueryInstance& original,
                   const QueryInstance& image, const Matrix<Ball>& left, const Matrix<Ball>& right,
                   Tally& tally) {
  const QueryModel<Ball> a = model_of(original), b = model_of(image);
  require_overlap(what + ": s", a.attention(), b.attention());
  require_overlap(what + ": margins", a.margins(), b.margins());
  require_overlap(what + ": L", a.loss(), b.loss());
  if (a.open_unit() || b.open_unit()) return;
  require_overlap(what + ": grad L", multiply(multiply(left, a.gradient()), right), b.gradient());
  ++tally[what];
}

Matrix<Ball> multiple_of_identity(std::size_t d, const Rational& c) {
  Matrix<Ball> m(d, d);
  for (std::size_t k = 0; k < d; ++k) m(k, k) = Ball(c);
  return m;
}

// (a) x_it + c_i, c_i orthogonal to what the head sees.
void shifts(const QueryInstance& q, Tally& tally) {
  QueryInstance image = q;
  const Matrix<Ball> one = multiple_of_identity(q.dim(), 1);
  Rational square;
  for (const Rational& x : *q.v) square += x * x;
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    std::vector<Rational> c = test_direction(q.dim());
    Rational along;
    for (std::size_t k = 0; k < c.size(); ++k) {
      c[k] *= Rational(static_cast<long>(i) + 1);
      along += c[k] * (*q.v)[k];
    }
    for (std::size_t k = 0; k < c.size() && square.sign() != 0; ++k)
      c[k] -= along / square * (*q.v)[k];
    for (std::size_t t = 0; t < q.X[i].rows(); ++t)
      for (std::size_t k = 0; k < c.size(); ++k) image.X[i](t, k) += c[k];
  }
  require_image("token shift", q, image, one, one, tally);
  // Shifts along v change every loss but leave attention and, where l' is constant, the gradient.
  for (Matrix<Rational>& x : image.X)
    for (std::size_t t = 0; t < x.rows(); ++t) x(t, 0) += Rational(7, 3);
  const QueryModel<Ball> a = model_of(q), b = model_of(image);
  require_overlap("any token shift: s", a.attention(), b.attention());
  if (a.loss_kind() == QueryLoss::correlation)
    require_overlap("any token shift: grad L", a.gradient(), b.gradient());
}

// (b) queries or tokens times c.
void scalings(const QueryInstance& q, Tally& tally) {
  const Rational c(5, 3);
  const Matrix<Ball> one = multiple_of_identity(q.dim(), 1), by = multiple_of_identity(q.dim(), c);
  QueryInstance image = q;
  scale(image.Z.entries(), c);
  scale(image.points.front().weights.W.entries(), Rational(1) / c);
  require_image("queries times c", q, image, by, one, tally);
  image = q;
  for (Matrix<Rational>& x : image.X) scale(x.entries(), c);
  scale_head(image, c);
  scale(image.points.front().weights.W.entries(), Rational(1) / c);
  require_image("tokens times c", q, image, by, one, tally);
  if (!q.self) return;
  scale(image.Z.entries(), c);
  scale(image.points.front().weights.W.entries(), Rational(1) / c);
  require_image("self-attention times c", q, image, by, by, tally);
}

// (c) orthogonal maps of tokens and queries.
void rotations(const QueryInstance& q, Tally& tally) {
  const Matrix<Rational> o1 = reflection(q.dim(), 0), o2 = q.self ? o1 : reflection(q.dim(), 2);
  QueryInstance image = q;
  for (Matrix<Rational>& x : image.X) x = product(x, o1, true);
  image.Z = product(q.Z, o2, true);
  QueryPoint& p = image.points.front();
  Matrix<Rational> v(1, q.dim());
  v.entries() = *q.v;
  image.v = product(v, o1, true).entries();
  if (auto* relu = std::get_if<ReluHead>(&p.head)) relu->V = product(relu->V, o1, true);
  p.weights.W = product(product(o1, p.weights.W, false), o2, true);
  require_image("orthogonal maps", q, image, balls(o1), balls(o2), tally);  // o2 is symmetric
}

// (d) all inputs twice; one token twice.
void duplicates(const QueryInstance& q, Tally& tally) {
  QueryInstance image = q;
  image.Z = Matrix<Rational>(2 * q.Z.rows(), q.dim());
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    image.X.push_back(q.X[i]);
    image.y.push_back(q.y[i]);
    for (std::size_t c = 0; c < q.dim(); ++c)
      image.Z(i, c) = image.Z(q.X.size() + i, c) = q.Z(i, c);
  }
  const QueryModel<Ball> a = model_of(q), b = model_of(image);
  require_overlap("every input twice: L", a.loss(), b.loss());
  if (!a.open_unit() && !b.open_unit())
    require_overlap("every input twice: grad L", a.gradient(), b.gradient());
  image = q;
  const std::size_t T = q.X[0].rows(), d = q.dim();
  image.X[0] = Matrix<Rational>(T + 1, d);
  for (std::size_t k = 0; k < q.X[0].size(); ++k) image.X[0].data()[k] = q.X[0].data()[k];
  for (std::size_t c = 0; c < d; ++c) image.X[0](T, c) = q.X[0](T - 1, c);
  const QueryModel<Ball> twice = model_of(image);
  const Ball s = a.attention()[T - 1];
  require_overlap("copies share", twice.attention()[T], twice.attention()[T - 1]);
  for (std::size_t t = 0; t < T; ++t)
    require_overlap("one token twice: s", twice.attention()[t], a.attention()[t] / (Ball(1) + s));
  ++tally["duplicates"];
}

// (e) inputs and tokens in the opposite order.
void permutations(const QueryInstance& q, Tally& tally) {
  QueryInstance image = q;
  const std::size_t n = q.X.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Matrix<Rational>& x = q.X[n - 1 - i];
    image.X[i] = x;
    for (std::size_t t = 0; t < x.rows(); ++t)
      for (std::size_t c = 0; c < x.cols(); ++c) image.X[i](t, c) = x(x.rows() - 1 - t, c);
    image.y[i] = q.y[n - 1 - i];
    for (std::size_t c = 0; c < q.dim(); ++c) image.Z(i, c) = q.Z(n - 1 - i, c);
  }
  const QueryModel<Ball> a = model_of(q), b = model_of(image);
  std::vector<Ball> reversed = b.attention();
  std::reverse(reversed.begin(), reversed.end());
  require_overlap("permuted: s", a.attention(), reversed);
  require_overlap("permuted: L", a.loss(), b.loss());
  if (a.open_unit() || b.open_unit()) return;
  require_overlap("permuted: grad L", a.gradient(), b.gradient());
  ++tally["permutations"];
}

// (f) labels and head change their sign.
void opposite(const QueryInstance& q, Tally& tally) {
  QueryInstance image = q;
  for (int& y : image.y) y = -y;
  scale(*image.v, -1);
  QueryHead& head = image.points.front().head;
  if (auto* relu = std::get_if<ReluHead>(&head)) scale(relu->w, -1);
  if (auto* quadratic = std::get_if<QuadraticHead>(&head)) quadratic->lambda *= Rational(-1);
  const Matrix<Ball> one = multiple_of_identity(q.dim(), 1);
  require_image("opposite signs", q, image, one, one, tally);
}

// Inputs of one token, or of equal tokens, have no gradient: exactly.
void equal_tokens(const QueryInstance& q, Tally& tally) {
  QueryInstance image = q;
  for (Matrix<Rational>& x : image.X)
    for (std::size_t t = 1; t < x.rows(); ++t)
      for (std::size_t c = 0; c < x.cols(); ++c) x(t, c) = x(0, c);
  const QueryModel<Ball> model = model_of(image);
  if (model.open_unit() || !model.loss().is_finite()) return;
  const Matrix<Ball> gradient = model.gradient(),
                     product = model.hessian_vector_product(balls(*q.points.front().direction));
  for (const Ball& x : gradient.entries())
    require(x.is_exact() && x.contains_zero(), "equal tokens with a gradient");
  for (const Ball& x : product.entries())
    require(x.is_exact() && x.contains_zero(), "equal tokens with a second derivative");
  ++tally["equal tokens"];
}

}  // namespace

std::vector<Property> query_symmetries_properties() {
  return {query_property("query_symmetries.shift", "(a) tokens of an input may be shifted together",
                         500, shifts, draw_linear_query_instance),
          query_property("query_symmetries.scale", "(b) scaled queries or tokens, W to match", 500,
                         scalings),
          query_property("query_symmetries.rotate", "(c) orthogonal maps of tokens and queries",
                         500, rotations),
          query_property("query_symmetries.duplicate", "(d) inputs twice, a token twice", 500,
                         duplicates),
          query_property("query_symmetries.permute", "(e) the order of inputs and tokens", 500,
                         permutations),
          query_property("query_symmetries.opposite", "(f) labels and head change their sign", 500,
                         opposite),
          query_property("query_symmetries.equal", "equal tokens have no derivatives, exactly", 500,
                         equal_tokens)};
}

}  // namespace heed::checks
