// SPDX-License-Identifier: Apache-2.0
#include "checks/support/instances.hpp"

#include <algorithm>

#include "checks/support/tokens.hpp"
#include "checks/support/weights.hpp"

namespace heed::checks {
namespace {

std::string size_tag(const MhaInstance& m) {
  return "P:" + std::string(m.parameters() <= 12   ? "1..12"
                            : m.parameters() <= 48 ? "13..48"
                                                   : "49..");
}

// 1 in `ones` percent of the cases, else 2 .. usual with a preference for 2, and rarely up to most.
int draw_size(Source& s, int ones, int usual, int most) {
  if (s.chance(ones) || most < 2) return 1;
  if (s.chance(3)) return s.between(2, most);
  return s.between(2, s.between(2, std::min(usual, most)));
}

void scale_tokens(MhaInstance& m, const Rational& factor) {
  for (auto& x : m.X)
    for (Rational& v : x.entries()) v *= factor;
}

// Tokens +-R e in one dimension (embedded in dim), which attain bounds of the theory.
MhaInstance line_instance(Source& s, const SizeLimit& limit, std::size_t tokens) {
  MhaInstance m;
  const std::size_t dim = static_cast<std::size_t>(s.between(1, std::min(2, limit.dim)));
  Matrix<Rational> x(tokens, dim);
  const Rational R = Rational(s.between(1, 5), s.between(1, 2));
  for (std::size_t t = 0; t < tokens; ++t) x(t, 0) = t % 2 == 0 ? R : -R;
  m.X = {x};
  m.y = {s.sign()};
  m.weights = MhaWeights{{Matrix<Rational>(tokens, dim)}, {Matrix<Rational>(dim, dim)}};
  return m;
}

// U = 0, W = 0: the worst-case Hessian bound is attained.
Drawn attained_cross(Source& s, const SizeLimit& limit) {
  return {line_instance(s, limit, s.chance(50) ? 2 : 4), {"attained:cross"}};
}

// Attention (3 -+ sqrt 3)/6 in both rows: the third-moment constant is attained to a few digits.
Drawn attained_third(Source& s, const SizeLimit& limit) {
  MhaInstance m = line_instance(s, limit, 2);
  const Rational R = m.X[0](0, 0);
  // log(2 + sqrt 3) = 1.3169578969248167086...; the gap is 2 R^2 w.
  const Rational gap =
      Rational::parse("1.3169578969248167086250463473079684440269819714675164797684722569");
  m.weights->W[0](0, 0) = gap / (Rational(2) * R * R);
  const Rational u = Rational(s.between(1, 9)) * Rational::power_of_two(s.between(0, 30));
  m.weights->U[0](0, 0) = u;
  m.weights->U[0](1, 0) = -u;
  return {std::move(m), {"attained:third"}};
}

// Two tokens and a small W: p = 1/2 + O(W), and the variance and covariance bounds are attained up to
// a factor 1 - O(W^2).
Drawn attained_variance(Source& s, const SizeLimit& limit) {
  MhaInstance m = line_instance(s, limit, 2);
  m.weights->U[0](0, 0) = s.between(1, 9);
  m.weights->W[0](0, 0) = Rational(s.sign()) * Rational::power_of_two(-s.between(16, 40));
  return {std::move(m), {"attained:variance"}};
}

}  // namespace

Drawn draw_instance(Source& s, const SizeLimit& limit) {
  if (s.chance(4)) {
    Drawn drawn = s.weighted<Drawn (*)(Source&, const SizeLimit&)>(
        {{2, attained_cross}, {2, attained_third}, {1, attained_variance}})(s, limit);
    drawn.tags.push_back(size_tag(drawn.instance));
    return drawn;
  }
  MhaInstance m;
  std::vector<std::string> tags;
  const auto n = static_cast<std::size_t>(draw_size(s, 30, 3, limit.samples));
  const int T = draw_size(s, 10, 4, limit.tokens);
  const auto d = static_cast<std::size_t>(draw_size(s, 25, 3, limit.dim));
  const auto H = static_cast<std::size_t>(draw_size(s, 40, 3, limit.heads));
  const bool ragged = n > 1 && T > 1 && s.chance(25);
  const bool twins = n > 1 && s.chance(8);
  const NumberKind numbers = draw_number_kind(s);
  tags.push_back(std::string("numbers:") + to_string(numbers));
  tags.push_back(ragged ? "shape:ragged" : "shape:common_T");
  for (std::size_t i = 0; i < n; ++i) {
    const auto Ti = static_cast<std::size_t>(ragged && i > 0 ? s.between(1, T) : T);
    const TokenKind kind = draw_token_kind(s);
    if (twins && i == 1) {
      m.X.push_back(m.X[0]);
      m.y.push_back(-m.y[0]);
      tags.push_back("samples:twins_with_opposite_labels");
    } else {
      m.X.push_back(draw_tokens(s, kind, numbers, Ti, d));
      m.y.push_back(s.sign());
      tags.push_back(std::string("tokens:") + to_string(kind));
    }
  }
  if (s.chance(6)) {
    const int exponent = s.sign() * s.between(8, 40);
    scale_tokens(m, Rational::power_of_two(exponent));
    tags.push_back(exponent > 0 ? "norms:huge" : "norms:tiny");
  }
  m.loss = s.chance(20) ? Loss::exponential : Loss::logistic;
  tags.push_back("loss:" + std::string(loss_word(m.loss)));
  const WeightKind weights = draw_weight_kind(s);
  draw_weights(s, weights, s.chance(60) ? numbers : draw_number_kind(s), H, m);
  tags.push_back(std::string("weights:") + to_string(weights));
  for (const auto& [size, word] :
       {std::pair{n, "n=1"}, {static_cast<std::size_t>(T), "T=1"}, {d, "d=1"}, {H, "H=1"}})
    if (size == 1) tags.push_back(std::string("shape:") + word);
  tags.push_back(size_tag(m));
  return {std::move(m), std::move(tags)};
}

Drawn draw_margin(Source& s, const SizeLimit&) {
  MhaInstance m;
  const std::string kind = s.weighted<std::string>(
      {{40, "moderate"}, {20, "number"}, {15, "confident"}, {10, "special"}, {15, "tiny"}});
  Rational t;
  if (kind == "moderate") {
    t = Rational(s.sign() * 40 * s.unit());
  } else if (kind == "number") {
    t = draw_number(s, draw_number_kind(s));
  } else if (kind == "confident") {
    t = Rational(s.sign() * s.between(20, 900)) + Rational(s.unit());
  } else if (kind == "tiny") {
    t = Rational(s.sign()) * Rational(s.unit()) * Rational::power_of_two(-s.between(1, 300));
  } else {
    // 0, log 2, log(2 + sqrt 3), log(6 sqrt 3): where lines of the theory are attained.
    t = Rational::parse(std::vector<std::string>{"0", "0.693147180559945309417232121458",
                                                 "1.316957896924816708625046347308",
                                                 "2.341065613558083163402955116862"}[s.index(4)]) *
        Rational(s.sign());
  }
  Matrix<Rational> one(1, 1), u(1, 1);
  one(0, 0) = 1;
  u(0, 0) = t;
  m.X = {one};
  m.y = {s.sign()};
  m.weights = MhaWeights{{u}, {Matrix<Rational>(1, 1)}};
  m.loss = s.chance(20) ? Loss::exponential : Loss::logistic;
  return {std::move(m), {"margin:" + kind}};
}

Drawn draw_symmetric_matrix(Source& s, const SizeLimit&) {
  const auto n = static_cast<std::size_t>(s.between(1, 6));
  const std::string kind = s.weighted<std::string>({{25, "generic"},
                                                    {15, "graded"},
                                                    {15, "clustered"},
                                                    {15, "singular"},
                                                    {10, "saddle"},
                                                    {10, "reflected"},
                                                    {10, "wilkinson"}});
  Matrix<Rational> a(n, n);
  const NumberKind numbers = draw_number_kind(s);
  const auto symmetric = [&](std::size_t i, std::size_t j, const Rational& v) {
    a(i, j) = a(j, i) = v;
  };
  if (kind == "generic" || kind == "graded" || kind == "clustered") {
    const Rational centre = draw_number(s, numbers);
    const int step = s.between(1, 60);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        Rational v = draw_number(s, numbers);
        if (kind == "graded") v *= Rational::power_of_two(-step * static_cast<int>(i + j));
        if (kind == "clustered")
          v = v * Rational::power_of_two(-step) + (i == j ? centre : Rational(0));
        symmetric(i, j, v);
      }
  } else if (kind == "singular") {
    const std::size_t rank = s.index(n);
    for (std::size_t r = 0; r < rank; ++r) {
      const Matrix<Rational> v = draw_matrix(s, numbers, n, 1);
      const Rational sign(s.sign());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) += sign * v(i, 0) * v(j, 0);
    }
  } else if (kind == "saddle") {
    for (std::size_t i = 0; i < n / 2; ++i)
      for (std::size_t j = n / 2; j < n; ++j) symmetric(i, j, draw_number(s, numbers));
  } else if (kind == "reflected") {
    // Q diag(l) Q with the reflection Q = I - 2 v v^T/(v^T v): repeated and close eigenvalues.
    const Matrix<Rational> v = draw_matrix(s, NumberKind::integer, n, 1);
    Rational norm2;
    for (const Rational& x : v.entries()) norm2 += x * x;
    Matrix<Rational> q(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        q(i, j) = Rational(i == j ? 1 : 0) -
                  (norm2.sign() == 0 ? Rational(0) : Rational(2) * v(i, 0) * v(j, 0) / norm2);
    for (std::size_t k = 0; k < n; ++k) {
      const Rational l = s.chance(50) && k > 0 ? Rational(1) : draw_number(s, numbers);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) += q(i, k) * l * q(j, k);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      symmetric(i, i, std::abs(2 * static_cast<int>(i) - static_cast<int>(n) + 1));
      if (i > 0) symmetric(i, i - 1, 1);
    }
  }
  MhaInstance m;
  m.X = {Matrix<Rational>(1, n)};
  m.y = {1};
  m.weights = MhaWeights{{Matrix<Rational>(1, n)}, {a}};
  return {std::move(m), {"matrix:" + kind, std::string("numbers:") + to_string(numbers)}};
}

}  // namespace heed::checks
