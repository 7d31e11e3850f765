// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "heed/margin/frobenius_margin.hpp"

namespace margin_test {

using heed::Infeasibility;
using heed::MarginBracket;
using heed::MarginProblem;
using heed::Matrix;
using heed::Rational;

/// A reference file of attention with one query an input.
struct Fixture {
  std::string id;
  MarginProblem problem;
  bool feasible = true;
  std::optional<Rational> norm2;      ///< min ||W||_F^2, exact
  std::optional<std::string> margin;  ///< decimal
  std::optional<Matrix<Rational>> W;
};
std::vector<Fixture> fixtures();
/// The normalised-gradient-descent references, whose data are doubles; `margin` in decimals.
Fixture trajectory_fixture(int seed);

/// Why the numbers do not prove what they claim, from dense matrices A_k; empty if they do.
std::string fault(const MarginProblem& problem, const MarginBracket& bracket);
std::string fault(const MarginProblem& problem, const Infeasibility& proof);
/// Also lo = hi and the optimality conditions.
std::string optimality_fault(const MarginProblem& problem, const MarginBracket& bracket);

/// min ||W||_F^2 by textbook non-negative least squares over Rational, equalities removed by
/// Gram-Schmidt; nothing if infeasible.
std::optional<Rational> reference_norm2(const MarginProblem& problem);

/// min ||W||_F^2 - claims are proved, right, and exact; empty if so.
std::string exactness_fault(const MarginProblem& problem, const heed::FrobeniusMargin& margin,
                            const std::optional<Rational>& norm2);

MarginProblem rows_problem(const std::vector<std::vector<Rational>>& rows);
/// Reference token first, the others unselected: X[i] is T x d.
MarginProblem token_problem(const std::vector<Matrix<Rational>>& X, const Matrix<Rational>& Z,
                            std::size_t selected_per_input = 1);

Matrix<Rational> random_integers(std::mt19937_64& random, std::size_t rows, std::size_t cols,
                                 long most);
/// Multiples of 2^-12.
Matrix<Rational> random_normal(std::mt19937_64& random, std::size_t rows, std::size_t cols);
/// Normal doubles, all bits.
Matrix<Rational> random_doubles(std::mt19937_64& random, std::size_t rows, std::size_t cols);

}  // namespace margin_test
