// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mha_hessian.hpp"

#include "checks/support/bounds.hpp"
#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "heed/linalg/dense_symmetric.hpp"

namespace heed::checks {
namespace {

const ClaimFamily family{
    &mha_hessian_claims<Ball>,
    &mha_hessian_claims<double>,
    &mha_hessian_claim_infos,
    {{"mha.hessian_bound", {"paper", "worst", "geom", "state", "exact"}},
     {"mha.weak_convexity",
      {"paper", "worst_1mexp", "worst_G", "geom", "state", "hessnorm", "block", "exact"}},
     {"mha.smoothness", {"paper", "worst", "geom", "gram", "exact"}},
     {"mha.smoothness", {"worst_G", "geom", "gram", "exact"}}}};

constexpr int digits = 50;

Ball negative_part(const Ball& x) { return max(Ball(0), -x); }

void add_scaled(Matrix<Ball>& sum, const Ball& factor, const Matrix<Ball>& m) {
  for (std::size_t k = 0; k < m.size(); ++k) sum.data()[k] += factor * m.data()[k];
}

void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!bounds_feasible(m, tally)) return;
  const auto rungs = mha_hessian_claims<Ball>(MhaAnalysis<Ball>(m), every_rung);
  const PrecisionScope scope(Textbook::bits_for(m));
  const TextbookBounds b(m);
  const std::size_t n = m.samples(), H = m.heads();
  const Ball count(static_cast<int>(n)), root = b.book.sqrt_heads;
  const auto sides = [&](const std::string& id, const std::string& rung, std::size_t item,
                         const Ball& lhs, const Ball& rhs) {
    const RungValues<Ball>& r = *find_rung(rungs, id, rung);
    if (!r.not_applicable.empty()) return;
    require_overlap(id + " " + rung + " lhs", r.items.at(item).lhs, lhs);
    require_overlap(id + " " + rung + " rhs", r.items.at(item).rhs, rhs);
  };

  Ball geom, state, hessnorm, block;
  std::vector<Ball> worst(n), worst_geom(n), worst_state(n);
  for (std::size_t h = 0; h < H; ++h) {
    Ball geom_h, state_h, norm_h;
    Matrix<Ball> mean;
    for (std::size_t i = 0; i < n; ++i) {
      const Matrix<Ball> hess = b.book.head_hessian(i, h);
      const Ball norm = enclose_spectral_norm(hess, digits), p = b.book.slope[i] / count;
      worst[i] = max(worst[i], norm);
      worst_geom[i] = max(worst_geom[i], b.hess_geom[i][h]);
      worst_state[i] = max(worst_state[i], b.hess_state[i][h]);
      geom_h += p * b.hess_geom[i][h];
      state_h += p * b.hess_state[i][h];
      norm_h += p * norm;
      if (i == 0) mean = Matrix<Ball>(hess.rows(), hess.cols());
      add_scaled(mean, -p * Ball(b.book.y[i]), hess);
    }
    geom = max(geom, geom_h / root);
    state = max(state, state_h / root);
    hessnorm = max(hessnorm, norm_h / root);
    block = max(block, negative_part(enclose_lambda_min(mean, digits)) / root);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Ball norm = worst[i] / root;
    sides("mha.hessian_bound", "paper", i, norm, b.beta2 / root);
    sides("mha.hessian_bound", "worst", i, norm, b.b2 / root);
    sides("mha.hessian_bound", "geom", i, norm, worst_geom[i] / root);
    sides("mha.hessian_bound", "state", i, norm, worst_state[i] / root);
  }
  const Matrix<Ball> hessian = b.book.hessian();
  const Ball low = enclose_lambda_min(hessian, digits), high = enclose_lambda_max(hessian, digits);
  const Ball L = b.book.loss, G = b.book.mean_slope, convex = negative_part(low),
             smooth = max(abs(low), abs(high)), b2 = b.b2 / root;
  std::string id = "mha.weak_convexity";
  sides(id, "paper", 0, convex, b.beta2 / root * L);
  sides(id, "worst_1mexp", 0, convex, b2 * (Ball(1) - exp(-L)));
  sides(id, "worst_G", 0, convex, b2 * G);
  sides(id, "geom", 0, convex, geom);
  sides(id, "state", 0, convex, state);
  sides(id, "hessnorm", 0, convex, hessnorm);
  sides(id, "block", 0, convex, block);
  sides(id, "exact", 0, convex, convex);
  Matrix<Ball> gauss(b.book.parameters(), b.book.parameters());
  Ball geom_gauss;
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<Ball>& g = b.book.phi_gradients[i];
    for (std::size_t j = 0; j < g.size(); ++j)
      for (std::size_t k = 0; k < g.size(); ++k)
        gauss(j, k) += b.book.second[i] * g[j] * g[k] / count;
    geom_gauss += b.book.second[i] * b.grad_geom[i] * b.grad_geom[i] / count;
  }
  id = "mha.smoothness";
  sides(id, "paper", 0, smooth, b.beta1 * b.beta1 / Ball(4) + b.beta2 / root);
  sides(id, "worst", 0, smooth, b.b1 * b.b1 / Ball(4) + b2);
  sides(id, "worst_G", 0, smooth, (b.b1 * b.b1 + b2) * G);
  sides(id, "geom", 0, smooth, geom_gauss + geom);
  sides(id, "gram", 0, smooth, enclose_lambda_max(gauss, digits) + hessnorm);
}

}  // namespace

std::vector<Property> mha_hessian_properties() {
  return {{"mha_hessian.rungs",
           "no curvature bound is refuted; the ladders decrease; double agrees",
           draw_instance,
           300,
           [](const MhaInstance& m, Tally& tally) { check_family(family, m, tally); },
           {}},
          {"mha_hessian.textbook",
           "both sides of every rung enclose those of independent formulas",
           draw_instance,
           60,
           against_textbook,
           {}}};
}

}  // namespace heed::checks
