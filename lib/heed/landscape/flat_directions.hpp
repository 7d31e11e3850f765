// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/point.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// A family of directions in the trained coordinates along which the loss is constant, by balls that
/// contain the direction for every point of a box.
struct FlatFamily {
  std::string name;                           ///< `softmax (E W_Q B, -E W_K B^T), head 0`
  std::vector<std::vector<Ball>> directions;  ///< each of parameters() entries
};

/// Where a family is flat. at_the_point: on a curve through every point of the box. nearby: along a smooth
/// field of directions around every point of the box, the frozen coordinates moving too; these are
/// the families that no block owes to its frozen entries.
enum class FlatScope { at_the_point, nearby };

/// Tangents at the points of the box to the sets on which f is constant, as far as they are known:
///
///   softmax (Q, K)        (E W_Q B, -E W_K B^T)
///   gaussians (Q, K)      (E W_Q B, E W_K B), B skew
///   (V, O)                (W_V B, -B W_O)
///   t0  W_Q, W_K, W_V   z c^T with X_i z = 0 for all i
///   t1  softmax W_K     w c^T with X_i w a multiple of 1 for all i
///   t2  gaussians (Q, K)  (w c^T, w c^T), the same w
///   t3  W_V             Z with Z W_O = 0, W_O known exactly; W_O: Z with W_V Z = 0, W_V known exactly
///   t4  rows that sum to 1, W_Q, W_K known exactly: Z with X_i Z (X_i W_K)^T Pi = 0 for all i
///       softmax W_K, W_Q known exactly: Z with X_i W_Q Z^T X_i^T Pi = 0 for all i
///
/// with Pi = I - 11^T/n and X_i E = e_i X_i for numbers e_i (E = I, and more where samples are
/// independent of each other). "Known exactly": not trained, or
/// (at_the_point) every entry frozen. Where it is not, t3 and t4
/// hold with u c^T for the vectors c that W_O, X W_V, Pi X W_K or X W_Q cannot see for want of rows.
/// Guarantee: f is constant along a curve with that tangent through every point of the box, so that
/// grad f is orthogonal to it. Not guaranteed: that all such directions are found.
/// Note: proofs-notes/landscape.md, "Flat directions".
std::vector<FlatFamily> flat_families(const LandscapeProblem& problem, const PointBox& box,
                                      FlatScope scope = FlatScope::at_the_point);

/// Those that do not depend on the point of training and make up a linear space Z: a basis, exactly.
/// f(theta + z) = f(theta) for all theta and z in Z.
std::vector<std::vector<Rational>> fixed_flat_space(const LandscapeProblem& problem);

/// Proves that the flat directions, cut down to the frozen coordinates F, span R^F at every point of
/// the box; a gradient that vanishes in the free coordinates then vanishes altogether. With the scope
/// nearby, a local minimum in the slice of the frozen coordinates is one of all trained coordinates.
/// proved, not_applicable (with the reason), never refuted. Nothing frozen: proved.
Verdict transversality(const LandscapeProblem& problem, const PointBox& box,
                       FlatScope scope = FlatScope::at_the_point);

/// Coordinates that make the loss isolated where they are frozen, as far as flat directions are known:
/// the pivots of an elimination of the tangents at the centre. A candidate; `transversality` proves.
std::vector<std::size_t> approx_gauge(const LandscapeProblem& problem,
                                      const std::vector<Rational>& centre);

}  // namespace heed
