// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_smooth.hpp"

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_attention_bounds.hpp"

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

// |J(W) - J(W')| for a direction without structure, on balls of several sizes.
void jacobians(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k) || !has_jacobian_bound(*k.kernel).is_proved()) return;
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
    Matrix<Ball> gram(k.residuals(), k.residuals());
    for (const KernelBlock block : kernel_blocks) {
      Matrix<Ball> J = a.jacobian(block);
      const Matrix<Ball> J2 = other.jacobian(block);
      for (std::size_t e = 0; e < J.size(); ++e) J.data()[e] -= J2.data()[e];
      const Matrix<Ball> part = gram_of_rows(J);
      for (std::size_t e = 0; e < gram.size(); ++e) gram.data()[e] += part.data()[e];
    }
    const Ball L = jacobian_lipschitz(a, distance);
    require(!certainly(less(square(L * distance), lambda_max(gram))), "J is steeper than L_J");
    require(!certainly(less(L, last)), "L_J falls with the radius");
    last = L;
    ++tally["compared"];
  }
}

}  // namespace

std::vector<Property> kernel_smooth_properties() {
  return {kernel_property("kernel_smooth.rungs", "bounds of derivatives, Hessians and Jacobians",
                          150, rungs),
          kernel_property("kernel_smooth.jets", "derivatives of attention by Taylor expansion", 500,
                          jets),
          kernel_property("kernel_smooth.jacobians", "L_J along a direction without structure", 200,
                          jacobians)};
}

}  // namespace heed::checks
