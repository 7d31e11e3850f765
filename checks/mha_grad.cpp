// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mha_grad.hpp"

#include "checks/support/bounds.hpp"
#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"

namespace heed::checks {
namespace {

const ClaimFamily family{
    &mha_grad_claims<Ball>,
    &mha_grad_claims<double>,
    &mha_grad_claim_infos,
    {{"mha.grad_bound", {"paper", "worst", "geom", "state", "exact"}},
     {"mha.loss_grad",
      {"paper", "worst_loss", "worst_1mexp", "worst", "geom", "state", "gradexact", "exact"}}}};

void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!bounds_feasible(m, tally)) return;
  const auto rungs = mha_grad_claims<Ball>(MhaAnalysis<Ball>(m), every_rung);
  const PrecisionScope scope(Textbook::bits_for(m));
  const TextbookBounds b(m);
  const auto sides = [&](const std::string& id, const std::string& rung, std::size_t item,
                         const Ball& lhs, const Ball& rhs) {
    const RungValues<Ball>& r = *find_rung(rungs, id, rung);
    if (!r.not_applicable.empty()) return;
    require_overlap(id + " " + rung + " lhs", r.items.at(item).lhs, lhs);
    require_overlap(id + " " + rung + " rhs", r.items.at(item).rhs, rhs);
  };
  Ball geom, state, exact;
  const Ball n(static_cast<int>(m.samples()));
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const Ball norm = norm_of(b.book.phi_gradients[i]);
    sides("mha.grad_bound", "paper", i, norm, b.beta1);
    sides("mha.grad_bound", "worst", i, norm, b.b1);
    sides("mha.grad_bound", "geom", i, norm, b.grad_geom[i]);
    sides("mha.grad_bound", "state", i, norm, b.grad_state[i]);
    geom += b.book.slope[i] * b.grad_geom[i] / n;
    state += b.book.slope[i] * b.grad_state[i] / n;
    exact += b.book.slope[i] * norm / n;
  }
  const Ball L = b.book.loss, G = b.book.mean_slope, norm = norm_of(b.book.gradient());
  const std::string id = "mha.loss_grad";
  sides(id, "paper", 0, norm, b.beta1 * L);
  sides(id, "worst_loss", 0, norm, b.b1 * L);
  sides(id, "worst_1mexp", 0, norm, b.b1 * (Ball(1) - exp(-L)));
  sides(id, "worst", 0, norm, b.b1 * G);
  sides(id, "geom", 0, norm, geom);
  sides(id, "state", 0, norm, state);
  sides(id, "gradexact", 0, norm, exact);
  sides(id, "squared", 0, norm * norm, b.b1 * b.b1 * L / Ball(2));
}

}  // namespace

std::vector<Property> mha_grad_properties() {
  return {{"mha_grad.rungs",
           "no gradient bound is refuted; the ladders decrease; double agrees",
           draw_instance,
           300,
           [](const MhaInstance& m, Tally& tally) { check_family(family, m, tally); },
           {}},
          {"mha_grad.textbook",
           "both sides of every rung enclose those of independent formulas",
           draw_instance,
           200,
           against_textbook,
           {}}};
}

}  // namespace heed::checks
