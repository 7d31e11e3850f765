// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/prepared_problem.hpp"

#include <bit>
#include <utility>

namespace heed::detail {

std::size_t PreparedProblem::gram_bits() const {
  const slong a = fmpz_mat_max_bits(rows.inequalities.a.raw()), z = fmpz_mat_max_bits(rows.z.raw());
  const std::size_t bits = static_cast<std::size_t>((a < 0 ? -a : a) + (z < 0 ? -z : z));
  return 2 * bits + std::bit_width(rows.inequalities.a.cols() * rows.z.cols());
}

std::optional<FrobeniusMargin> trivial_margin(const IntegerProblem& rows) {
  if (rows.problem_rows == 0) return FrobeniusMargin{NoConstraints{}, "no constraints", {}};
  if (!rows.zero_row) return std::nullopt;
  Infeasibility proof{std::vector<Rational>(rows.problem_rows),
                      std::vector<Rational>(rows.problem_equalities)};
  proof.lambda[*rows.zero_row] = Rational(1);
  return FrobeniusMargin{std::move(proof), "zero row", {*rows.zero_row}};
}

PreparedProblem prepare(IntegerProblem rows) {
  PreparedProblem problem;
  problem.rows = std::move(rows);
  problem.scales = row_scales(problem.rows);
  problem.system = double_system(problem.rows, problem.scales);
  problem.found = approx_active_set(problem.system);
  return problem;
}

}  // namespace heed::detail
