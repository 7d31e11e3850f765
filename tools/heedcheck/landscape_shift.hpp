// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "landscape_point.hpp"

namespace heedcheck {

// The tokens of sample i, n x D.
Matrix<mpq_class> sample(const Layer& layer, std::size_t i);
// Zero iff all rows are equal.
Matrix<mpq_class> less_first_row(Matrix<mpq_class> a);

// Whether the shift t meets the conditions of section 7.4 in every head; frozen_counts: blocks that are
// frozen as a whole are known too, and f is constant along t at the box alone.
bool is_flat(const Rationals& t, const Layer& layer, const PointBox& box, bool frozen_counts);

}  // namespace heedcheck
