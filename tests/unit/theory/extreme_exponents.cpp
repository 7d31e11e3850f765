// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/data/read.hpp"
#include "heed/theory/verify.hpp"

namespace heed {

TEST_CASE("exponents beyond the range of long are cut off, so that they can be added") {
  const Ball huge =
      ldexp(Ball(1), (1L << 61)) * ldexp(Ball(1), (1L << 61)) * ldexp(Ball(1), (1L << 61));
  CHECK(approx::exponent(huge) == approx::exponent_limit);
  CHECK(approx::exponent(Ball(1) / huge) == -approx::exponent_limit);
  CHECK(approx::exponent(Ball(0)) < -approx::exponent_limit);
  CHECK(approx::exponent(Ball(3)) == 2);
}

TEST_CASE("losses of e^(10^18) refute nothing and leave the identities consistent") {
  const MhaInstance instance =
      read_mha_instance(std::string(HEED_TEST_DATA) + "/instances/huge_exponents.json");
  Budget budget;
  budget.digits = 1;
  budget.max_bits = 256;
  const VerifyReport report = verify(instance, budget);
  REQUIRE(!report.claims.empty());
  for (const ClaimResult& c : report.claims) {
    INFO(c.id << " " << c.rung);
    CHECK(c.verdict.kind != VerdictKind::refuted);
  }
  for (const IdentityResult& i : report.identities) CHECK(i.status != "inconsistent");
}

}  // namespace heed
