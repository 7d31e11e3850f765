// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/curvature_test.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/landscape/search.hpp"
#include "heed/landscape/stationary.hpp"
#include "heed/landscape/stationary_exact.hpp"
#include "heed/landscape/trap_ball.hpp"

namespace heed {

struct LandscapeOptions {
  SearchOptions search;
  int digits = 20;  ///< decimals of a centre
  int bits = 128;   ///< working precision, doubled up to max_bits where nothing is decided
  int max_bits = 1024;
  Rational radius = Rational(1, 1'000'000'000);  ///< tried first, then smaller ones
  bool witnesses = true;                         ///< try to certify non_global
  bool traps = true;  ///< find the widest trap around local minima that are not global
};

/// What is certified of a point. `unknown` says nothing: neither that it is stationary nor what it is.
/// minimum_modulo_gauge: a local minimum, strict modulo flat directions. minimum_in_slice: with the
/// frozen coordinates held fixed, and a stationary point of all.
enum class PointKind {
  unknown,
  stationary,
  strict_minimum,
  minimum_modulo_gauge,
  minimum_in_slice,
  not_minimum,
  saddle
};
/// `strict local minimum`, ...
const char* to_string(PointKind kind);

/// All that was certified of one point.
struct PointReport {
  PointBox box;
  int hits = 0;  ///< starts of the search that ended here
  PointKind kind = PointKind::unknown;
  Ball loss;           ///< contains f on the box
  std::string reason;  ///< why the kind is not known further
  StationaryResult stationary;
  /// Where the centre is a point of rational attention.
  std::optional<ExactStationaryResult> exact;
  CurvatureResults curvature;
  std::optional<NonGlobalResult> non_global;
  std::optional<TrapBall> trap;  ///< of a local minimum that is proved not global
  int bits = 0;                  ///< working precision of the decisions
};

struct LandscapeReport {
  AttentionKernel kernel = AttentionKernel::softmax;
  KernelBlocks trained;
  std::vector<PointReport> points;  ///< by rising loss
  approx::SearchStatistics statistics;
  std::optional<std::vector<Rational>> low_point;  ///< the witness that was tried
  Ball low_loss;
  std::vector<std::string> notes;
};

/// Finds stationary points from random starts and certifies each: stationary, kind, non-global.
/// Guarantee: every verdict `proved` is a theorem; nothing is said about points that were not found.
/// Errors: std::invalid_argument if no block is trained.
LandscapeReport analyse(const LandscapeProblem& problem, const LandscapeOptions& options);

/// Certifies one point; the frozen coordinates are chosen if the box names none and there are flat
/// directions. A radius of 0 is chosen; otherwise box and centre are taken as they are. Where that proves
/// nothing, but the centre (with a radius of 0: a dyadic point close by) is a stationary point of rational
/// attention, the report is about that point: radius 0, nothing frozen.
PointReport certify_point(const LandscapeProblem& problem, PointBox box,
                          const LandscapeOptions& options,
                          const std::optional<KernelWeights<Rational>>& witness = {});

}  // namespace heed
