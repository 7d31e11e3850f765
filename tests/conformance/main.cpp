// SPDX-License-Identifier: Apache-2.0
// Containment checks as a program without a test framework, to be built by every compiler at every
// level of optimisation that we ship.

#include <cstdio>

#include "heed/numeric/selftest.hpp"

int main() {
  std::size_t cases = 0, failures = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const heed::SelfTest& t : heed::numeric_selftest(seed)) {
      cases += t.cases;
      failures += t.failures;
      if (t.failures > 0)
        std::printf("%s: %zu of %zu failed\n", t.name.c_str(), t.failures, t.cases);
    }
  std::printf("%zu cases, %zu failures\n", cases, failures);
  return failures == 0 && cases > 0 ? 0 : 1;
}
