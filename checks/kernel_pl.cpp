// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_pl.hpp"

#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"
#include "heed/theory/kernel_descent.hpp"
#include "heed/theory/verify_kernel.hpp"

namespace heed::checks {
namespace {

const KernelClaimFamily family{&kernel_pl_claims<Ball>, &kernel_pl_claims<DoubleBall>,
                               &kernel_pl_claim_infos};

void rungs(const KernelInstance& k, Tally& tally) { check_kernel_family(family, k, tally); }

void identities(const KernelInstance& k, Tally& tally) {
  const auto facts = kernel_facts(k);
  check_consistent(check_kernel_pl_identities(KernelAnalysis<DoubleBall>(facts)), tally);
  check_consistent(check_kernel_pl_identities(KernelAnalysis<Ball>(facts)), tally);
}

// mu is the infimum of |g|^2 / (2 f): no targets go below, and r = an approximate least eigenvector
// comes close to it.
void best_constants(const KernelInstance& k, Tally& tally) {
  const PrecisionScope scope(256);
  const KernelAnalysis<Ball> a(kernel_facts(k));
  for (const KernelBlock block : kernel_blocks) {
    const Extremes<Ball>& ends = a.spectrum(block);
    const Matrix<Ball>& J = a.jacobian(block);
    std::vector<Ball> r(J.rows(), Ball(1));
    for (std::size_t e = 0; e < r.size(); ++e) r[e] = Ball(static_cast<int>(1 + (7 * e) % 5));
    const Ball quotient = squared_norm(transposed_multiply(J, r)) / squared_norm(r);
    require(!certainly(less(quotient, ends.least)), "a Rayleigh quotient is below mu");
    require(!certainly(less(ends.largest, quotient)), "a Rayleigh quotient is above L");
    // Power iteration towards L.
    for (int step = 0; step < 200; ++step) {
      r = multiply(J, transposed_multiply(J, r));
      for (Ball& x : r) approx::collapse(x);
      const Ball size = sqrt(squared_norm(r));
      if (!certainly(positive(size))) return;
      for (Ball& x : r) {
        x /= size;
        approx::collapse(x);
      }
    }
    const Ball best = squared_norm(transposed_multiply(J, r)) / squared_norm(r);
    require(!certainly(less(ends.largest, best)), "power iteration exceeds L");
    const double ratio = approx::to_double(best / ends.largest);
    require(!(ratio < 0.5), "L is far from what is attained");
    ++tally[ratio > 1 - 1e-9 ? "L attained to 1e-9" : "L approached"];
  }
}

// Losses along gradient descent on W_V: through the model in double, by the spectral formula, and by
// the enclosures of the descent.
void descent(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const PrecisionScope scope(256);
  const KernelAnalysis<Ball> a(kernel_facts(k));
  const Ball L = a.L(KernelBlock::value);
  if (!certainly(positive(L)) || !certainly(positive(a.loss()))) return;
  const Ball eta = Ball(1) / L;
  const ValueDescent<Ball> run = descend_values(a, eta, 6);
  const double step = approx::to_double(eta);
  KernelWeights<double> w = weights_as<double>(k.weights);
  const auto inputs = std::make_shared<const KernelInputs<double>>(k);
  const double start = approx::to_double(run.losses.front());
  double scale = start;
  for (const auto& Y : k.Y) scale += squared_norm(Y).nearest_double();
  for (std::size_t t = 1; t <= 6; ++t) {
    const auto g = KernelModel<double>(inputs, *k.kernel, w).gradient(KernelBlock::value);
    for (std::size_t h = 0; h < w.W_V.size(); ++h)
      for (std::size_t e = 0; e < w.W_V[h].size(); ++e)
        w.W_V[h].data()[e] -= step * g.W_V[h].data()[e];
    const double measured = KernelModel<double>(inputs, *k.kernel, w).loss();
    require(std::fabs(measured - approx::to_double(run.losses[t])) <= 1e-12 * scale,
            "step " + std::to_string(t) + ": the measured loss " + std::to_string(measured) +
                " is not that of the formula");
    require(!certainly(less(run.losses[t - 1], run.losses[t])), "the loss grows");
  }
  ++tally["compared"];
}

// The whole verification, as the command runs it.
void verified(const KernelInstance& k, Tally& tally) {
  Budget budget;
  budget.max_bits = 4096;
  const KernelVerifyReport r = verify(k, *k.kernel, budget);
  for (const ClaimResult& c : r.claims) {
    require(c.verdict.kind != VerdictKind::refuted, c.id + " " + c.rung + ": refuted");
    ++tally[c.verdict.equality ? "equality" : to_string(c.verdict.kind)];
    if (c.verdict.kind == VerdictKind::undecided && !c.verdict.equality)
      ++tally["undecided: " + c.id + " " + c.rung];
  }
  check_consistent(r.identities, tally);
  ++tally[r.budget_ended ? "the budget ended" : "settled"];
}

}  // namespace

std::vector<Property> kernel_pl_properties() {
  return {
      kernel_property("kernel_pl.rungs", "gradients, Gram matrices and their bounds", 200, rungs),
      kernel_property("kernel_pl.identities",
                      "Noether identities, features, steps on W_V, zero weights", 300, identities),
      kernel_property("kernel_pl.constants", "mu and L are not passed, and L is attained", 200,
                      best_constants),
      kernel_property("kernel_pl.descent",
                      "the exact formula of gradient descent on W_V and measured losses", 300,
                      descent),
      kernel_property("kernel_pl.verify", "the whole verification refutes nothing", 50, verified)};
}

}  // namespace heed::checks
