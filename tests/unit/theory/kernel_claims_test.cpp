// SPDX-License-Identifier: Apache-2.0
// All claims of kernel attention on the reference files, with softmax and gaussian.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "heed/numeric/precision.hpp"
#include "heed/theory/kernel_convergence.hpp"
#include "heed/theory/verify_kernel.hpp"
#include "unit/attention/kernel_support.hpp"

using namespace heed;
using namespace heed::test;

namespace {

const char* const underflow = "kernel_05_underflow.json";

KernelVerifyReport verified(const KernelInstance& instance, AttentionKernel kernel,
                            int digits = 15) {
  Budget budget;
  budget.digits = digits;
  return verify(instance, kernel, budget);
}

const ClaimResult& claim(const KernelVerifyReport& r, const std::string& id,
                         const std::string& rung) {
  for (const ClaimResult& c : r.claims)
    if (c.id == id && c.rung == rung) return c;
  throw std::out_of_range(id + " " + rung);
}

// A decimal of 50 digits, of numbers computed with an error of 1e-45 `scale`.
Ball reference(const Rational& value, const Rational& scale) {
  return Ball(value) + Ball::symmetric(Ball(abs(value) * Rational::parse("1e-48") +
                                            scale * Rational::parse("1e-45")));
}

}  // namespace

TEST_CASE("kernel claims: no rung is refuted or left open on a reference file") {
  std::set<std::string> proved;
  std::size_t rungs = 0;
  for (const KernelFixture& f : kernel_fixtures())
    for (const AttentionKernel kernel :
         {AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
          AttentionKernel::gaussian_normalised}) {
      INFO(f.file << " " << kernel_word(kernel));
      const KernelVerifyReport r = verified(f.instance, kernel);
      CHECK(!r.budget_ended);
      CHECK(exit_status(r.claims) == 0);
      for (const ClaimResult& c : r.claims) {
        INFO(c.id << " " << c.rung << ": " << c.verdict.reason);
        CHECK(c.verdict.kind != VerdictKind::refuted);
        CHECK((c.verdict.kind != VerdictKind::undecided || c.verdict.equality));
        if (c.verdict.kind == VerdictKind::proved) proved.insert(c.id + " " + c.rung);
        CHECK((c.verdict.kind != VerdictKind::not_applicable || !c.verdict.reason.empty()));
      }
      for (const IdentityResult& i : r.identities) CHECK(i.status != "inconsistent");
      rungs = r.claims.size();
    }
  // Equality, or conditions of other instances (kernel_constants_test.cpp); all else speaks somewhere.
  std::vector<std::string> silent;
  for (const ClaimInfo& info : claim_index())
    for (const RungInfo& rung : info.rungs)
      if (info.id.starts_with("kernel.") && proved.count(info.id + " " + rung.name) == 0)
        silent.push_back(info.id + " " + rung.name);
  CHECK(rungs == 42);
  CHECK(silent == std::vector<std::string>{"kernel.rank.tied_qk gershgorin",
                                           "kernel.init_condition.all rate",
                                           "kernel.init_condition.all distance"});
}

TEST_CASE("kernel claims: constants of the reference files at 12 and 40 digits") {
  for (const int digits : {12, 40})
    for (const KernelFixture& f : kernel_fixtures())
      for (const KernelValues& v : f.values) {
        INFO(f.file << " " << kernel_word(v.kernel) << " at " << digits << " digits");
        const KernelVerifyReport r = verified(f.instance, v.kernel, digits);
        const KernelQuantities& q = r.quantities;
        const PrecisionScope scope(std::max(r.bits, 256));
        const bool relative = f.file == underflow;
        CHECK(q.loss.overlaps(reference(v.loss, Rational(0))));
        CHECK((q.loss.has_relative_digits(digits) || v.loss.sign() == 0));
        for (const auto& [word, value] : v.gradient_squared)
          CHECK(q.gradient_squared.at(word).overlaps(reference(value, relative ? 0 : 1)));
        for (const auto& [word, g] : v.grams) {
          INFO(word);
          const Extremes<Ball>& found = q.pl.at(word);
          const Rational scale = relative ? Rational(0) : g.largest;
          CHECK(found.largest.overlaps(reference(g.largest, scale)));
          CHECK(found.least.overlaps(reference(g.least, scale)));
          CHECK((found.largest.has_relative_digits(digits) || g.largest.sign() == 0));
          CHECK(r.facts->rank_bound(*KernelBlocks::parse(word)) >= v.ranks.at(word));
          if (v.ratios.count(word) == 0) continue;
          CHECK(found.least.has_relative_digits(digits));
          Ball squared;
          for (const auto& [block, x] : q.gradient_squared)
            if (word == "all" || block == word) squared += x;
          const Ball ratio = squared / (Ball(2) * found.least * q.loss);
          CHECK(ratio.overlaps(reference(v.ratios.at(word), scale / g.least)));
        }
      }
}

TEST_CASE("kernel claims: singular values of features and of W_O") {
  const PrecisionScope scope(256);
  for (const KernelFixture& f : kernel_fixtures())
    for (const KernelValues& v : f.values) {
      INFO(f.file << " " << kernel_word(v.kernel));
      const KernelAnalysis<Ball> a(std::make_shared<const KernelFacts>(f.instance, v.kernel));
      for (std::size_t h = 0; h < f.instance.heads(); ++h) {
        const Rational most = v.sigma_B[h].front() * v.sigma_B[h].front();
        CHECK(a.spectral_squared(a.features(h)).overlaps(reference(most, most)));
        if (a.features(h).rows() <= a.features(h).cols()) {
          const Rational least = v.sigma_B[h].back() * v.sigma_B[h].back();
          CHECK(a.least_squared(a.features(h)).overlaps(reference(least, most)));
        }
        const Rational O = v.sigma_O[h].front() * v.sigma_O[h].front();
        CHECK(a.spectral_squared(a.model().weights().W_O[h]).overlaps(reference(O, O)));
        if (f.instance.value_dim() >= f.instance.output_dim()) {
          const Rational least = v.sigma_O[h].back() * v.sigma_O[h].back();
          CHECK(a.least_squared_W_O(h).overlaps(reference(least, O)));
        }
      }
    }
}

TEST_CASE("kernel claims: attention below every double, and still not stationary") {
  const KernelFixture f = kernel_fixture(underflow);
  const KernelVerifyReport r = verified(f.instance, AttentionKernel::gaussian);
  const PrecisionScope scope(256);
  CHECK(r.underflow);
  CHECK(r.quantities.not_stationary);
  const Ball& squared = r.quantities.gradient_squared.at("W_Q");
  CHECK(certainly(positive(squared)));
  const Ball scaled = squared * power_of_ten(17367);
  CHECK(approx::to_double(scaled) == Approx(2.1610619773).epsilon(1e-10));
  CHECK(scaled.has_relative_digits(15));
  CHECK(claim(r, "kernel.pl_block", "W_Q").verdict.kind == VerdictKind::proved);
  CHECK(approx::to_double(claim(r, "kernel.pl_block", "W_Q").shown.tightness()) ==
        Approx(1 / 1.3).epsilon(1e-12));
}

TEST_CASE("kernel claims: mu = 0 for an exact reason is exactly 0") {
  // W_Q = W_K = 0, n = 2: features of rank N.
  const KernelVerifyReport zero =
      verified(kernel_fixture("kernel_04_zero_qk.json").instance, AttentionKernel::gaussian);
  for (const auto& [word, e] : zero.quantities.pl) {
    INFO(word);
    CHECK(e.least.is_exact());
    CHECK(e.least.contains_zero());
  }
  const ClaimResult& value = claim(zero, "kernel.pl_block", "W_V");
  CHECK(value.verdict.kind == VerdictKind::not_applicable);
  CHECK(value.verdict.reason == "mu of W_V = 0: the rank of J is at most 2 < 4");
  CHECK(claim(zero, "kernel.zero_qk", "rank").verdict.kind == VerdictKind::proved);
  CHECK(claim(zero, "kernel.pl_value_only", "general").verdict.kind == VerdictKind::proved);
  // p = n = 2, one head: no softmax W_Q-only constant, a gaussian one.
  const KernelFixture pl = kernel_fixture("kernel_11_query_pl.json");
  const KernelVerifyReport soft = verified(pl.instance, AttentionKernel::softmax),
                           gauss = verified(pl.instance, AttentionKernel::gaussian);
  CHECK(soft.facts->obstruction.is_proved());
  CHECK(soft.quantities.pl.at("W_Q").least.is_exact());
  CHECK(claim(gauss, "kernel.pl_query_only", "gram").verdict.kind == VerdictKind::proved);
  // D = 2 < N n = 4 and full row rank: D >= N n is not necessary for two heads.
  const KernelVerifyReport cover =
      verified(kernel_fixture("kernel_09_heads_cover.json").instance, AttentionKernel::softmax);
  CHECK(cover.facts->common_W_O.is_proved());
  CHECK(certainly(positive(cover.quantities.pl.at("W_V").least)));
  const ClaimResult& common = claim(cover, "kernel.pl_value_only", "common");
  CHECK(common.verdict.equality);
  CHECK(claim(cover, "kernel.pl_value_only", "factored").verdict.kind ==
        VerdictKind::not_applicable);
}
