// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_inputs.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/selftest.hpp"

namespace conformance {

/// An instance with all that the kernels enclose, by the generic formulas in balls.
struct MhaCase {
  MhaCase(const heed::MhaInstance& instance, std::string name, double tightness);
  /// Largest difference between two logits of a row.
  double largest_gap() const;

  std::string name;
  double tightness;  ///< radii must be below this part of the largest entry, or of the norm
  heed::MhaInputs<double> inputs;
  heed::MhaModel<heed::Ball> exact;
  heed::Ball loss, mean_slope, least, largest;
  std::vector<heed::Ball> gradient;
  std::vector<double> direction;  ///< of the Rayleigh quotient below
  heed::Ball rayleigh_quotient;
};

/// Shapes (4, 4) and (8, 8), which have kernels of their own, and others; gaps of 800 between
/// logits, zero tokens, equal tokens.
std::vector<MhaCase> mha_cases();

/// Containment and width of Phi, |l'|, L, grad L, hess L, its Rayleigh quotients and its extreme
/// eigenvalues. Where the environment does not round to nearest: refusal by EnclosedMha, containment
/// by everything that starts from a finished Hessian.
heed::SelfTest check(const MhaCase& c, const std::string& instruction_set,
                     const heed::FloatEnvironment& environment);

/// Refusal where only the vector unit, which fegetround does not see, rounds in another direction.
heed::SelfTest check_vector_rounding(const MhaCase& c);

}  // namespace conformance
