// SPDX-License-Identifier: Apache-2.0
#include "checks/support/query_textbook.hpp"

#include <algorithm>

#include "checks/support/query_instances.hpp"

namespace heed::checks {
namespace {

using Vector = std::vector<Ball>;

Ball sum_of_products(const Vector& a, const Vector& b) {
  Ball sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

Matrix<Ball> balls(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Ball(q); });
}

Vector row(const Matrix<Ball>& m, std::size_t i) { return {m.row(i), m.row(i) + m.cols()}; }

// M x
Vector times(const Matrix<Ball>& m, const Vector& x) {
  Vector y;
  for (std::size_t r = 0; r < m.rows(); ++r) y.push_back(sum_of_products(row(m, r), x));
  return y;
}

// M^T x
Vector transposed_times(const Matrix<Ball>& m, const Vector& x) {
  Vector y(m.cols());
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c) y[c] += m(r, c) * x[r];
  return y;
}

struct HeadAt {
  Ball value;
  Vector gradient;
  Ball curvature;  // hess h = curvature I
};

HeadAt head_at(const QueryHead& head, const Vector& v, const Vector& o) {
  if (const auto* relu = std::get_if<ReluHead>(&head)) {
    HeadAt h{0, Vector(o.size()), 0};
    const Matrix<Ball> V = balls(relu->V);
    for (std::size_t k = 0; k < V.rows(); ++k) {
      const Ball z = sum_of_products(row(V, k), o), w(relu->w[k]);
      if (!certainly(positive(z))) continue;
      h.value += w * z;
      for (std::size_t c = 0; c < o.size(); ++c) h.gradient[c] += w * V(k, c);
    }
    return h;
  }
  HeadAt h{sum_of_products(v, o), v, 0};
  if (const auto* quadratic = std::get_if<QuadraticHead>(&head)) {
    const Ball lambda(quadratic->lambda);
    h.value -= lambda * sum_of_products(o, o);
    h.curvature = Ball(-2) * lambda;
    for (std::size_t c = 0; c < o.size(); ++c) h.gradient[c] += h.curvature * o[c];
  }
  return h;
}

// l, l', l''
Vector loss_at(QueryLoss loss, const Ball& u) {
  if (loss == QueryLoss::correlation) return {-u, -1, 0};
  const Ball e = exp(-u);
  if (loss == QueryLoss::exponential) return {e, -e, e};
  const Ball p = Ball(1) / (Ball(1) + exp(u));
  return {log(Ball(1) + e), -p, p * (Ball(1) - p)};
}

void add_outer(Matrix<Ball>& m, const Vector& a, const Vector& b, const Ball& factor) {
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t c = 0; c < b.size(); ++c) m(r, c) += factor * a[r] * b[c];
}

Rational largest_logit(const QueryInstance& q) {
  const std::size_t d = q.dim();
  Rational largest;
  for (std::size_t i = 0; i < q.X.size(); ++i)
    for (std::size_t t = 0; t < q.X[i].rows(); ++t) {
      Rational a;
      for (std::size_t r = 0; r < d; ++r)
        for (std::size_t c = 0; c < d; ++c)
          a += q.X[i](t, r) * q.points.front().weights.W(r, c) * q.Z(i, c);
      largest = std::max(largest, abs(a));
    }
  return largest;
}

}  // namespace

bool QueryTextbook::feasible(const QueryInstance& q) {
  if (Rational(3000) < largest_logit(q)) return false;
  const QueryTextbook book(q);
  return std::all_of(book.margins.begin(), book.margins.end(),
                     [](const Ball& u) { return certainly(less_equal(abs(u), Ball(3000))); });
}

int QueryTextbook::bits_for(const QueryInstance& q) {
  return 1024 +
         static_cast<int>(4.5 * largest_logit_gap(q, q.points.front().weights.W).nearest_double());
}

QueryTextbook::QueryTextbook(const QueryInstance& q)
    : gradient(q.dim(), q.dim()), product(q.dim(), q.dim()) {
  const QueryPoint& point = q.points.front();
  const Matrix<Ball> W = balls(point.weights.W), D = balls(*point.direction), Z = balls(q.Z);
  Vector v;
  if (q.v)
    for (const Rational& c : *q.v) v.emplace_back(c);
  const Ball n(static_cast<int>(q.X.size()));
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    const Matrix<Ball> X = balls(q.X[i]);
    const Vector z = row(Z, i), a = times(X, times(W, z)), adot = times(X, times(D, z));
    const std::size_t T = a.size();
    const Ball y(q.y[i]);
    Vector s(T), sdot(T), g(T), gdot(T);
    Ball total;
    for (std::size_t t = 0; t < T; ++t) total += s[t] = exp(a[t]);
    for (std::size_t t = 0; t < T; ++t) s[t] /= total;
    const Ball mean_adot = sum_of_products(s, adot);
    for (std::size_t t = 0; t < T; ++t) sdot[t] = s[t] * (adot[t] - mean_adot);
    const Vector o = transposed_times(X, s), odot = transposed_times(X, sdot);
    const HeadAt h = head_at(point.head, v, o);
    Vector gamma = times(X, h.gradient), gammadot = times(X, odot);
    for (std::size_t t = 0; t < T; ++t) {
      gamma[t] *= y;
      gammadot[t] *= y * h.curvature;
    }
    const Ball mean = sum_of_products(s, gamma);
    const Ball mean_dot = sum_of_products(sdot, gamma) + sum_of_products(s, gammadot);
    for (std::size_t t = 0; t < T; ++t) {
      g[t] = s[t] * (gamma[t] - mean);
      gdot[t] = sdot[t] * (gamma[t] - mean) + s[t] * (gammadot[t] - mean_dot);
    }
    const Vector l = loss_at(point.loss, y * h.value);
    loss += l[0] / n;
    add_outer(gradient, transposed_times(X, g), z, l[1] / n);
    add_outer(product, transposed_times(X, g), z, l[2] * sum_of_products(g, adot) / n);
    add_outer(product, transposed_times(X, gdot), z, l[1] / n);
    attention.push_back(std::move(s));
    margins.push_back(y * h.value);
  }
}

}  // namespace heed::checks
