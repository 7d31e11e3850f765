// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/detail/curvature_range.hpp"
#include "heed/landscape/trap.hpp"

namespace heed::detail {

/// What the theorem `curvature` of proofs-notes/landscape.md says of f on B around a point c in it.
struct CurvatureBounds {
  std::vector<CurvatureRange> ranges;  ///< over c + i/k (B - c), i = 1 .. k
  Ball centre_loss, slope;             ///< f(c), |grad f(c)|
  Ball mean, plain_mean;               ///< lower bounds m and a
  bool applies = false;                ///< m > 0 and delta m > |grad f(c)|
  Ball boundary, region;               ///< lower bounds of f, if it applies
  bool one_minimum = false;            ///< exactly one stationary point in B
};

/// `ranges` over the scaled regions; `inner`: delta, the distance of c from the boundary of B.
CurvatureBounds curvature_bounds(const LandscapeProblem& problem,
                                 const std::vector<Rational>& centre, const Rational& inner,
                                 std::vector<CurvatureRange> ranges);

/// c + s (B - c): a box, or the box around the ball around c.
ScaledRegion scaled_region(const TrapRegion& region, const std::vector<Rational>& centre,
                           const Rational& scale);

/// Why no bounded region can hold gradient descent with these blocks; empty if that is not known.
std::string unbounded_orbit(const LandscapeProblem& problem);

/// Whether descent in a trap fails forever; `differs`: an untrained block in which the witness does.
Verdict fails_forever(const Verdict& trap, const Ball& region_loss, bool has_witness,
                      const std::string& differs, const Ball& witness_loss);

}  // namespace heed::detail
