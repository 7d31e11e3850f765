// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/nuclear_bracket.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "heed/margin/detail/nuclear_certify.hpp"
#include "heed/margin/detail/nuclear_refine.hpp"
#include "heed/margin/detail/nuclear_solution.hpp"
#include "heed/margin/exact_frobenius.hpp"

namespace heed {
namespace {

using detail::ExactRows;
using detail::FixedPoint;
using detail::NuclearCandidate;
using detail::ScaledRows;

bool is_zero(const Rational* x, std::size_t n) {
  return std::all_of(x, x + n, [](const Rational& c) { return c.sign() == 0; });
}

// An inequality 0 >= 1.
std::optional<Infeasibility> zero_row(const MarginProblem& problem) {
  const RankOneRows& rows = problem.inequalities;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!is_zero(rows.a.row(k), problem.p()) && !is_zero(problem.Z.row(rows.query[k]), problem.q()))
      continue;
    Infeasibility proof;
    proof.lambda.resize(rows.size());
    proof.mu.resize(problem.equalities.size());
    proof.lambda[k] = Rational(1);
    return proof;
  }
  return {};
}

bool narrow(const MarginBracket& b, int digits) {
  Rational tenth(1);
  for (int i = 0; i < digits; ++i) tenth /= Rational(10);
  return b.lo.sign() > 0 && b.hi - b.lo <= b.lo * tenth;
}

// The constraints are those of the Frobenius norm, where feasibility is decided exactly.
NuclearMargin without_bracket(const MarginProblem& problem) {
  NuclearMargin margin;
  FrobeniusMargin frobenius = exact_frobenius(problem);
  if (auto* proof = std::get_if<Infeasibility>(&frobenius.result)) {
    margin.result = std::move(*proof);
  } else {
    margin.result = MarginUndecided{"no candidate of the solver proves a bracket"};
  }
  return margin;
}

}  // namespace

NuclearMargin nuclear_bracket(const MarginProblem& problem, int digits) {
  if (digits < 1) throw std::invalid_argument("nuclear_bracket: digits must be positive");
  NuclearMargin margin;
  if (problem.rows() == 0) {
    margin.result = NoConstraints{};
    return margin;
  }
  if (auto proof = zero_row(problem)) {
    margin.result = *std::move(proof);
    return margin;
  }
  const NuclearCandidate candidate = detail::solve_nuclear(detail::scale_rows(problem));
  if (candidate.unbounded) return without_bracket(problem);
  const ExactRows rows(problem, candidate.rows);
  const long out_bits = static_cast<long>(std::ceil(3.33 * digits)) + 8;
  FixedPoint x = detail::round_candidate(candidate, std::max(out_bits, 60L) + 48);
  if (candidate.newton) detail::refine(rows, candidate, x);
  margin.method = candidate.newton ? "newton" : "interior point";
  auto bracket = detail::certify(problem, candidate.rows, rows, std::move(x), out_bits);
  if (!bracket || bracket->lo.sign() <= 0) return without_bracket(problem);
  margin.reached = narrow(*bracket, digits);
  margin.result = *std::move(bracket);
  return margin;
}

}  // namespace heed
