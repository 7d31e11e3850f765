// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk.hpp"

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/rungs.hpp"
#include "checks/support/textbook.hpp"
#include "heed/linalg/product.hpp"

namespace heed::checks {
namespace {

void rungs_hold(const MhaInstance& m, Tally& tally) {
  const auto check = [&]<class S>(const S&) {
    require_rungs(ntk_claim_infos(), ntk_claims(MhaAnalysis<S>(m), every_rung), tally);
  };
  check(DoubleBall());
  check(Ball());
  const PrecisionScope scope(320);
  check(Ball());
}

/// Q and, for some points of the simplex, both bounds of gamma, from gradients written independently.
void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!Textbook::feasible(m)) {
    ++tally["textbook: not feasible"];
    return;
  }
  const KernelMargin found = ntk_margin(MhaModel<Ball>(mha_inputs<Ball>(m)));
  const KernelMargin in_double = ntk_margin(MhaModel<DoubleBall>(mha_inputs<DoubleBall>(m)));
  const auto exact = exact_ntk_margin(m);
  const PrecisionScope scope(Textbook::bits_for(m));
  const Textbook book(m);
  const std::size_t n = m.samples();
  Matrix<Ball> Q(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      Q(i, j) = Ball(m.y[i] * m.y[j]) * dot(book.phi_gradients[i], book.phi_gradients[j]);
  const auto contained = [&](const char* which, const KernelMargin& k) {
    Rational sum;
    for (const Rational& a : k.alpha) {
      require(a.sign() >= 0, std::string(which) + ": alpha is negative");
      sum += a;
    }
    require(sum == Rational(1), std::string(which) + ": alpha does not sum to 1");
    const auto at = [&](const std::vector<Rational>& alpha) {
      const KernelMargin b = kernel_margin_at(Q, alpha);
      require(!certainly(less(b.upper, k.lower)),
              std::string(which) + ": lower end " + text(k.lower) + " above " + text(b.upper));
      require(!certainly(less(k.upper, b.lower)),
              std::string(which) + ": upper end " + text(k.upper) + " below " + text(b.lower));
    };
    at(found.alpha);
    at(in_double.alpha);
    if (exact) at(exact->bounds.alpha);
    at(std::vector<Rational>(n, Rational(1, static_cast<long>(n))));
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<Rational> corner(n);
      corner[i] = Rational(1);
      at(corner);
    }
  };
  contained("balls", found);
  contained("double", in_double);
  if (exact) {
    contained("exact", exact->bounds);
    ++tally["exact"];
  }
  ++tally[found.separable()       ? "separable"
          : found.not_separable() ? "proved not separable"
                                  : "not decided"];
  if (found.separable() && is_tame(m))
    ++tally[found.gamma().has_relative_digits(20) ? "tame, 20 digits at 128 bits"
                                                  : "tame, fewer digits at 128 bits"];
}

}  // namespace

std::vector<Property> ntk_properties() {
  return {{"ntk.rungs",
           "no rung about the NTK margin is refuted, in double and at two precisions",
           draw_instance,
           500,
           rungs_hold,
           {}},
          {"ntk.textbook",
           "the NTK margin lies within the bounds of independent gradients",
           draw_instance,
           500,
           against_textbook,
           {}}};
}

}  // namespace heed::checks
