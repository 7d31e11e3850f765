// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/data/generate.hpp"
#include "heed/data/query_instance.hpp"

namespace heed {

/// Data for attention with one query an input.
struct QuerySpec {
  enum class Data {
    /// Tokens, queries and v of norm 1 (up to rounding), Gaussian directions: the set-up of the published
    /// notebooks. Selected: the token of the largest score.
    unit,
    /// Tokens exactly orthonormal within each input (rational entries); queries and v as for unit.
    /// Needs T <= d.
    orthonormal,
    /// Hypothesis E: all unselected tokens of an input have the same score, 1 below the selected one's.
    /// Gaussian tokens and queries. Needs d >= 2.
    equal_scores,
    /// Every constraint of the Frobenius problem is active with a positive multiplier (hypothesis S): the
    /// matrices A_k are mutually orthogonal. The selected token has the largest score. Needs
    /// T - 1 <= d and n <= d.
    all_support
  };
  Data data = Data::unit;
  std::size_t inputs = 6;
  std::size_t tokens = 8;
  std::size_t dim = 10;
  bool self = false;  ///< queries z_i = x_i0; unit and orthonormal only
  Labels labels = Labels::coin;
  std::uint64_t seed = 1;
};

/// Generator of instances without weights; reproducibility and errors as those of generate.hpp.
QueryInstance generate_query(const QuerySpec& spec);

/// Gives the instance one point: W with entries sd N(0, 1) (doubles), the linear head and `loss`.
void set_gaussian_point(QueryInstance& instance, double sd, QueryLoss loss, std::uint64_t seed);

}  // namespace heed
