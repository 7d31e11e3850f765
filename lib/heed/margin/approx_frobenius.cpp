// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/approx_frobenius.hpp"

#include <algorithm>
#include <cmath>

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"

namespace heed::approx {

std::string_view word(FrobeniusEnd end) {
  switch (end) {
    case FrobeniusEnd::optimal:
      return "optimal";
    case FrobeniusEnd::infeasible_suspected:
      return "infeasible suspected";
    case FrobeniusEnd::iteration_limit:
      return "iteration limit";
    case FrobeniusEnd::no_constraints:
      return "no constraints";
  }
  return "";
}

FrobeniusMultipliers frobenius_multipliers(const MarginProblem& problem) {
  FrobeniusMultipliers result;
  result.lambda.assign(problem.rows(), 0);
  result.mu.assign(problem.equalities.size(), 0);
  if (problem.rows() == 0) {
    result.end = FrobeniusEnd::no_constraints;
    return result;
  }
  const detail::IntegerProblem reduced = detail::integer_problem(problem);
  if (reduced.zero_row) {
    result.end = FrobeniusEnd::infeasible_suspected;
    result.lambda[*reduced.zero_row] = 1;
    result.active = {*reduced.zero_row};
    return result;
  }
  const detail::RowScales scales = detail::row_scales(reduced);
  const detail::ApproxActiveSet found =
      detail::approx_active_set(detail::double_system(reduced, scales));
  result.end = found.end == detail::ActiveSetEnd::optimal     ? FrobeniusEnd::optimal
               : found.end == detail::ActiveSetEnd::dependent ? FrobeniusEnd::infeasible_suspected
                                                              : FrobeniusEnd::iteration_limit;
  const detail::WideDouble B = detail::wide(reduced.B);
  for (std::size_t j = 0; j < found.active.size(); ++j) {
    const std::size_t k = found.active[j], e = reduced.equalities.size();
    const bool equality = reduced.is_equality(k);
    const detail::IntegerRows& rows = equality ? reduced.equalities : reduced.inequalities;
    const std::size_t row = equality ? k : k - e;
    // u 2^shift / (norm B scale)
    const double value = std::ldexp(
        found.u[j] / (scales.norm[k].mantissa * B.mantissa) / rows.scale[row].nearest_double(),
        static_cast<int>(scales.shift - scales.norm[k].exponent - B.exponent));
    if (equality) {
      result.mu[rows.source[row]] = value;
    } else {
      result.lambda[rows.source[row]] = std::max(value, 0.0);
      result.norm2 += std::max(value, 0.0);
      result.active.push_back(rows.source[row]);
    }
  }
  std::sort(result.active.begin(), result.active.end());
  return result;
}

}  // namespace heed::approx
