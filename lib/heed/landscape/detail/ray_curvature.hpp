// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "heed/landscape/detail/hessian_series.hpp"
#include "heed/landscape/trap.hpp"

namespace heed::detail {

/// Largest number of coordinates for the series (it costs the cube of them); copies of B otherwise.
inline constexpr std::size_t most_of_series = 48, scales = 16, separate_scales = 64;

/// Bounds of the Hessian of f over B and along rays from a point c in it, with v = theta - c:
/// M(v) = int 2 (1 - t) Hess f(c + t v) dt, N(v) = int Hess f(c + t v) dt, t from 0 to 1.
/// Lower ones hold across the fixed flat directions that were given. Infinite where nothing is known.
class RayCurvature {
 public:
  virtual ~RayCurvature() = default;
  virtual double mean() const = 0;           ///< m: <v, M(v) v> >= m |v|^2 for c + v in B
  virtual double plain_mean() const = 0;     ///< a: <v, N(v) v> >= a |v|^2
  virtual CurvatureRange whole() const = 0;  ///< of Hess f on B
  /// Of Hess f, from below, and of M(v), from above, on c + s (B - c), 0 < s <= 1.
  virtual double least_within(double s) const = 0;
  virtual double most_mean_within(double s) const = 0;
};

/// B: a box, or a ball around `centre` (see TrapRegion), without a frame.
/// By enclosures over k copies of B; where f is a sum over single coordinates, over k cells of each.
std::unique_ptr<RayCurvature> interval_curvature(const LandscapeProblem& problem,
                                                 const TrapRegion& region,
                                                 const std::vector<Rational>& centre, std::size_t k,
                                                 const FlatBasis& flat = {});
/// By the series of the Hessian at c.
std::unique_ptr<RayCurvature> series_curvature(const LandscapeProblem& problem,
                                               const TrapRegion& region,
                                               const std::vector<Rational>& centre,
                                               const FlatBasis& flat = {});

/// What the theorem `curvature` of proofs-notes/landscape.md says of f on B.
struct CurvatureBounds {
  Ball centre_loss, slope;   ///< f(c), |grad f(c)|, upper bound
  bool applies = false;      ///< m > 0 and delta m > |grad f(c)|
  Ball boundary, region;     ///< lower bounds of f, if it applies
  bool one_minimum = false;  ///< exactly one stationary point in B
};
/// `inner`: delta, the distance of c from the boundary of B.
CurvatureBounds curvature_bounds(const LandscapeProblem& problem,
                                 const std::vector<Rational>& centre, const Rational& inner,
                                 const RayCurvature& curvature);

/// True if each group of trap_groups is one coordinate: the Hessian is diagonal.
bool is_separate(const LandscapeProblem& problem);

/// For such a problem: how many cells of width `step`, at most `most`, f grows through from c in every
/// coordinate, both ways. Approximate.
std::size_t growing_cells(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                          const Rational& step, std::size_t most);

}  // namespace heed::detail
