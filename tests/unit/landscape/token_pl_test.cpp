// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/landscape/token_pl.hpp"
#include "unit/landscape/support.hpp"

using namespace landscape_test;
using heed::certify_lojasiewicz;
using heed::certify_overshoot;
using heed::Matrix;
using heed::PositiveCertificate;
using heed::VerdictKind;

namespace {

Matrix<Rational> matrix(const std::vector<std::vector<Rational>>& rows) {
  Matrix<Rational> m(rows.size(), rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) m(i, j) = rows[i][j];
  return m;
}

Ball constant(const PositiveCertificate& c, const std::string& name) {
  for (const auto& entry : c.constants)
    if (entry.name == name) return entry.value;
  FAIL("no constant " << name);
  return {};
}

// X = I_2, keys (0, 0), (2, 0), queries off the line through them.
KernelInstance two_tokens() {
  KernelInstance m = layer(named("PAIR", AttentionKernel::gaussian));
  m.weights.W_K = {matrix({{0, 0}, {2, 0}})};
  m.weights.W_Q = {matrix({{0, Rational(1, 2)}, {1, Rational(1, 2)}})};
  m.weights.W_V = {matrix({{1}, {2}})};
  m.Y = {matrix({{Rational(1, 2)}, {Rational(1, 2)}})};
  return m;
}

Ball phi(const KernelInstance& m, const std::vector<Ball>& q) {
  const Ball first = exp(-(square(q[0]) + square(q[1])) / Ball(2));
  const Ball second = exp(-(square(q[0] - Ball(2)) + square(q[1])) / Ball(2));
  return Ball(m.weights.W_V[0](0, 0)) * first + Ball(m.weights.W_V[0](1, 0)) * second;
}

}  // namespace

TEST_CASE("lojasiewicz: constants of two keys in closed form") {
  const KernelInstance m = two_tokens();
  const PositiveCertificate c = certify_lojasiewicz(m, AttentionKernel::softmax);
  REQUIRE(c.kind == VerdictKind::proved);
  // Token 0 has equal logits, s = 1/2; token 1 logits 0 and 2. sigma_1(Pi K) = sqrt 2.
  const Ball least = Ball(1) / (Ball(1) + exp(Ball(2)));
  CHECK(constant(c, "least_token_constant").overlaps(least * sqrt(Ball(2))));
  CHECK(constant(c, "least_token_constant").has_relative_digits(15));
  CHECK(constant(c, "sigma_min_tokens").overlaps(Ball(1)));
  CHECK(constant(c, "constant").overlaps(least));
  // gaussian_normalised: logits minus |k|^2/2 = (0, -2) and (0, 0).
  const PositiveCertificate n = certify_lojasiewicz(m, AttentionKernel::gaussian_normalised);
  CHECK(constant(n, "least_token_constant").overlaps(least * sqrt(Ball(2))));
}

TEST_CASE("lojasiewicz: the inequality holds on two keys, several heads") {
  KernelInstance m = two_tokens();
  m.weights.W_Q.push_back(matrix({{1, 1}, {0, -1}}));
  m.weights.W_K.push_back(matrix({{1, 0}, {0, 1}}));
  m.weights.W_V.push_back(matrix({{-1}, {1}}));
  m.weights.W_O.push_back(matrix({{1}}));
  const PositiveCertificate c = certify_lojasiewicz(m, AttentionKernel::softmax);
  REQUIRE(c.kind == VerdictKind::proved);
  // Head 2, token 1: q = (0, -1), logits 0 and -1; head 1, token 1: 1/(1 + e^2) sqrt 2 is least,
  // but sigma of head 2 is 1: 1/(1 + e).
  const Ball first = sqrt(Ball(2)) / (Ball(1) + exp(Ball(2)));
  CHECK(constant(c, "least_token_constant").overlaps(first / sqrt(Ball(2))));
}

TEST_CASE("lojasiewicz: one key") {
  KernelInstance m = layer(problem(AttentionKernel::softmax, {"2"}, {"1"}, "3"));
  const PositiveCertificate c = certify_lojasiewicz(m, AttentionKernel::softmax);
  CHECK(c.kind == VerdictKind::proved);
  CHECK(c.constants.empty());
}

TEST_CASE("lojasiewicz: the hypothesis that fails is named") {
  KernelInstance m = two_tokens();
  CHECK(certify_lojasiewicz(m, AttentionKernel::gaussian).reason ==
        "the rows of the kernel do not sum to 1");
  CHECK(certify_lojasiewicz(m, AttentionKernel::gaussian_over_n).kind ==
        VerdictKind::not_applicable);
  const KernelInstance sm1 = layer(named("SM1", AttentionKernel::softmax));
  CHECK(certify_lojasiewicz(sm1, AttentionKernel::softmax).reason ==
        "the keys of sample 0, head 0 are affinely dependent");
  m.weights.W_K = {matrix({{3, 1}, {3, 1}})};
  CHECK(certify_lojasiewicz(m, AttentionKernel::softmax).kind == VerdictKind::not_applicable);
  m = two_tokens();
  m.readout = heed::pooled_readout(2);
  CHECK(certify_lojasiewicz(m, AttentionKernel::softmax).reason ==
        "the read-out is not the identity");
}

TEST_CASE("overshoot: constants and a run that keeps the promised rate") {
  const KernelInstance m = two_tokens();
  const PositiveCertificate c = certify_overshoot(m, AttentionKernel::gaussian);
  REQUIRE(c.kind == VerdictKind::proved);
  // |q_perp| = 1/2, y = 1/2.
  CHECK(constant(c, "pl_constant").contains(Rational(1, 16)));
  const Ball step = constant(c, "step_bound").lower();
  CHECK(step.is_exact());
  CHECK(certainly(less(Ball(0), step)));
  // The second token has the larger phi: 3 e^{-5/8}; sum |P| = 3.
  const Ball residual = Ball(3) * exp(Ball(Rational(-5, 8))) - Ball(Rational(1, 2));
  CHECK(
      constant(c, "step_bound").overlaps(Ball(1) / (Ball(9) / exp(Ball(1)) + Ball(3) * residual)));
  const Ball rate = Ball(1) - step * constant(c, "pl_constant");
  CHECK(constant(c, "rate").overlaps(rate));
  for (std::size_t a = 0; a < 2; ++a) {
    std::vector<Ball> q{Ball(m.weights.W_Q[0](a, 0)), Ball(m.weights.W_Q[0](a, 1))};
    const Ball y(m.Y[0](a, 0));
    Ball loss = ldexp(square(phi(m, q) - y), -1);
    for (int t = 0; t < 25; ++t) {
      const Ball r = phi(m, q) - y;
      CHECK(certainly(positive(r)));
      const Ball p1 = exp(-(square(q[0]) + square(q[1])) / Ball(2));
      const Ball p2 = Ball(2) * exp(-(square(q[0] - Ball(2)) + square(q[1])) / Ball(2));
      const Ball d0 = -(p1 * q[0] + p2 * (q[0] - Ball(2))), d1 = -(p1 + p2) * q[1];
      q = {q[0] - step * r * d0, q[1] - step * r * d1};
      for (Ball& x : q) heed::approx::collapse(x);
      const Ball next = ldexp(square(phi(m, q) - y), -1);
      CHECK(certainly(less(next, rate * loss)));
      loss = next;
    }
  }
}

TEST_CASE("overshoot: the divided kernel is the kernel with divided values") {
  KernelInstance m = two_tokens();
  for (std::size_t a = 0; a < 2; ++a) m.Y[0](a, 0) = Rational(1, 4);
  const PositiveCertificate over = certify_overshoot(m, AttentionKernel::gaussian_over_n);
  for (std::size_t a = 0; a < 2; ++a) m.weights.W_V[0](a, 0) /= Rational(2);
  const PositiveCertificate divided = certify_overshoot(m, AttentionKernel::gaussian);
  REQUIRE(over.kind == VerdictKind::proved);
  REQUIRE(divided.kind == VerdictKind::proved);
  for (const auto& entry : over.constants)
    CHECK(entry.value.overlaps(constant(divided, entry.name)));
}

TEST_CASE("overshoot: the hypothesis that fails is named") {
  const auto reason = [](const KernelInstance& m,
                         AttentionKernel kernel = AttentionKernel::gaussian) {
    const PositiveCertificate c = certify_overshoot(m, kernel);
    CHECK(c.kind == VerdictKind::not_applicable);
    CHECK(c.constants.empty());
    return c.reason;
  };
  KernelInstance m = two_tokens();
  CHECK(reason(m, AttentionKernel::softmax) == "the kernel is normalised");
  m.Y[0](1, 0) = Rational(0);
  CHECK(reason(m) == "y is not positive at sample 0, token 1");
  m = two_tokens();
  m.Y[0](0, 0) = Rational(3);
  CHECK(reason(m) == "phi >= y is not proved at sample 0, token 0");
  m = two_tokens();
  m.weights.W_Q[0](1, 1) = Rational(0);
  CHECK(reason(m) == "the query is in the affine hull of the keys at sample 0, token 1");
  m = two_tokens();
  m.X[0](0, 0) = Rational(2);
  CHECK(reason(m) == "the tokens are not orthonormal");
  m = two_tokens();
  m.readout = heed::pooled_readout(2);
  CHECK(reason(m) == "the read-out is not the identity");
  // d = 1: the hull of two keys is the line.
  CHECK(reason(layer(named("PAIR", AttentionKernel::gaussian))) ==
        "the query is in the affine hull of the keys at sample 0, token 0");
  m = two_tokens();
  m.weights.W_O[0] = Matrix<Rational>(1, 2);
  CHECK(reason(m) == "outputs of dimension p > 1");
  m.weights.W_Q.push_back(m.weights.W_Q[0]);
  CHECK(reason(m) == "more than one head");
}
