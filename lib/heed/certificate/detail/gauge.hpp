// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::detail {

/// A flat direction as certificates name it (proofs-notes/certificates.md, section 7.4).
struct GaugeDirection {
  std::string word;                 ///< `shift`, `turn` or `mix`
  std::vector<Rational> numbers;    ///< the direction, or the matrix B, row-major
  std::optional<std::size_t> head;  ///< not of a shift
};

/// As many as there are frozen coordinates, independent there at the centre of the box; if possible
/// only directions that are flat around the point.
/// Errors: std::invalid_argument if those that certificates can name do not suffice.
std::vector<GaugeDirection> gauge_directions(const LandscapeProblem& problem, const PointBox& box);

}  // namespace heed::detail
