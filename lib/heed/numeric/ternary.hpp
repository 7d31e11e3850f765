// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heed {

/// Answer of a predicate on enclosures: it holds for every pair of points, for none, or the
/// enclosures do not tell. There is no conversion to bool; ask `certainly`.
enum class Ternary { certainly_false, unknown, certainly_true };

/// True only if the predicate is proved. NaN makes every predicate `unknown`.
constexpr bool certainly(Ternary t) { return t == Ternary::certainly_true; }
/// True only if the predicate is disproved.
constexpr bool certainly_not(Ternary t) { return t == Ternary::certainly_false; }

}  // namespace heed
