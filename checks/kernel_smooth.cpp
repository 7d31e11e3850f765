// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_smooth.hpp"

#include <cmath>
#include <cstdint>

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_attention_bounds.hpp"
#include "heed/theory/kernel_jacobian.hpp"

namespace heed::checks {
namespace {

const KernelClaimFamily family{&kernel_smooth_claims<Ball>, &kernel_smooth_claims<DoubleBall>,
                               &kernel_smooth_claim_infos};

void rungs(const KernelInstance& k, Tally& tally) { check_kernel_family(family, k, tally); }

std::vector<Ball> softmax(const std::vector<Ball>& z) {
  std::vector<Ball> s;
  for (std::size_t b = 0; b < z.size(); ++b) {
    Ball sum;
    for (const Ball& x : z) sum += exp(x - z[b]);
    s.push_back(Ball(1) / sum);
  }
  return s;
}

// Second order Taylor expansion along a line: s(z + t v) = s + t s' + t^2 s''/2 + O(t^3).
void jets(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const PrecisionScope scope(512);
  const KernelModel<Ball> model = kernel_model<Ball>(k, AttentionKernel::softmax);
  const Matrix<Ball>&Q = model.queries(0, 0), &K = model.keys(0, 0);
  const Ball beta = model.inputs().beta, t = ldexp(Ball(1), -60);
  std::vector<Ball> z, v, there, gap, along, moved;
  for (std::size_t b = 0; b < K.rows(); ++b) {
    Ball score;
    for (std::size_t c = 0; c < K.cols(); ++c) score += Q(0, c) * K(b, c);
    z.push_back(beta * score);
    v.push_back(Ball(static_cast<int>(b % 3) - 1));
    there.push_back(z[b] + t * v[b]);
  }
  const std::vector<Ball> s = softmax(z), after = softmax(there);
  const SoftmaxJet<Ball> jet = softmax_jet(s, v);
  const Ball slack = Ball::symmetric(ldexp(Ball(100), -180));
  for (std::size_t b = 0; b < z.size(); ++b)
    require_overlap("softmax to second order", after[b],
                    s[b] + t * jet.first[b] + t * t * jet.second[b] / Ball(2) + slack);
  for (std::size_t c = 0; c < K.cols(); ++c) {
    gap.push_back(Q(0, c) - K(0, c));
    along.push_back(Ball(static_cast<int>(c % 3) - 1));
    moved.push_back(gap[c] + t * along[c]);
  }
  const auto gaussian = [&](const std::vector<Ball>& u) {
    return exp(-(beta * squared_norm(u) / Ball(2)));
  };
  const GaussianJet<Ball> g = gaussian_jet(gaussian(gap), beta, gap, along);
  const Ball size =
      Ball(1) + beta * (Ball(1) + squared_norm(gap)) * (Ball(1) + squared_norm(along));
  require_overlap(
      "gaussian to second order", gaussian(moved),
      gaussian(gap) + t * g.first + t * t * g.second / Ball(2) + slack * size * size * size);
  ++tally["expanded"];
}

template <class S>
S squared_distance(const KernelModel<S>& a, const KernelModel<S>& b) {
  Matrix<S> gram(a.residuals(0).size() * a.inputs().samples(),
                 a.residuals(0).size() * a.inputs().samples());
  for (const KernelBlock block : kernel_blocks) {
    Matrix<S> J = a.jacobian(block);
    const Matrix<S> other = b.jacobian(block);
    for (std::size_t e = 0; e < J.size(); ++e) J.data()[e] -= other.data()[e];
    const Matrix<S> part = gram_of_rows(J);
    for (std::size_t e = 0; e < gram.size(); ++e) gram.data()[e] += part.data()[e];
  }
  return lambda_max(gram);
}

// |J(W) - J(W')| for a direction without structure, on balls of several sizes.
void jacobians(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const KernelAnalysis<Ball> a(kernel_facts(k));
  const auto all = KernelBlocks::all();
  const std::vector<Ball> d = to_balls(flatten(test_direction(k), all));
  const std::vector<Ball> w = flatten(a.model().weights(), all);
  Ball last;
  for (const int exponent : {-20, -3, 0, 2}) {
    std::vector<Ball> there = w;
    for (std::size_t e = 0; e < w.size(); ++e) there[e] += ldexp(d[e], exponent);
    const Ball distance = ldexp(sqrt_nonnegative(squared_norm(d)), exponent);
    const KernelModel<Ball> other = a.model_at(with_flat(a.model().weights(), all, there));
    const Ball L = jacobian_lipschitz(a, distance);
    require(!certainly(less(square(L * distance), squared_distance(a.model(), other))),
            "J is steeper than L_J");
    require(!certainly(less(L, last)), "L_J falls with the radius");
    last = L;
    ++tally["compared"];
  }
}

// Weights and a direction climb to the largest ratio of |J(W) - J(W')| and L_J |W - W'|.
void climb(const KernelInstance& drawn, Tally& tally) {
  if (!is_tame(drawn) || drawn.samples() > 2) return;
  const auto all = KernelBlocks::all();
  const PrecisionScope scope(160);
  KernelInstance k = drawn;
  const std::size_t P = parameter_count(k.weights, all);
  std::vector<Rational> w = flatten(k.weights, all), d = flatten(test_direction(k), all);
  const Ball step = ldexp(Ball(1), -30);
  const auto ratio = [&](const std::vector<Rational>& at, const std::vector<Rational>& along) {
    k.weights = with_flat(k.weights, all, at);
    if (!is_tame(k)) return 0.0;
    const KernelAnalysis<Ball> a(kernel_facts(k));
    std::vector<Ball> there = to_balls(at), move = to_balls(along);
    for (std::size_t e = 0; e < P; ++e) there[e] += step * move[e];
    const Ball distance = step * sqrt_nonnegative(squared_norm(move)),
               bound = square(jacobian_lipschitz(a, distance) * distance),
               reached = squared_distance(a.model(),
                                          a.model_at(with_flat(a.model().weights(), all, there)));
    require(!certainly(less(bound, reached)), "J is steeper than L_J");
    const double r = approx::to_double(reached) / approx::to_double(bound);
    return r > 0 ? std::sqrt(r) : 0.0;
  };
  double best = ratio(w, d);
  std::uint64_t state = 77;
  const auto draw = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (int trial = 0; trial < 24; ++trial) {
    std::vector<Rational> w2 = w, d2 = d;
    const std::size_t e = draw(P), f = draw(P);
    const Rational factors[] = {Rational(0), Rational(1, 4), Rational(4), Rational(-1)};
    w2[e] *= factors[draw(4)];
    d2[f] *= factors[draw(4)];
    const double r = ratio(w2, d2);
    if (r <= best) continue;
    best = r;
    w = w2;
    d = d2;
  }
  ++tally[std::string(kernel_word(*k.kernel)) + (best > 0.5     ? " above 1/2"
                                                 : best > 0.125 ? " above 1/8"
                                                                : " below 1/8")];
}

// |Pi (X*X)| and |Pi X| against the matrices themselves, with D^2 columns, exact up to the norms.
void tokens(const KernelInstance& k, Tally& tally) {
  const KernelAnalysis<Ball> a(kernel_facts(k));
  const std::size_t n = k.tokens(), D = k.dim();
  for (std::size_t i = 0; i < k.samples(); ++i) {
    const TokenSizes<Ball> sizes = token_sizes(a, i);
    Matrix<Rational> both(n, D * D), spread = k.X[i];
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t e = 0; e < D * D; ++e) both(b, e) = k.X[i](b, e / D) * k.X[i](b, e % D);
    for (Matrix<Rational>* m : {&both, &spread})
      for (std::size_t c = 0; c < m->cols(); ++c) {
        Rational mean;
        for (std::size_t b = 0; b < n; ++b) mean += (*m)(b, c);
        mean /= Rational(static_cast<long>(n));
        for (std::size_t b = 0; b < n; ++b) (*m)(b, c) -= mean;
      }
    const auto norm = [&](const Matrix<Rational>& m) {
      return sqrt_nonnegative(max(
          lambda_max(gram_of_rows(map(m, [](const Rational& q) { return Ball(q); }))), Ball(0)));
    };
    require_overlap("|Pi X|", sizes.spread, norm(spread));
    require_overlap("|Pi (X*X)|", sizes.products, norm(both));
    require(!certainly(less(sizes.whole, sizes.spread)), "|Pi X| above |X|");
    ++tally["samples"];
  }
}

}  // namespace

std::vector<Property> kernel_smooth_properties() {
  return {kernel_property("kernel_smooth.rungs", "bounds of derivatives, Hessians and Jacobians",
                          150, rungs),
          kernel_property("kernel_smooth.jets", "derivatives of attention by Taylor expansion", 500,
                          jets),
          kernel_property("kernel_smooth.jacobians", "L_J along a direction without structure", 200,
                          jacobians),
          kernel_property("kernel_smooth.climb", "L_J at weights and directions that are sought",
                          60, climb),
          kernel_property("kernel_smooth.tokens", "sizes of centred tokens", 200, tokens)};
}

}  // namespace heed::checks
