// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heed {

/// How the processor computes with doubles on this thread: set by fesetround, by compilers' fast-math
/// start-up code in any library of the process, or by hand. New threads inherit it.
///
/// Balls enclose in every environment (only the radii of some wide exponentials differ); rationals,
/// their conversions and printed decimals are the same. Whatever takes a candidate, a choice or an
/// input from double arithmetic (reading files, eigenvalues, whole analyses) refuses to run in any
/// but the standard one.

/// True if doubles are rounded to nearest; whether subnormal numbers are kept does not matter.
/// Found by computing, not by asking: fegetround does not see a mode that only the vector unit has.
bool rounds_to_nearest();

/// "" in the standard environment: rounding to nearest, subnormal numbers kept. Otherwise what differs.
/// Found by computing, not by asking: fegetround sees half of what there is. A few nanoseconds.
std::string float_environment_deviation();

/// Throws std::runtime_error, which says what differs and what to do, unless the environment is
/// standard.
void require_standard_float_environment();

/// One environment that this processor offers.
struct FloatEnvironment {
  const char* name;  ///< such as "rounding upward, subnormals flushed"
  int rounding;      ///< FE_TONEAREST, FE_UPWARD, ...
  bool flush;        ///< results and operands below 2^-1022 become 0 (FTZ and DAZ; x86 only)
};

/// All of them, the standard one first.
std::vector<FloatEnvironment> float_environments();

/// Sets an environment for the lifetime of the object; for tests.
class FloatEnvironmentScope {
 public:
  explicit FloatEnvironmentScope(const FloatEnvironment& environment);
  ~FloatEnvironmentScope();
  FloatEnvironmentScope(const FloatEnvironmentScope&) = delete;
  FloatEnvironmentScope& operator=(const FloatEnvironmentScope&) = delete;

 private:
  int rounding_;
  unsigned control_ = 0;
};

}  // namespace heed
