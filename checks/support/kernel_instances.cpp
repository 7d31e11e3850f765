// SPDX-License-Identifier: Apache-2.0
#include "checks/support/kernel_instances.hpp"

#include <algorithm>
#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/tokens.hpp"
#include "heed/attention/kernel_blocks.hpp"
#include "heed/linalg/product.hpp"

namespace heed::checks {
namespace {

std::size_t draw_size(Source& s, int ones, int usual, int most) {
  if (s.chance(ones) || most < 2) return 1;
  return static_cast<std::size_t>(s.between(2, std::min(usual, most)));
}

std::vector<Matrix<Rational>> draw_heads(Source& s, NumberKind numbers, std::size_t heads,
                                         std::size_t rows, std::size_t cols) {
  std::vector<Matrix<Rational>> list;
  for (std::size_t h = 0; h < heads; ++h) list.push_back(draw_matrix(s, numbers, rows, cols));
  return list;
}

void set_zero(std::vector<Matrix<Rational>>& heads) {
  for (auto& m : heads) m = Matrix<Rational>(m.rows(), m.cols());
}

void scale(std::vector<Matrix<Rational>>& heads, const Rational& factor) {
  for (auto& m : heads)
    for (Rational& x : m.entries()) x *= factor;
}

void draw_readout(Source& s, std::size_t n, KernelInstance& k, std::vector<std::string>& tags) {
  const std::string kind =
      s.weighted<std::string>({{55, "token"}, {30, "pooled"}, {15, "generic"}});
  tags.push_back("readout:" + kind);
  if (kind == "token") k.readout = token_readout(n);
  if (kind == "pooled") k.readout = pooled_readout(n);
  if (kind == "generic")
    k.readout = draw_matrix(s, NumberKind::dyadic, static_cast<std::size_t>(s.between(1, 2)), n);
}

void draw_weights(Source& s, NumberKind numbers, std::size_t H, std::size_t d, std::size_t v,
                  std::size_t p, KernelInstance& k, std::vector<std::string>& tags) {
  const std::size_t D = k.dim();
  KernelWeights<Rational>& w = k.weights;
  w = {draw_heads(s, numbers, H, D, d), draw_heads(s, numbers, H, D, d),
       draw_heads(s, numbers, H, D, v), draw_heads(s, numbers, H, v, p)};
  const std::string kind = s.weighted<std::string>({{40, "generic"},
                                                    {8, "query zero"},
                                                    {6, "key zero"},
                                                    {6, "both zero"},
                                                    {10, "tied"},
                                                    {6, "values zero"},
                                                    {10, "saturated"},
                                                    {6, "far"},
                                                    {8, "small"}});
  tags.push_back("weights:" + kind);
  if (kind == "query zero" || kind == "both zero") set_zero(w.W_Q);
  if (kind == "key zero" || kind == "both zero") set_zero(w.W_K);
  if (kind == "tied") w.W_K = w.W_Q;
  if (kind == "values zero") {
    set_zero(w.W_V);
    set_zero(w.W_O);
  }
  if (kind == "small")
    for (auto* heads : {&w.W_Q, &w.W_K}) scale(*heads, Rational::power_of_two(-s.between(3, 40)));
  if (kind == "saturated" || kind == "far") {
    const double score = largest_score(k).nearest_double();
    const double most = kind == "far" ? s.between(1000, 20'000) : s.between(20, 900);
    if (score > 0 && std::isfinite(score)) {
      int exponent = 0;
      std::frexp(most / score, &exponent);
      for (auto* heads : {&w.W_Q, &w.W_K}) scale(*heads, Rational::power_of_two(exponent / 2));
    }
  }
  if (H > 1 && s.chance(40)) {
    tags.push_back("weights:one W_O");
    for (auto& m : w.W_O) m = w.W_O.front();
  }
}

void draw_targets(Source& s, NumberKind numbers, std::size_t p, KernelInstance& k,
                  std::vector<std::string>& tags) {
  const std::string kind = s.weighted<std::string>({{75, "generic"}, {15, "zero"}, {10, "equal"}});
  tags.push_back("targets:" + kind);
  for (std::size_t i = 0; i < k.X.size(); ++i) {
    Matrix<Rational> y = draw_matrix(s, numbers, k.rows(), p);
    if (kind == "zero") y = Matrix<Rational>(k.rows(), p);
    if (kind == "equal" && i > 0) y = k.Y.front();
    k.Y.push_back(std::move(y));
  }
}

}  // namespace

DrawnKernel draw_kernel_instance(Source& s, const SizeLimit& limit) {
  DrawnKernel drawn;
  KernelInstance& k = drawn.instance;
  std::vector<std::string>& tags = drawn.tags;
  const NumberKind numbers =
      s.chance(70)
          ? s.weighted<NumberKind>(
                {{40, NumberKind::ordinary}, {30, NumberKind::integer}, {30, NumberKind::dyadic}})
          : draw_number_kind(s);
  tags.push_back(std::string("numbers:") + to_string(numbers));
  const std::size_t N = draw_size(s, 50, 3, limit.samples), n = draw_size(s, 10, 4, limit.tokens),
                    D = draw_size(s, 15, 4, limit.dim), H = draw_size(s, 55, 3, limit.heads),
                    d = draw_size(s, 40, 3, limit.dim), v = draw_size(s, 50, 2, limit.dim),
                    p = draw_size(s, 55, 3, limit.dim);
  const bool bias = s.chance(15), twins = N > 1 && s.chance(10), axes = n <= D && s.chance(15);
  for (std::size_t i = 0; i < N; ++i) {
    const TokenKind kind = draw_token_kind(s);
    tags.push_back(std::string("tokens:") + to_string(kind));
    Matrix<Rational> X = draw_tokens(s, kind, numbers, n, D);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t c = 0; axes && c < D; ++c) X(a, c) = c == a ? 1 : 0;
    for (std::size_t a = 0; bias && a < n; ++a) X(a, D - 1) = 1;
    k.X.push_back(twins && i == 1 ? k.X.front() : std::move(X));
  }
  if (bias) tags.push_back("tokens:bias");
  k.kernel = s.weighted<AttentionKernel>({{35, AttentionKernel::softmax},
                                          {35, AttentionKernel::gaussian},
                                          {15, AttentionKernel::gaussian_over_n},
                                          {15, AttentionKernel::gaussian_normalised}});
  tags.push_back("kernel:" + std::string(kernel_word(*k.kernel)));
  const std::string beta = s.weighted<std::string>({{40, "1"}, {30, "root"}, {30, "generic"}});
  if (beta == "root") k.beta = inverse_root_beta(d);
  if (beta == "generic") k.beta.value = Rational(s.between(1, 40), s.between(1, 9));
  draw_readout(s, n, k, tags);
  draw_weights(s, numbers, H, d, v, p, k, tags);
  draw_targets(s, numbers, p, k, tags);
  return drawn;
}

Rational largest_score(const KernelInstance& k) {
  Rational most;
  for (const Matrix<Rational>& X : k.X)
    for (std::size_t h = 0; h < k.heads(); ++h) {
      const auto Q = multiply(X, k.weights.W_Q[h]), K = multiply(X, k.weights.W_K[h]);
      for (std::size_t a = 0; a < Q.rows(); ++a)
        for (std::size_t b = 0; b < K.rows(); ++b) {
          Rational product, square;
          for (std::size_t c = 0; c < Q.cols(); ++c) {
            product += Q(a, c) * K(b, c);
            square += (Q(a, c) - K(b, c)) * (Q(a, c) - K(b, c));
          }
          most = std::max(most, std::max(abs(product), square));
        }
    }
  return k.beta.root ? most : most * k.beta.value;
}

bool is_tame(const KernelInstance& k) {
  const auto tame = [](const Matrix<Rational>& m) {
    return std::all_of(m.entries().begin(), m.entries().end(), [](const Rational& x) {
      const double size = std::fabs(x.nearest_double());
      return x.sign() == 0 || (size >= 0x1p-12 && size <= 0x1p12);
    });
  };
  const auto all = [&](const std::vector<Matrix<Rational>>& list) {
    return std::all_of(list.begin(), list.end(), tame);
  };
  const auto& w = k.weights;
  return all(k.X) && all(k.Y) && all(w.W_Q) && all(w.W_K) && all(w.W_V) && all(w.W_O) &&
         largest_score(k) <= Rational(60);
}

KernelWeights<Rational> test_direction(const KernelInstance& k) {
  const auto all = KernelBlocks::all();
  return with_flat(k.weights, all, test_direction(parameter_count(k.weights, all)));
}

}  // namespace heed::checks
