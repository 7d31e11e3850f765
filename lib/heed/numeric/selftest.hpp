// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// Outcome of one group of containment checks.
struct SelfTest {
  std::string name;
  std::size_t cases = 0, failures = 0;
  void expect(bool holds) {
    ++cases;
    failures += holds ? 0 : 1;
  }
};

/// Re-checks on this machine and build what every verdict rests on: double arithmetic is IEEE 754
/// with rounding to nearest; balls contain exact rational results and MPFR's correctly rounded values
/// of elementary functions at three times the precision, and are narrow; enclosures in double contain
/// exact results whatever the rounding mode; decimals enclose.
/// Deterministic in the seed; about 0.1 s.
std::vector<SelfTest> numeric_selftest(std::uint64_t seed);

/// The same in every environment of the processor (rounding mode, subnormals flushed or kept), one
/// entry each: containment; the conversions and decimals of the standard environment, and its balls up
/// to radii (Arb computes those of a few wide exponentials in doubles, with a margin); and outside of
/// the standard environment the refusal of whatever would trust a double. About 0.3 s.
std::vector<SelfTest> environment_selftest(std::uint64_t seed);

}  // namespace heed
