// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/product.hpp"
#include "heed/theory/identity_check.hpp"
#include "heed/theory/kernel_descent.hpp"
#include "heed/theory/kernel_pl.hpp"

namespace heed {
namespace {

template <class S>
IdentityResult noether(const KernelAnalysis<S>& a) {
  const bool distances = has_distances(a.kernel());
  IdentityCheck check("kernel.noether", std::string("W_V^T dW_V = dW_O W_O^T, and ") +
                                            (distances ? "W_Q^T dW_Q + W_K^T dW_K is symmetric"
                                                       : "W_Q^T dW_Q = dW_K^T W_K"));
  const KernelWeights<S>&w = a.model().weights(), &g = a.gradient();
  for (std::size_t h = 0; h < w.W_Q.size(); ++h) {
    check.equal(transposed_multiply(w.W_V[h], g.W_V[h]).entries(),
                multiply_transposed(g.W_O[h], w.W_O[h]).entries());
    Matrix<S> q = transposed_multiply(w.W_Q[h], g.W_Q[h]);
    const Matrix<S> k = transposed_multiply(w.W_K[h], g.W_K[h]);
    if (!distances) {
      check.equal(q.entries(), transposed_multiply(g.W_K[h], w.W_K[h]).entries());
      continue;
    }
    for (std::size_t e = 0; e < q.size(); ++e) q.data()[e] += k.data()[e];
    check.equal(q.entries(), transposed(q).entries());
  }
  return std::move(check).result("");
}

// J_V J_V^T = sum_h B B^T (x) W_O^T W_O and J_O J_O^T = sum_h T T^T (x) I.
template <class S>
IdentityResult gram_value(const KernelAnalysis<S>& a) {
  IdentityCheck check(
      "kernel.gram_value",
      "J_V J_V^T = sum_h B_h B_h^T (x) W_O^T W_O, J_O J_O^T = sum_h T_h T_h^T (x) I");
  if (!a.small().is_proved()) return std::move(check).result(a.small().failure);
  const KernelInstance& k = a.instance();
  const std::size_t p = k.output_dim(), rows = k.samples() * k.rows();
  Matrix<S> V(rows * p, rows * p), O(rows * p, rows * p);
  for (std::size_t h = 0; h < k.heads(); ++h) {
    const Matrix<S> B = gram_of_rows(a.features(h)),
                    C = gram_of_columns(a.model().weights().W_O[h]),
                    T = gram_of_rows(multiply(a.features(h), a.model().weights().W_V[h]));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t s = 0; s < rows; ++s)
        for (std::size_t c = 0; c < p; ++c) {
          O(r * p + c, s * p + c) += T(r, s);
          for (std::size_t e = 0; e < p; ++e) V(r * p + c, s * p + e) += B(r, s) * C(c, e);
        }
  }
  check.equal(V.entries(), a.gram(KernelBlock::value).entries());
  check.equal(O.entries(), a.gram(KernelBlock::output).entries());
  return std::move(check).result("");
}

// Two steps on W_V through the whole model.
template <class S>
IdentityResult gd_value(const KernelAnalysis<S>& a) {
  IdentityCheck check("kernel.gd_value_only",
                      "f after t steps on W_V is |(I - eta J_V J_V^T)^t r_0|^2 / 2");
  if (!a.small().is_proved()) return std::move(check).result(a.small().failure);
  const S L = a.L(KernelBlock::value);
  if (!certainly(positive(L))) return std::move(check).result("L_V > 0 is not proved");
  const S eta = S(1) / L;
  const ValueDescent<S> run = descend_values(a, eta, 2);
  KernelWeights<S> w = a.model().weights();
  KernelWeights<S> g = a.gradient();
  for (std::size_t t = 1; t <= 2; ++t) {
    for (std::size_t h = 0; h < w.W_V.size(); ++h)
      for (std::size_t e = 0; e < w.W_V[h].size(); ++e)
        w.W_V[h].data()[e] -= eta * g.W_V[h].data()[e];
    const KernelModel<S> next = a.model_at(w);
    check.zero(S(next.loss() - run.losses[t]));
    g = next.gradient(KernelBlock::value);
  }
  return std::move(check).result("");
}

template <class S>
IdentityResult zero_qk(const KernelAnalysis<S>& a) {
  IdentityCheck check("kernel.zero_qk",
                      "W_Q = W_K = 0: dW_Q = dW_K = 0; rows that sum to 1: dW_Q = 0 if W_K = 0; "
                      "softmax: dW_K = 0 if W_Q = 0");
  const bool q = a.facts().zero_queries(), k = a.facts().zero_keys();
  const auto vanishes = [&](KernelBlock b) {
    if (q && k) return true;
    return b == KernelBlock::query ? k && is_normalised(a.kernel())
                                   : q && a.kernel() == AttentionKernel::softmax;
  };
  for (const KernelBlock b : {KernelBlock::query, KernelBlock::key})
    if (vanishes(b))
      for (const S& x : flatten(a.gradient(), b)) check.zero(x);
  return std::move(check).result("neither W_Q nor W_K is 0");
}

template <class S>
IdentityResult obstruction(const KernelAnalysis<S>& a) {
  IdentityCheck check("kernel.pl_query_only.obstruction",
                      "X_i W_V W_O z = c_h 1 for all heads: z^T C = 0, so mu_Q = 0");
  const KernelFacts& f = a.facts();
  for (const Condition& c : {f.normalised, f.obstruction})
    if (!c.is_proved()) return std::move(check).result(c.failure);
  std::vector<S> z;
  for (const Rational& x : f.obstruction_z()) z.push_back(Scalar<S>::from(x));
  for (std::size_t h = 0; h < a.instance().heads(); ++h)
    for (std::size_t t = 0; t < a.instance().tokens(); ++t)
      for (const S& x : transposed_multiply(a.model().query_slope(f.obstructed_sample(), h, t), z))
        check.zero(x);
  return std::move(check).result("");
}

}  // namespace

template <class S>
std::vector<IdentityResult> check_kernel_pl_identities(const KernelAnalysis<S>& a) {
  return {noether(a), gram_value(a), gd_value(a), zero_qk(a), obstruction(a)};
}

template std::vector<IdentityResult> check_kernel_pl_identities(const KernelAnalysis<DoubleBall>&);
template std::vector<IdentityResult> check_kernel_pl_identities(const KernelAnalysis<Ball>&);

}  // namespace heed
