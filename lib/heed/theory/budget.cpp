// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/budget.hpp"

#include <algorithm>
#include <chrono>

namespace heed {

int first_precision(const Budget& budget) {
  // Structured eigenvalue bounds resolve about 0.135 decimal digits a bit of working precision.
  int bits = budget.start_bits;
  while (135L * bits / 1000 < budget.digits + 2 && 2L * bits <= budget.max_bits) bits *= 2;
  return std::min(bits, budget.max_bits);
}

bool lost_in_zero(const Ball& x) {
  return x.is_finite() && !x.is_exact() && !x.has_relative_digits(0);
}

bool has_digits(const Ball& x, const Budget& budget) {
  const int digits = budget.digits + 1;
  if (x.is_exact() || x.has_relative_digits(digits)) return true;
  return working_precision() >= budget.zero_bits && lost_in_zero(x) &&
         x.has_absolute_digits(digits);
}

bool escalate(const Budget& budget, const std::function<bool()>& step) {
  return escalate(budget, nullptr, step);
}

bool escalate(const Budget& budget, const std::function<bool()>& double_step,
              const std::function<bool()>& step) {
  const auto start = std::chrono::steady_clock::now();
  const auto settles = [&](int bits, const std::function<bool()>& attempt) {
    const PrecisionScope scope(bits);
    if (budget.on_precision) budget.on_precision(bits);
    return attempt();
  };
  const auto time_is_up = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return budget.seconds > 0 && spent.count() >= budget.seconds;
  };
  if (double_step && budget.double_tier) {
    if (settles(double_bits, double_step)) return true;
    if (time_is_up()) return false;
  }
  for (long bits = first_precision(budget);; bits *= 2) {
    if (settles(static_cast<int>(bits), step)) return true;
    if (2 * bits > budget.max_bits || time_is_up()) return false;
  }
}

}  // namespace heed
