// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/dm1.hpp"

#include <algorithm>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/rungs.hpp"
#include "heed/data/generate.hpp"
#include "heed/theory/mixture.hpp"

namespace heed::checks {
namespace {

Drawn draw_mixture(Source& s, const SizeLimit& limit) {
  MixtureSpec spec;
  spec.samples = static_cast<std::size_t>(2 * s.between(1, std::max(1, limit.samples / 2)));
  spec.tokens = static_cast<std::size_t>(s.between(2, std::max(2, limit.tokens)));
  spec.zeta =
      Rational(s.between(1, static_cast<int>(spec.tokens) - 1), static_cast<long>(spec.tokens));
  spec.nuisances = static_cast<std::size_t>(s.between(1, 3));
  spec.dim = spec.nuisances + 2 + static_cast<std::size_t>(s.between(0, 1));
  spec.strength = Rational(s.between(1, 40), 8L);
  const bool noisy = s.chance(50);
  if (noisy) spec.noise_sd = 0.2 * s.unit();
  spec.rotate = s.chance(25);
  spec.seed = s.bits() >> 1;
  Drawn drawn{generate_mixture(spec), {noisy ? "noisy" : "clean"}};
  const std::size_t heads = static_cast<std::size_t>(s.between(1, limit.heads));
  const std::string weights =
      s.weighted<std::string>({{30, "zero"}, {30, "one-step:6"}, {40, "balanced"}});
  drawn.tags.push_back(weights);
  MhaInstance& m = drawn.instance;
  set_weights(m, parse_weight_spec(weights == "balanced" ? "zero" : weights), heads, spec.seed);
  const auto structure = mixture_structure(m);
  if (weights == "balanced" && structure)
    for (Matrix<Rational>& U : m.weights->U) {
      const Rational scale = Rational(s.between(-8, 8), 4L);
      for (std::size_t t = 0; t < U.rows(); ++t)
        for (std::size_t c = 0; c < U.cols(); ++c)
          U(t, c) = scale * (structure->mu_plus[c] - structure->mu_minus[c]);
    }
  return drawn;
}

void rungs_hold(const MhaInstance& m, Tally& tally) {
  const auto check = [&]<class S>(const S&) {
    const std::vector<RungValues<S>> rungs = dm1_claims(m, MhaAnalysis<S>(m), every_rung);
    require_rungs(dm1_claim_infos(), rungs, tally);
    for (const RungValues<S>& r : rungs)
      for (const Item<S>& item : r.items) {
        const Ball lhs = to_ball(item.lhs), rhs = to_ball(item.rhs);
        if (r.id == "mha.dm1.kernel")
          require(lhs.is_exact() && lhs.contains_zero(), "the closed form is not the kernel");
        if (r.reflexive) require_overlap(r.id + " " + r.rung + ", which is an equality", lhs, rhs);
      }
  };
  check(DoubleBall());
  check(Ball());
}

}  // namespace

std::vector<Property> dm1_properties() {
  return {{"dm1.mixtures",
           "no closed form of the tokenized mixture is refuted; the kernel is exact",
           draw_mixture,
           500,
           rungs_hold,
           {}},
          {"dm1.other",
           "instances that are no mixture: reasons, and nothing refuted",
           draw_instance,
           200,
           rungs_hold,
           {}}};
}

}  // namespace heed::checks
