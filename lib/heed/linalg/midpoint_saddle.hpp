// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/linalg/point_saddle.hpp"
#include "heed/numeric/double_ball.hpp"

namespace heed {

/// The midpoints of blockdiag(blocks) + J^T J, with a perturbation that covers every matrix inside the
/// enclosures: max_h (|dM_h|_F + |dK_h|_F) + |dJ|_F (2 |J|_F + |dJ|_F), d.. the radii. Not finite
/// (PointSaddle::is_finite) if nothing is known of an entry.
PointSaddle midpoint_saddle(const std::vector<SaddleBlock<DoubleBall>>& blocks,
                            const Matrix<DoubleBall>& J);

}  // namespace heed
