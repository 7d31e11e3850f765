// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/nuclear_bracket.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>

#include "heed/margin/detail/nuclear_careful.hpp"
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

// An inequality 0 >= 1.
std::optional<Infeasibility> zero_row(const MarginProblem& problem) {
  const std::size_t k = detail::zero_inequality(problem);
  if (k == problem.rows()) return {};
  Infeasibility proof;
  proof.lambda.resize(problem.inequalities.size());
  proof.mu.resize(problem.equalities.size());
  proof.lambda[k] = Rational(1);
  return proof;
}

bool narrow(const MarginBracket& b, int digits) {
  Rational tenth(1);
  for (int i = 0; i < digits; ++i) tenth /= Rational(10);
  return b.lo.sign() > 0 && b.hi - b.lo <= b.lo * tenth;
}

struct Request {
  int digits;
  long out_bits, bits;
};

NuclearMargin bracket_from(const MarginProblem& problem, const ScaledRows& scaled,
                           const ExactRows& rows, FixedPoint x, const Request& request) {
  NuclearMargin margin;
  auto bracket = detail::certify(problem, scaled, rows, std::move(x), request.out_bits);
  if (!bracket || bracket->lo.sign() <= 0) {
    margin.result = MarginUndecided{"no candidate of the solver proves a bracket"};
    return margin;
  }
  margin.reached = narrow(*bracket, request.digits);
  margin.result = *std::move(bracket);
  return margin;
}

// Where Newton's method did not do: feasibility is that of the Frobenius norm, decided exactly, and
// so is the scale; the interior point method with many digits needs nothing else.
NuclearMargin carefully(const MarginProblem& problem, ScaledRows scaled, NuclearMargin so_far,
                        const Request& request) {
  const FrobeniusMargin frobenius = exact_frobenius(problem);
  if (const auto* proof = std::get_if<Infeasibility>(&frobenius.result)) {
    NuclearMargin margin;
    margin.result = *proof;
    return margin;
  }
  const auto* exact = std::get_if<MarginBracket>(&frobenius.result);
  if (exact == nullptr) return so_far;
  scaled.rescale(detail::exponent_above(&exact->hi, 1) / 4);
  auto x = detail::careful_candidate(problem, scaled, request.digits, request.bits);
  if (!x) return so_far;
  const ExactRows rows(problem, scaled);
  NuclearMargin margin = bracket_from(problem, scaled, rows, *std::move(x), request);
  margin.method = "interior point with many digits";
  const auto* found = std::get_if<MarginBracket>(&margin.result);
  const auto* before = std::get_if<MarginBracket>(&so_far.result);
  if (found == nullptr || (before != nullptr && before->hi * found->lo <= found->hi * before->lo))
    return so_far;
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
  const NuclearCandidate candidate = detail::solve_nuclear(problem);
  const long out_bits = static_cast<long>(std::ceil(3.33 * digits)) + 8;
  const Request request{digits, out_bits, std::max(out_bits, 60L) + 48};
  if (candidate.unbounded) {
    margin.result = MarginUndecided{"the multipliers grow without bound"};
    return carefully(problem, candidate.rows, std::move(margin), request);
  }
  const ExactRows rows(problem, candidate.rows);
  FixedPoint x = detail::round_candidate(candidate, request.bits);
  if (candidate.newton) detail::refine(rows, candidate, x);
  margin = bracket_from(problem, candidate.rows, rows, std::move(x), request);
  margin.method = candidate.newton ? "newton" : "interior point";
  if (margin.reached) return margin;
  return carefully(problem, candidate.rows, std::move(margin), request);
}

}  // namespace heed
