// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/complete_1d.hpp"
#include "heed/landscape/detail/isolate.hpp"
#include "heed/landscape/detail/token_sums.hpp"

namespace heed::detail {

/// A zero of phi - y, or a zero of phi' at which phi != y.
struct TokenZero {
  ExpSum sum;  ///< of which `at` isolates a simple zero
  IsolatedZero at;
  bool of_residual = false;
  long multiplicity = 1;
  /// Signs of phi' on both sides; only for zeros of phi'.
  int slope_left = 0, slope_right = 0;
};

struct TokenZeros {
  std::vector<TokenZero> zeros;  ///< first those of phi - y, then those of phi', each rising
  std::vector<Ball> places;
  std::string gave_up;
};

/// Precondition of both: phi is not constant.
TokenZeros zeros_by_intervals(const TokenSums& sums, const Landscape1dOptions& options);
/// Precondition: softmax. Complete: no places.
TokenZeros zeros_by_sturm(const TokenSums& sums);

/// Degree of phi' times a positive factor as a polynomial in u.
Rational slope_degree(const TokenSums& sums);

}  // namespace heed::detail
