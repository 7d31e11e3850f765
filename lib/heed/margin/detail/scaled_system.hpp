// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal: includes FLINT, Boost.Multiprecision, MPFR, Eigen.

#include <cstddef>
#include <vector>

#include "heed/margin/detail/dual_active_set.hpp"
#include "heed/margin/detail/integer_rows.hpp"
#include "heed/numeric/mpfr_real.hpp"

namespace heed::detail {

/// mantissa * 2^exponent, for numbers beyond the range of double.
struct WideDouble {
  double mantissa = 0;
  long exponent = 0;
};

WideDouble wide(const Integer& x);

/// Norms of the rows a_k z^T (joint order) and a common power of two for the right side:
/// the system of unit rows is  sum_l <A~_k, A~_l> u_l = b_k / (norm_k 2^shift), and v_k = u_k 2^shift /
/// norm_k are multipliers of the IntegerProblem.
struct RowScales {
  std::vector<Integer> norm2;
  std::vector<WideDouble> norm;
  long shift = 0;
};
RowScales row_scales(const IntegerProblem& problem);

/// The system of unit rows in double; entries to a few units of 2^-53.
GramSystem<double> double_system(const IntegerProblem& problem, const RowScales& scales);

/// The same from the exact Gram matrix, every entry to D digits. Cost: m^2/2 conversions.
template <unsigned D>
GramSystem<Real<D>> real_system(const IntegerProblem& problem, const RowScales& scales);
extern template GramSystem<Real<50>> real_system(const IntegerProblem&, const RowScales&);
extern template GramSystem<Real<150>> real_system(const IntegerProblem&, const RowScales&);

}  // namespace heed::detail
