// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/moment.hpp"

#include <algorithm>

#include "checks/support/claims.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/textbook.hpp"

namespace heed::checks {
namespace {

const ClaimFamily family{&moment_claims<Ball>, &moment_claims<double>, &moment_claim_infos, {}};

Ball expectation(const std::vector<Ball>& a, const std::vector<Ball>& f) {
  Ball sum;
  for (std::size_t s = 0; s < a.size(); ++s) sum += a[s] * f[s];
  return sum;
}

std::vector<Ball> products(const std::vector<Ball>& f, const std::vector<Ball>& g) {
  std::vector<Ball> r(f.size());
  for (std::size_t s = 0; s < f.size(); ++s) r[s] = f[s] * g[s];
  return r;
}

Ball range(const std::vector<Ball>& f) {
  Ball low = f[0], high = f[0];
  for (const Ball& x : f) {
    low = min(low, x);
    high = max(high, x);
  }
  return high - low;
}

// Both sides of the three rungs from raw moments of v_t and z_t under every attention row.
void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!Textbook::feasible(m)) {
    ++tally["logits too large for the textbook forms"];
    return;
  }
  const auto rungs = moment_claims<Ball>(MhaAnalysis<Ball>(m), every_rung);
  const RungValues<Ball>& third = *find_rung(rungs, "moment.third", "third");
  const RungValues<Ball>& variance = *find_rung(rungs, "moment.third", "variance");
  const RungValues<Ball>& covariance = *find_rung(rungs, "moment.third", "covariance");
  const PrecisionScope scope(Textbook::bits_for(m));
  const Textbook book(m);
  const Ball c3 = sqrt(Ball(3)) / Ball(18);
  std::size_t item = 0;
  for (std::size_t i = 0; i < book.samples(); ++i)
    for (std::size_t h = 0; h < book.heads(); ++h)
      for (std::size_t t = 0; t < book.X[i].rows(); ++t, ++item) {
        std::vector<Ball> f, g;
        for (std::size_t s = 0; s < book.X[i].rows(); ++s) {
          Ball v, z;
          for (std::size_t b = 0; b < book.d; ++b) {
            v += book.U[h](t, b) * book.X[i](s, b);
            for (std::size_t c = 0; c < book.d; ++c)
              z += book.X[i](t, b) * book.W[h](b, c) * book.X[i](s, c);
          }
          f.push_back(v);
          g.push_back(z);
        }
        const std::vector<Ball> a = book.attention(i, h, t);
        const std::vector<Ball> gg = products(g, g);
        const Ball Ef = expectation(a, f), Eg = expectation(a, g), Egg = expectation(a, gg),
                   Efg = expectation(a, products(f, g));
        // E[(f - Ef)(g - Eg)^2] expanded in raw moments
        const Ball m3 = expectation(a, products(f, gg)) - Ef * Egg - Ball(2) * Eg * (Efg - Ef * Eg);
        const Ball F = range(f), Q = range(g);
        const std::string at = " (sample, head, row) = " + std::to_string(i) + ", " +
                               std::to_string(h) + ", " + std::to_string(t);
        require(item < third.items.size(), "moment.third: too few items");
        require_overlap("third moment" + at, third.items[item].lhs, abs(m3));
        require_overlap("third bound" + at, third.items[item].rhs, c3 * F * Q * Q);
        require_overlap("variance" + at, variance.items[item].lhs, Egg - Eg * Eg);
        require_overlap("variance bound" + at, variance.items[item].rhs, Q * Q / Ball(4));
        require_overlap("covariance" + at, covariance.items[item].lhs, abs(Efg - Ef * Eg));
        require_overlap("covariance bound" + at, covariance.items[item].rhs, F * Q / Ball(4));
        ++tally["attention rows"];
      }
  require(item == third.items.size(), "moment.third: too many items");
}

}  // namespace

std::vector<Property> moment_properties() {
  return {{"moment.rungs",
           "no moment inequality is refuted on any attention row; double agrees",
           draw_instance,
           1000,
           [](const MhaInstance& m, Tally& tally) { check_family(family, m, tally); },
           {}},
          {"moment.textbook",
           "moments and ranges enclose those of raw moments",
           draw_instance,
           500,
           against_textbook,
           {}}};
}

}  // namespace heed::checks
