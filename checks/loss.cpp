// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/loss.hpp"

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/textbook.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed::checks {
namespace {

const ClaimFamily family{&loss_claims<Ball>, &loss_claims<double>, &loss_claim_infos, {}};

// The two sides of every rung at one margin, from l, p, l'' and t alone.
Item<Ball> expected_sides(const std::string& rung, const Ball& t, const Ball& l, const Ball& p,
                          const Ball& l2) {
  const Ball quarter = Ball(1) / Ball(4);
  const Ball l3 = abs(l2 * (Ball(1) - Ball(2) * p));
  const Ball c3 = sqrt(Ball(3)) / Ball(18);
  if (rung == "b") return {p, min(Ball(1), l), ""};
  if (rung == "c") return {l2, min(quarter, p), ""};
  if (rung == "c_loss") return {min(quarter, p), l, ""};
  if (rung == "d") return {l / (Ball(1) + l), p, ""};
  if (rung == "d_right") return {l / (Ball(2) * log(Ball(2))), p, ""};
  if (rung == "e") return {p * p, l / Ball(2), ""};
  if (rung == "f") return {l3, min(l2, c3), ""};
  if (rung == "g_lower") return {exp(-t) / Ball(2), l, ""};
  if (rung == "g_upper") return {l, exp(-t), ""};
  if (rung == "h") return {p, Ball(1) - exp(-l), ""};
  return {Ball(1) - exp(-l), min(Ball(1), l), ""};
}

// One sample, margin t: the sides are those of the note, and the rung is proved unless its sides agree.
void at_one_margin(const MhaInstance& m, Tally& tally) {
  const PrecisionScope scope(1024);
  const Ball t = Ball(m.weights->U[0](0, 0)) * Ball(m.X[0](0, 0)) * Ball(m.y[0]);
  if (!certainly(less_equal(abs(t), Ball(1000)))) return;
  const std::vector<RungValues<Ball>> rungs = loss_claims<Ball>(MhaAnalysis<Ball>(m), every_rung);
  const bool logistic = m.loss == Loss::logistic;
  const Ball decay = exp(-t);
  const Ball l = log1p(decay), p = Ball(1) / (Ball(1) + exp(t));
  for (const RungValues<Ball>& r : rungs) {
    if (r.items.empty()) continue;
    const Item<Ball> sides =
        logistic ? expected_sides(r.rung, t, l, p, p * (Ball(1) - p))
                 : Item<Ball>{r.rung == "d" ? decay / (Ball(1) + decay) : decay, decay, ""};
    require_overlap(r.id + " " + r.rung + " lhs", r.items[0].lhs, sides.lhs);
    require_overlap(r.id + " " + r.rung + " rhs", r.items[0].rhs, sides.rhs);
    const Verdict v = compare(r.items[0].lhs, r.items[0].rhs);
    ++tally[r.id + (v.kind == VerdictKind::proved ? ": proved" : ": sides agree")];
    if (v.kind != VerdictKind::proved && !r.reflexive)
      require(agree_to_digits(r.items[0].lhs, r.items[0].rhs, 12) || r.rung == "f",
              r.id + " " + r.rung + ": not proved at 1024 bits though the sides differ");
  }
  const bool right = certainly(positive(t));
  if (logistic)
    for (const char* rung : {"d_right", "g_lower"})
      require(find_rung(rungs, "loss.logistic", rung)->items.empty() ==
                  !(right || !certainly(negative(t))),
              std::string("loss.logistic ") + rung + ": applies exactly to margins >= 0");
}

// l, p, l'' of every sample, L and G from the textbook forms.
void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!Textbook::feasible(m)) {
    ++tally["logits too large for the textbook forms"];
    return;
  }
  const MhaModel<Ball> model(mha_inputs<Ball>(m));
  const PrecisionScope scope(Textbook::bits_for(m));
  const Textbook book(m);
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const std::string at = " of sample " + std::to_string(i);
    const LossTerms<Ball>& l = model.loss_terms()[i];
    require_overlap("l" + at, l.value, book.value[i]);
    require_overlap("p" + at, l.slope, book.slope[i]);
    require_overlap("l''" + at, l.second, book.second[i]);
  }
  require_overlap("L", model.loss(), book.loss);
  require_overlap("G", model.mean_slope(), book.mean_slope);
}

}  // namespace

std::vector<Property> loss_properties() {
  return {{"loss.rungs",
           "no rung of loss.logistic and loss.exponential is refuted; double agrees",
           draw_instance,
           1000,
           [](const MhaInstance& m, Tally& tally) { check_family(family, m, tally); },
           {}},
          {"loss.margin",
           "at a single margin every rung has the sides of the note and is proved",
           draw_margin,
           2000,
           at_one_margin,
           {}},
          {"loss.textbook",
           "loss terms enclose those of the textbook forms",
           draw_instance,
           500,
           against_textbook,
           {}}};
}

}  // namespace heed::checks
