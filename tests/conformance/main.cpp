// SPDX-License-Identifier: Apache-2.0
// Containment checks as a program without a test framework, to be built by every compiler at every
// level of optimisation that we ship.

#include <cstdio>

#include "forms.hpp"

namespace {

struct Total {
  std::size_t cases = 0, failures = 0;

  void add(const std::vector<heed::SelfTest>& tests) {
    for (const heed::SelfTest& t : tests) {
      cases += t.cases;
      failures += t.failures;
      if (t.failures > 0 || t.cases == 0)
        std::printf("%s: %zu of %zu failed\n", t.name.c_str(), t.failures, t.cases);
    }
  }
};

}  // namespace

int main() {
  Total total;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    total.add(heed::numeric_selftest(seed));
    total.add(heed::environment_selftest(seed));
  }
  for (const heed::FloatEnvironment& e : heed::float_environments())
    total.add(conformance::forms(e));
  std::printf("%zu cases, %zu failures\n", total.cases, total.failures);
  return total.failures == 0 && total.cases > 0 ? 0 : 1;
}
