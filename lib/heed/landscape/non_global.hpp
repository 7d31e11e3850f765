// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// landscape.non_global: a witness theta' with sup f(theta') < inf f(box). The witness may differ from
/// the centre in frozen coordinates, which are trained, and agrees exactly in the untrained blocks.
struct NonGlobalResult {
  Verdict verdict;  ///< proved, undecided, or not_applicable: an untrained block differs
  KernelWeights<Rational> witness;
  Ball loss, witness_loss;  ///< f on the box, f(theta')
  Ball gap;                 ///< lower bound of f(box) - f(theta'), as a point
};

/// Certifies at the working precision. The box stands for one point where it is a certified
/// stationary one. Errors: std::invalid_argument for shapes that do not fit.
NonGlobalResult certify_non_global(const LandscapeProblem& problem, const PointBox& box,
                                   const KernelWeights<Rational>& witness);
/// The same at an exact point.
NonGlobalResult certify_non_global(const LandscapeProblem& problem,
                                   const std::vector<Rational>& point,
                                   const KernelWeights<Rational>& witness);

/// The word of an untrained block in which the witness is not the instance; empty if there is none.
/// Errors: std::invalid_argument for shapes that do not fit.
std::string differing_untrained_block(const LandscapeProblem& problem,
                                      const KernelWeights<Rational>& witness);

namespace approx {}  // namespace approx
}  // namespace heed
