// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed {

struct SearchOptions {
  std::uint64_t seed = 1;
  int starts = 64;        ///< random starts, and the instance's own weights
  double spread = 1.5;    ///< standard deviation of a start; also half of it, and twice
  int iterations = 200;   ///< Newton steps a start
  std::size_t most = 64;  ///< distinct candidates that are kept
  double work = 3e10;     ///< operations of Newton steps, roughly, after which no start is begun
};

namespace approx {

/// A point of small gradient, found in double.
struct Candidate {
  std::vector<double> point;
  double loss = 0, gradient_norm = 0;
  std::vector<double> invariants;  ///< attention and outputs: equal for points of one orbit
  int hits = 1;                    ///< starts that ended here
};

struct SearchStatistics {
  int starts = 0, converged = 0, diverged = 0;  ///< starts: that were made
  int underflow = 0;  ///< rejected: attention underflows there, a small gradient means nothing
  std::size_t distinct = 0;
};

/// Stationary points by damped Newton iterations from random starts: half of them descend to minima,
/// half solve grad f = 0 whatever its index; all descend where a start may take an eighth of the work.
/// By rising loss; the same for the same seed. Nothing here
/// is certain.
std::vector<Candidate> find_candidates(const LandscapeProblem& problem,
                                       const SearchOptions& options, SearchStatistics& statistics);

/// The best of the instance's weights, of descents in double from random starts and of the candidates,
/// rounded to `bits` bits after the binary point: a candidate for a witness. No further start is made
/// once the loss is 0 but for rounding, or after the work of SearchOptions.
std::vector<Rational> low_point(const LandscapeProblem& problem, std::uint64_t seed, int starts,
                                const std::vector<Candidate>& candidates = {}, int bits = 20);

/// Newton iterations in balls in the free coordinates, until the step is below 10^-(digits+3), then
/// rounded to `digits` decimals. Nothing if they do not converge. Precision: about 3.3 digits + 96 bits.
std::optional<std::vector<Rational>> refine(const LandscapeProblem& problem,
                                            std::vector<Rational> centre,
                                            const std::vector<std::size_t>& frozen, int digits);

}  // namespace approx
}  // namespace heed
