// SPDX-License-Identifier: Apache-2.0
#include "checks/support/query_instances.hpp"

#include <algorithm>
#include <cmath>

#include "checks/support/tokens.hpp"

namespace heed::checks {
namespace {

Rational inner(const Rational* a, const Rational* b, std::size_t n) {
  Rational sum;
  for (std::size_t c = 0; c < n; ++c) sum += a[c] * b[c];
  return sum;
}

std::vector<Rational> difference(const Matrix<Rational>& x, std::size_t a, std::size_t b) {
  std::vector<Rational> d(x.cols());
  for (std::size_t c = 0; c < d.size(); ++c) d[c] = x(a, c) - x(b, c);
  return d;
}

// 1 in `ones` percent of the cases, else 2 .. usual with a preference for 2, and rarely up to most.
std::size_t draw_size(Source& s, int ones, int usual, int most) {
  if (s.chance(ones) || most < 2) return 1;
  const int top = s.chance(3) ? most : s.between(2, std::min(usual, most));
  return static_cast<std::size_t>(s.between(2, top));
}

void draw_queries(Source& s, NumberKind numbers, QueryInstance& q, std::vector<std::string>& tags) {
  const std::size_t n = q.X.size(), d = q.X[0].cols();
  const std::string kind = s.weighted<std::string>(
      {{45, "generic"}, {20, "self"}, {10, "collinear"}, {8, "zero"}, {7, "equal"}, {10, "axes"}});
  tags.push_back("queries:" + kind);
  q.Z = draw_matrix(s, numbers, n, d);
  q.self = kind == "self";
  const std::size_t zero = s.index(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Rational factor(s.between(-3, 3), s.between(1, 3));
    const std::size_t axis = s.index(d);
    for (std::size_t c = 0; c < d; ++c) {
      if (kind == "self") q.Z(i, c) = q.X[i](0, c);
      if (kind == "collinear" && i > 0) q.Z(i, c) = factor * q.Z(0, c);
      if (kind == "equal") q.Z(i, c) = q.Z(0, c);
      if (kind == "zero" && i == zero) q.Z(i, c) = 0;
      if (kind == "axes" && c != axis) q.Z(i, c) = 0;
    }
  }
}

void draw_scores(Source& s, NumberKind numbers, QueryInstance& q, std::vector<std::string>& tags) {
  const std::size_t d = q.dim();
  const std::string kind = s.weighted<std::string>(
      {{60, "generic"}, {20, "tied"}, {8, "axis"}, {5, "zero"}, {7, "large"}});
  tags.push_back("scores:" + kind);
  std::vector<Rational> v = draw_matrix(s, numbers, 1, d).entries();
  if (kind == "zero") v.assign(d, 0);
  if (kind == "axis") {
    const std::size_t axis = s.index(d);
    for (std::size_t c = 0; c < d; ++c) v[c] = c == axis ? s.sign() : 0;
  }
  if (kind == "large")
    for (Rational& c : v) c *= Rational(s.between(10, 100'000));
  if (kind == "tied") {
    // Two tokens of one input get the same score.
    const Matrix<Rational>& x = q.X[s.index(q.X.size())];
    const std::vector<Rational> a = difference(x, s.index(x.rows()), s.index(x.rows()));
    const Rational square = inner(a.data(), a.data(), d);
    const Rational part = square.sign() == 0 ? Rational(0) : inner(a.data(), v.data(), d) / square;
    for (std::size_t c = 0; c < d; ++c) v[c] -= part * a[c];
  }
  q.v = v;
}

void draw_selection(Source& s, QueryInstance& q) {
  const auto gamma = [&](std::size_t i, std::size_t t) {
    return Rational(q.y[i]) * inner(q.X[i].row(t), q.v->data(), q.dim());
  };
  const bool best = s.chance(50);
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    std::size_t chosen = s.index(q.X[i].rows());
    for (std::size_t t = 0; best && t < q.X[i].rows(); ++t)
      if (gamma(i, chosen) < gamma(i, t)) chosen = t;
    q.selected.push_back({chosen});
  }
  q.selected_given = true;
}

QueryHead draw_head(Source& s, NumberKind numbers, const SizeLimit& limit, std::size_t d,
                    std::vector<std::string>& tags) {
  const std::string kind =
      s.weighted<std::string>({{50, "linear"}, {25, "relu"}, {25, "quadratic"}});
  tags.push_back("head:" + kind);
  if (kind == "linear") return LinearHead{};
  if (kind == "quadratic") return QuadraticHead{draw_number(s, numbers)};
  const auto m = static_cast<std::size_t>(s.between(1, std::max(1, limit.heads)));
  return ReluHead{draw_matrix(s, numbers, m, d), draw_matrix(s, numbers, 1, m).entries()};
}

// A power of two, so that doubles stay doubles.
Rational near(const Rational& q) {
  int exponent = 0;
  std::frexp(q.nearest_double(), &exponent);
  return Rational::power_of_two(exponent - 1);
}

void draw_weights(Source& s, NumberKind numbers, QueryInstance& q, QueryPoint& point,
                  std::vector<std::string>& tags) {
  const std::size_t d = q.dim();
  const std::string kind = s.weighted<std::string>({{35, "generic"},
                                                    {12, "zero"},
                                                    {18, "saturated"},
                                                    {8, "far"},
                                                    {12, "tied"},
                                                    {8, "factors"},
                                                    {7, "tiny"}});
  tags.push_back("weights:" + kind);
  Matrix<Rational>& W = point.weights.W;
  W = draw_matrix(s, numbers, d, d);
  if (kind == "zero") W = Matrix<Rational>(d, d);
  if (kind == "factors") {
    const auto m = static_cast<std::size_t>(s.between(1, 2));
    const Matrix<Rational> K = draw_matrix(s, numbers, d, m), Q = draw_matrix(s, numbers, d, m);
    for (std::size_t r = 0; r < d; ++r)
      for (std::size_t c = 0; c < d; ++c) W(r, c) = inner(K.row(r), Q.row(c), m);
    point.weights.K = K;
    point.weights.Q = Q;
  }
  if (kind == "tied") {
    // Two tokens of one input get the same logit: W loses its component along (x_a - x_b) z^T.
    const std::size_t i = s.index(q.X.size());
    const Matrix<Rational>& x = q.X[i];
    const std::vector<Rational> a = difference(x, s.index(x.rows()), s.index(x.rows()));
    const Rational* z = q.Z.row(i);
    const Rational square = inner(a.data(), a.data(), d) * inner(z, z, d);
    Rational along;
    for (std::size_t r = 0; r < d; ++r) along += a[r] * inner(W.row(r), z, d);
    if (square.sign() != 0)
      for (std::size_t r = 0; r < d; ++r)
        for (std::size_t c = 0; c < d; ++c) W(r, c) -= along / square * a[r] * z[c];
  }
  const Rational gap = largest_logit_gap(q, W);
  if (gap.sign() != 0 && (kind == "saturated" || kind == "far" || kind == "tied")) {
    const int most = kind == "far" ? s.between(1000, 40'000) : s.between(20, 900);
    if (kind != "tied" || s.chance(50))
      for (Rational& w : W.entries()) w *= near(Rational(most) / gap);
  }
  if (kind == "tiny")
    for (Rational& w : W.entries()) w *= Rational::power_of_two(-s.between(20, 200));
}

DrawnQuery draw(Source& s, const SizeLimit& limit, bool linear) {
  DrawnQuery drawn;
  QueryInstance& q = drawn.instance;
  std::vector<std::string>& tags = drawn.tags;
  const std::size_t n = draw_size(s, 25, 3, limit.samples), T = draw_size(s, 8, 4, limit.tokens),
                    d = draw_size(s, 20, 3, limit.dim);
  const bool ragged = n > 1 && T > 1 && s.chance(30), twins = n > 1 && s.chance(8);
  const NumberKind numbers = draw_number_kind(s);
  tags.push_back(std::string("numbers:") + to_string(numbers));
  tags.push_back(ragged ? "shape:ragged" : "shape:common_T");
  bool single = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t Ti = ragged ? static_cast<std::size_t>(s.between(1, static_cast<int>(T))) : T;
    single = single || Ti == 1;
    const TokenKind kind = draw_token_kind(s);
    tags.push_back(std::string("tokens:") + to_string(kind));
    q.X.push_back(twins && i == 1 ? q.X[0] : draw_tokens(s, kind, numbers, Ti, d));
    q.y.push_back(s.sign());
  }
  if (single) tags.push_back("shape:T_i=1");
  if (n == 1) tags.push_back("shape:n=1");
  if (d == 1) tags.push_back("shape:d=1");
  draw_queries(s, numbers, q, tags);
  draw_scores(s, s.chance(60) ? numbers : draw_number_kind(s), q, tags);
  draw_selection(s, q);
  QueryPoint point;
  point.loss = s.weighted<QueryLoss>(
      {{40, QueryLoss::logistic}, {30, QueryLoss::exponential}, {30, QueryLoss::correlation}});
  if (!linear) point.head = draw_head(s, numbers, limit, d, tags);
  draw_weights(s, s.chance(60) ? numbers : draw_number_kind(s), q, point, tags);
  point.direction = draw_matrix(s, draw_number_kind(s), d, d);
  q.points.push_back(std::move(point));
  return drawn;
}

}  // namespace

DrawnQuery draw_query_instance(Source& s, const SizeLimit& limit) { return draw(s, limit, false); }

DrawnQuery draw_linear_query_instance(Source& s, const SizeLimit& limit) {
  return draw(s, limit, true);
}

Rational largest_logit_gap(const QueryInstance& q, const Matrix<Rational>& W) {
  const std::size_t d = q.dim();
  Rational largest;
  for (std::size_t i = 0; i < q.X.size(); ++i) {
    std::vector<Rational> key(d);
    for (std::size_t r = 0; r < d; ++r) key[r] = inner(W.row(r), q.Z.row(i), d);
    Rational least, most;
    for (std::size_t t = 0; t < q.X[i].rows(); ++t) {
      const Rational a = inner(q.X[i].row(t), key.data(), d);
      least = t == 0 ? a : std::min(least, a);
      most = t == 0 ? a : std::max(most, a);
    }
    largest = std::max(largest, most - least);
  }
  return largest;
}

bool is_tame(const QueryInstance& q) {
  const auto tame = [](const Rational& x) {
    const double size = std::fabs(x.nearest_double());
    return x.sign() == 0 || (size >= 0x1p-12 && size <= 0x1p12);
  };
  const auto all = [&](const std::vector<Rational>& x) {
    return std::all_of(x.begin(), x.end(), tame);
  };
  const QueryPoint& point = q.points.front();
  if (!std::all_of(q.X.begin(), q.X.end(), [&](const auto& x) { return all(x.entries()); }) ||
      !all(q.Z.entries()) || !all(*q.v) || !all(point.weights.W.entries()) ||
      !all(point.direction->entries()) || Rational(60) < largest_logit_gap(q, point.weights.W))
    return false;
  Rational width(1);  // of the head's inputs
  const Rational d(static_cast<long>(q.dim()));
  Rational token;
  for (const auto& x : q.X)
    for (const Rational& e : x.entries()) token = std::max(token, abs(e));
  const auto largest = [](const std::vector<Rational>& x) {
    Rational most;
    for (const Rational& e : x) most = std::max(most, abs(e));
    return most;
  };
  if (const auto* relu = std::get_if<ReluHead>(&point.head)) {
    if (!all(relu->V.entries()) || !all(relu->w)) return false;
    width = d * token * largest(relu->V.entries()) * largest(relu->w) *
            Rational(static_cast<long>(relu->w.size()));
  } else {
    width = d * token * largest(*q.v);
    if (const auto* quadratic = std::get_if<QuadraticHead>(&point.head)) {
      if (!tame(quadratic->lambda)) return false;
      width += d * token * token * abs(quadratic->lambda);
    }
  }
  return width <= Rational(600);
}

}  // namespace heed::checks
