// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_descent.hpp"

#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

constexpr std::size_t steps_shown = 4;

// f_{t+1} <= rho^2 f_t along a run.
template <class S>
std::vector<Item<S>> contraction(const ValueDescent<S>& run, const S& rho) {
  std::vector<Item<S>> items;
  for (std::size_t t = 0; t + 1 < run.losses.size(); ++t)
    items.push_back(
        {run.losses[t + 1], square(rho) * run.losses[t], "step " + std::to_string(t + 1)});
  return items;
}

template <class S>
Matrix<Ball> in_balls(const Matrix<S>& m) {
  return map(m, [](const S& x) { return to_ball(x); });
}

/// Columns of J_V that span its range.
struct Columns {
  Condition known;
  std::vector<std::size_t> list;
  bool full_rows = false;  // J_V has full row rank: f* = 0
};

template <class S>
Columns spanning_columns(const KernelAnalysis<S>& a) {
  Columns c;
  const std::string text = "the rank of J_V is known";
  const std::size_t rows = a.residual().size(),
                    cols = parameter_count(a.instance().weights, KernelBlock::value);
  const Condition mu = a.mu_positive(KernelBlock::value);
  if (mu.is_proved()) {
    c.known = Condition::proved(text);
    c.full_rows = true;
  } else if (a.facts().value_jacobian()) {
    c.list = a.facts().value_columns();
    c.known = known(!c.list.empty(), text, "J_V = 0");
  } else if (cols < rows) {
    for (std::size_t k = 0; k < cols; ++k) c.list.push_back(k);
    const Matrix<S>& J = a.jacobian(KernelBlock::value);
    c.known = shown(a.facts().rank_bound(KernelBlock::value) >= cols &&
                        certainly(positive(extremes(gram_of_columns(J)).least)),
                    text);
    if (a.facts().rank_bound(KernelBlock::value) < cols)
      c.known = Condition::disproved(text, "the rank of J_V is not known exactly");
  } else {
    c.known = mu.holds == Ternary::unknown
                  ? Condition::open(text, text + ": not proved")
                  : Condition::disproved(text, "the rank of J_V is not known exactly");
  }
  return c;
}

// f - f* = g^T A^{-1} g / 2 for A = J_C^T J_C, g = J_C^T r, from an approximate solution x:
// g^T A^{-1} g = x^T (2 g - A x) + e^T A^{-1} e with e = g - A x, the last term in [0, |e|^2 / lambda].
Ball excess(const Matrix<Ball>& J, const std::vector<Ball>& r) {
  const Matrix<Ball> A = gram_of_columns(J);
  const std::vector<Ball> g = transposed_multiply(J, r);
  std::vector<Ball> middle = g;
  for (Ball& x : middle) approx::collapse(x);
  const Ldlt<Ball> factors(A);
  if (factors.zero() > 0) return Ball(1) / Ball(0);
  std::vector<Ball> x = factors.solve(middle);
  for (Ball& entry : x) approx::collapse(entry);
  const std::vector<Ball> Ax = multiply(A, x);
  Ball sum, rest;
  for (std::size_t k = 0; k < g.size(); ++k) {
    sum += x[k] * (g[k] + (g[k] - Ax[k]));
    rest += square(g[k] - Ax[k]);
  }
  const Ball lambda = extremes(A).least;
  if (!certainly(positive(lambda))) return Ball(1) / Ball(0);
  return max(sum + Ball::hull(Ball(0), rest / lambda), Ball(0)) / Ball(2);
}

}  // namespace

template <class S>
ValueDescent<S> descend_values(const KernelAnalysis<S>& a, const S& eta, std::size_t steps) {
  const Matrix<S> G = a.gram(KernelBlock::value);
  const Matrix<S>& J = a.jacobian(KernelBlock::value);
  ValueDescent<S> run{eta, {a.loss()}, {S(0)}, {}};
  std::vector<S> r = a.residual(), sum(r.size(), S(0));
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t k = 0; k < r.size(); ++k) sum[k] += r[k];
    run.steps.push_back(eta * sqrt_nonnegative(squared_norm(transposed_multiply(J, r))));
    const std::vector<S> Gr = multiply(G, r);
    for (std::size_t k = 0; k < r.size(); ++k) r[k] -= eta * Gr[k];
    run.losses.push_back(max(squared_norm(r), S(0)) / S(2));
    run.distances.push_back(eta * sqrt_nonnegative(squared_norm(transposed_multiply(J, sum))));
  }
  return run;
}

template <class S>
void descent_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                    std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.gd_value_only";
  const Condition mu = a.mu_positive(KernelBlock::value);
  const auto run = [&](const S& eta) { return descend_values(a, eta, steps_shown); };
  const auto add = [&](const std::string& rung, auto&& items) {
    if (wanted(id, rung)) all.push_back(kernel_rung<S>(id, rung, {a.small(), mu}, items));
  };
  const auto least = [&] { return a.mu(KernelBlock::value); };
  const auto largest = [&] { return a.L(KernelBlock::value); };
  add("contraction",
      [&] { return contraction<S>(run(S(1) / largest()), S(1) - least() / largest()); });
  add("fastest", [&] {
    const S sum = largest() + least();
    return contraction<S>(run(S(2) / sum), (largest() - least()) / sum);
  });
  add("distance", [&] {
    const ValueDescent<S> r = run(S(1) / largest());
    return one_item<S>(r.distances.back(), sqrt_nonnegative(S(2) * a.loss() / least()));
  });
}

template <class S>
RungValues<S> general_value_rung(const KernelAnalysis<S>& a, const std::string& id,
                                 const std::string& rung) {
  if (!a.small().is_proved())
    return kernel_rung<S>(id, rung, {a.small()}, [] { return std::vector<Item<S>>{}; });
  const Columns columns = spanning_columns(a);
  return kernel_rung<S>(id, rung, {a.small(), columns.known}, [&] {
    const S right = a.gradient_squared(KernelBlock::value);
    if (columns.full_rows) return one_item<S>(S(2) * a.mu(KernelBlock::value) * a.loss(), right);
    const Matrix<Ball> J = in_balls(a.jacobian(KernelBlock::value));
    Matrix<Ball> part(J.rows(), columns.list.size());
    for (std::size_t r = 0; r < J.rows(); ++r)
      for (std::size_t c = 0; c < part.cols(); ++c) part(r, c) = J(r, columns.list[c]);
    std::vector<Ball> r;
    for (const S& x : a.residual()) r.push_back(to_ball(x));
    // The least eigenvalue of J J^T that is not 0; there are rank J of these.
    const std::vector<Ball> eigenvalues =
        symmetric_eigenvalues(in_balls(a.gram(KernelBlock::value)));
    const Ball sigma = eigenvalues[eigenvalues.size() - part.cols()];
    return one_item<S>(S(Ball(2) * sigma * excess(part, r)), right);
  });
}

#define HEED_INSTANTIATE(S)                                                                 \
  template ValueDescent<S> descend_values(const KernelAnalysis<S>&, const S&, std::size_t); \
  template void descent_claims(const KernelAnalysis<S>&, const Wanted&,                     \
                               std::vector<RungValues<S>>&);                                \
  template RungValues<S> general_value_rung(const KernelAnalysis<S>&, const std::string&,   \
                                            const std::string&);
HEED_INSTANTIATE(DoubleBall)
HEED_INSTANTIATE(Ball)
#undef HEED_INSTANTIATE

}  // namespace heed
