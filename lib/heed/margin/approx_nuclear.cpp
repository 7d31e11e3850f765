// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/approx_nuclear.hpp"

#include <algorithm>
#include <cmath>

#include "heed/margin/detail/nuclear_solution.hpp"

namespace heed::approx {

std::string_view word(NuclearEnd end) {
  switch (end) {
    case NuclearEnd::polished:
      return "polished";
    case NuclearEnd::interior_point:
      return "interior point";
    case NuclearEnd::infeasible_suspected:
      return "infeasible suspected";
    case NuclearEnd::no_constraints:
      break;
  }
  return "no constraints";
}

NuclearPair nuclear_pair(const MarginProblem& problem) {
  NuclearPair pair;
  if (problem.rows() == 0) return pair;
  pair.lambda.resize(problem.inequalities.size());
  pair.mu.resize(problem.equalities.size());
  const detail::NuclearCandidate found = detail::solve_nuclear(problem);
  if (found.unbounded) {
    pair.end = NuclearEnd::infeasible_suspected;
    return pair;
  }
  pair.end = found.newton ? NuclearEnd::polished : NuclearEnd::interior_point;
  for (Eigen::Index k = 0; k < found.l.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const detail::RowSource& source = found.rows.source[i];
    const long e = -found.rows.row_exponent[i] -
                   found.rows.query_exponent[static_cast<std::size_t>(found.rows.query[i])];
    (source.equality ? pair.mu : pair.lambda)[source.row] =
        std::ldexp(found.l[k], static_cast<int>(e));
  }
  for (const Eigen::Index k : found.active) {
    const detail::RowSource& source = found.rows.source[static_cast<std::size_t>(k)];
    if (!source.equality) pair.active.push_back(source.row);
  }
  std::sort(pair.active.begin(), pair.active.end());
  const auto factor = [&](std::size_t first, std::size_t count) {
    Matrix<double> f(count, static_cast<std::size_t>(found.V.cols()));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < f.cols(); ++j)
        f(i, j) =
            std::ldexp(found.V(static_cast<Eigen::Index>(first + i), static_cast<Eigen::Index>(j)),
                       static_cast<int>(found.rows.scale));
    return f;
  };
  pair.B = factor(0, problem.p());
  pair.C = factor(problem.p(), problem.q());
  pair.value = std::ldexp(0.5 * found.V.squaredNorm(), static_cast<int>(2 * found.rows.scale));
  return pair;
}

}  // namespace heed::approx
