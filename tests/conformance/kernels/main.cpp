// SPDX-License-Identifier: Apache-2.0
// Containment, width and refusals of the enclosures in double, for the kernels that this program was
// linked with. Compiled once; the kernels are compiled by every compiler at every level.

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <set>
#include <string>

#include "heed/attention/mha_fast.hpp"
#include "heed/numeric/precision.hpp"
#include "mha_case.hpp"
#include "saddles.hpp"

namespace {

struct Total {
  std::size_t cases = 0, failures = 0;

  void add(const heed::SelfTest& t) {
    cases += t.cases;
    failures += t.failures;
    if (t.failures > 0 || t.cases == 0)
      std::printf("%s: %zu of %zu failed\n", t.name.c_str(), t.failures, t.cases);
  }
};

// A set that this processor lacks is replaced by another one, which is in the list already.
std::set<std::string> instruction_sets(const conformance::MhaCase& c) {
  std::set<std::string> sets;
  for (const char* set : {"baseline", "avx2", "avx512"})
    sets.insert(heed::approx::FastMha(c.inputs, set).instruction_set());
  return sets;
}

}  // namespace

int main() {
  const heed::PrecisionScope precision(320);
  const std::vector<conformance::MhaCase> cases = conformance::mha_cases();
  Total total;
  double gap = 0;
  for (const conformance::MhaCase& c : cases) gap = std::max(gap, c.largest_gap());
  total.add({"a gap of 800 between logits", 1, gap >= 800 ? 0u : 1u});
  const std::set<std::string> sets = instruction_sets(cases.front());
  for (const heed::FloatEnvironment& e : heed::float_environments()) {
    total.add(conformance::check_saddles(e));
    for (const std::string& set : sets)
      for (const conformance::MhaCase& c : cases) total.add(conformance::check(c, set, e));
  }
  total.add(conformance::check_vector_rounding(cases.front()));
  std::printf("kernels:");
  for (const std::string& set : sets) std::printf(" %s", set.c_str());
  std::printf(", %zu cases, %zu failures\n", total.cases, total.failures);
  return total.failures == 0 ? 0 : 1;
}
