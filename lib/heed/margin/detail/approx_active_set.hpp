// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/margin/detail/dual_active_set.hpp"

namespace heed::detail {

/// What a search in floating point ends with; nothing here is proved.
struct ApproxActiveSet {
  ActiveSetEnd end = ActiveSetEnd::iteration_limit;
  std::vector<std::size_t> active;  ///< rows in use; at the end `dependent` the last row as well
  std::vector<double> u;            ///< their multipliers (0 for a dependent row)
};

/// For few rows DualActiveSet; else dual coordinate descent for a first guess, then exchanges of
/// whole blocks that raise the dual objective, then DualActiveSet from there.
ApproxActiveSet approx_active_set(const GramSystem<double>& system);

/// DualActiveSet from a guess, in any scalar.
template <class S>
ApproxActiveSet run_dual_active_set(const GramSystem<S>& system,
                                    const std::vector<std::size_t>& guess) {
  DualActiveSet<S> solver(system);
  solver.start(guess);
  ApproxActiveSet result;
  result.end = solver.run(20 * system.m + 1000);
  result.active = solver.active();
  for (const S& u : solver.multipliers()) result.u.push_back(static_cast<double>(u));
  if (result.end == ActiveSetEnd::dependent) {
    result.active.push_back(solver.last_row());
    result.u.push_back(0);
  }
  return result;
}

}  // namespace heed::detail
