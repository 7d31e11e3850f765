// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/margin/nuclear_bracket.hpp"

namespace margin_test {

/// A reference file with the value of min ||W||_* in decimals.
struct NuclearFixture {
  std::string id;
  heed::MarginProblem problem;
  std::optional<heed::Rational> value;  ///< none: infeasible, or not in the file
  std::optional<std::size_t> rank;      ///< upper bound of the rank of any minimiser
  bool feasible = true;
};
std::vector<NuclearFixture> nuclear_fixtures();

/// Why the numbers do not prove lo <= min ||W||_* <= hi, from dense matrices and rational
/// elimination alone; empty if they do.
std::string nuclear_fault(const heed::MarginProblem& problem, const heed::MarginBracket& bracket);
std::string infeasibility_fault(const heed::MarginProblem& problem,
                                const heed::Infeasibility& proof);
/// True if the symmetric matrix is positive semidefinite: rational elimination with the largest
/// diagonal entry as pivot.
bool semidefinite(heed::Matrix<heed::Rational> a);

/// hi / lo - 1, for reading.
double gap(const heed::MarginBracket& bracket);

/// Tokens and queries of unit norm, Gaussian; the selected token is the best by y x^T v.
heed::MarginProblem gaussian_problem(std::size_t n, std::size_t T, std::size_t d, unsigned seed);
/// Tokens and queries out of twelve short integer vectors: many equal rows; d = 2 + seed % 7. No
/// row is zero.
heed::MarginProblem vocabulary_problem(unsigned seed);

}  // namespace margin_test
