// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/linalg/product.hpp"

namespace heed {
namespace {

template <class S>
S b2_at(const MhaAnalysis<S>& a, const S& M) {
  const S T(static_cast<int>(a.model().inputs().tokens()));
  const S& R = a.norms().R;
  const S s = sqrt(T) * R * square(R);
  return saddle_eigenvalue(s, S(S(8) * third_moment_constant<S>() * s * square(R) * M));
}

/// Per head the norms of U_h and of v_{U,h}, and what does not depend on t.
template <class S>
struct Ingredients {
  const MhaAnalysis<S>& a;
  S gamma, B;
  std::vector<S> U, v;

  S drop(const S& t) const {  // t^2 b2(M) / (2 sqrt H)
    S M(0);
    for (std::size_t h = 0; h < U.size(); ++h) M = max(M, S(U[h] + t * v[h]));
    return ldexp(S(square(t) * b2_at(a, M) / a.sqrt_heads()), -1);
  }
  S promised(const S& t) const { return t * gamma - B - drop(t); }
};

// The least t with promised(t) >= target from below, then a little more; where the iteration leaves
// [0, level / gamma] by far there is none, and t maximises the concave promise. Not verified here.
template <class S>
double step_length(const Ingredients<S>& in, const S& target) {
  const double gamma = approx::to_double(in.gamma);
  const double level = approx::to_double(in.B) + approx::to_double(target);
  double t = 0;
  for (int round = 0; round < 100; ++round) {
    const double next = (level + approx::to_double(in.drop(S(t)))) / gamma;
    if (!(next <= 100 * level / gamma)) break;
    if (next <= t * (1 + 1e-12)) return next * (1 + 1e-9);
    t = next;
  }
  double low = 0, high = level / gamma;
  for (int round = 0; round < 60; ++round) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    const bool rising = approx::less(in.promised(S(a)), in.promised(S(b)));
    (rising ? low : high) = rising ? a : b;
  }
  return high;
}

}  // namespace

template <class S>
std::optional<NtkStep<S>> ntk_step(const MhaAnalysis<S>& a, const KernelMargin& margin,
                                   const S& target) {
  if (!margin.separable()) return std::nullopt;
  MhaInputs<S> moved = a.model().inputs();
  const std::size_t block = moved.head_parameters(), u = moved.tokens() * moved.dim();
  std::vector<S> direction(moved.parameters());
  for (const std::size_t i : margin.support) {
    const S c = S(margin.alpha[i]) / S(margin.upper);
    const S* psi = a.model().phi_gradients().row(i);
    for (std::size_t k = 0; k < direction.size(); ++k)
      direction[k] += moved.y[i] > 0 ? S(c * psi[k]) : S(-(c * psi[k]));
  }
  Ingredients<S> in{a, S(margin.lower), S(0), {}, {}};
  for (const S& phi : a.model().phi()) in.B = max(in.B, abs(phi));
  for (std::size_t h = 0; h < moved.heads(); ++h) {
    in.U.push_back(sqrt_nonnegative(squared_norm(a.reduction().U()[h])));
    const S* v = direction.data() + h * block;
    in.v.push_back(sqrt_nonnegative(dot(u, v, 1, v, 1)));
  }
  NtkStep<S> step;
  step.t = step_length(in, target);
  if (!std::isfinite(step.t) || !(step.t > 0)) return std::nullopt;
  const S t(step.t);
  step.promised = in.promised(t);
  for (std::size_t h = 0; h < moved.heads(); ++h) {
    const S* v = direction.data() + h * block;
    for (std::size_t k = 0; k < u; ++k) moved.U[h].data()[k] += t * v[k];
    for (std::size_t k = 0; k < block - u; ++k) moved.W[h].data()[k] += t * v[u + k];
  }
  const MhaModel<S> there(std::move(moved), a.model().form());
  step.margins = there.margins();
  step.loss = there.loss();
  return step;
}

template std::optional<NtkStep<DoubleBall>> ntk_step(const MhaAnalysis<DoubleBall>&,
                                                     const KernelMargin&, const DoubleBall&);
template std::optional<NtkStep<Ball>> ntk_step(const MhaAnalysis<Ball>&, const KernelMargin&,
                                               const Ball&);

}  // namespace heed
