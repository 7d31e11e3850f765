// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/data/instance.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"

namespace heed::checks {

/// Throws Failure with the message.
[[noreturn]] void fail(const std::string& message);
void require(bool condition, const std::string& message);

/// Two enclosures of one number. Values that are not finite bound nothing and are accepted.
void require_overlap(const std::string& what, const Ball& a, const Ball& b);
void require_overlap(const std::string& what, const std::vector<Ball>& a,
                     const std::vector<Ball>& b);
void require_overlap(const std::string& what, const Matrix<Ball>& a, const Matrix<Ball>& b);

/// Relative width at most 10^-digits, unless 0 lies in x.
void require_narrow(const std::string& what, const Ball& x, int digits = 12);
void require_narrow(const std::string& what, const std::vector<Ball>& x, int digits = 12);

/// |approximate - x| <= tolerance * scale + 2^-1000 with certainty, where scale bounds what may cancel
/// in the computation; the last term is for results that leave the normal range.
void require_close(const std::string& what, double approximate, const Ball& x, const Ball& scale,
                   double tolerance);

/// Midpoint and radius in a few digits, for messages.
std::string text(const Ball& x);

/// All entries 0 or of magnitude 2^-12 .. 2^12 and exactly doubles, logit gaps at most 60, |Phi| at
/// most 600: double results are then accurate up to cancellation.
bool is_tame(const MhaInstance& instance);

/// A fixed direction without structure, v_k in -9/8 .. 9/8.
std::vector<Rational> test_direction(std::size_t parameters);
std::vector<Ball> to_balls(const std::vector<Rational>& v);

}  // namespace heed::checks
