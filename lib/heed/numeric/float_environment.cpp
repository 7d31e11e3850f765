// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/float_environment.hpp"

#include <cfenv>
#include <stdexcept>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define HEED_HAS_MXCSR 1
#endif

namespace heed {

bool rounds_to_nearest() {
  // volatile: the compiler folds in the standard environment.
  volatile double one = 1, tiny = 0x1p-60;
  const double up = one + tiny, down = one - tiny;
  return up == 1 && down == 1 && std::fegetround() == FE_TONEAREST;
}

std::string float_environment_deviation() {
  volatile double least = 0x1p-1074, normal = 0x1p-1022, half = 0.5;
  const double denormal = normal * half, doubled = least + least;
  const bool kept = denormal + denormal == 0x1p-1022 && doubled == 0x1p-1073 && doubled > 0;
  std::string text;
  if (!rounds_to_nearest()) text = "doubles are not rounded to nearest";
  if (!kept) text += std::string(text.empty() ? "" : " and ") + "subnormal doubles become 0";
  return text;
}

void require_standard_float_environment() {
  const std::string deviation = float_environment_deviation();
  if (!deviation.empty())
    throw std::runtime_error(
        "the processor is set up so that " + deviation +
        "; nothing is computed like this. Call std::fesetenv(FE_DFL_ENV) first, and look for a "
        "library of this process that was built with -ffast-math or calls fesetround");
}

std::vector<FloatEnvironment> float_environments() {
  std::vector<FloatEnvironment> all{{"standard", FE_TONEAREST, false},
                                    {"rounding upward", FE_UPWARD, false},
                                    {"rounding downward", FE_DOWNWARD, false},
                                    {"rounding toward zero", FE_TOWARDZERO, false}};
#ifdef HEED_HAS_MXCSR
  all.insert(all.end(), {{"subnormals flushed", FE_TONEAREST, true},
                         {"rounding upward, subnormals flushed", FE_UPWARD, true},
                         {"rounding downward, subnormals flushed", FE_DOWNWARD, true},
                         {"rounding toward zero, subnormals flushed", FE_TOWARDZERO, true}});
#endif
  return all;
}

FloatEnvironmentScope::FloatEnvironmentScope(const FloatEnvironment& environment)
    : rounding_(std::fegetround()) {
#ifdef HEED_HAS_MXCSR
  control_ = _mm_getcsr();
  constexpr unsigned flush_results = 0x8000, flush_operands = 0x0040;
  const unsigned kept = control_ & ~(flush_results | flush_operands);
  _mm_setcsr(environment.flush ? kept | flush_results | flush_operands : kept);
#endif
  std::fesetround(environment.rounding);
}

FloatEnvironmentScope::~FloatEnvironmentScope() {
  std::fesetround(rounding_);
#ifdef HEED_HAS_MXCSR
  _mm_setcsr(control_);
#endif
}

}  // namespace heed
