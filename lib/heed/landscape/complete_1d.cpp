// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/complete_1d.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "heed/landscape/detail/assemble.hpp"
#include "heed/landscape/detail/token_zeros.hpp"

namespace heed {
namespace {

using detail::TokenSums;
using detail::TokenZeros;

LandscapeRoute choose_route(const TokenProblem& problem, const TokenSums& sums,
                            const Landscape1dOptions& options) {
  const bool exact = problem.kernel == AttentionKernel::softmax;
  if (options.route) {
    if (*options.route == LandscapeRoute::sturm && !exact)
      throw std::invalid_argument("complete_1d: Sturm's sequences apply to softmax only");
    return *options.route;
  }
  return exact && detail::slope_degree(sums) <= Rational(options.sturm_degree)
             ? LandscapeRoute::sturm
             : LandscapeRoute::interval;
}

Landscape1d by_route(const TokenProblem& problem, const TokenSums& sums,
                     const Landscape1dOptions& options, LandscapeRoute route, Landscape1d result) {
  result.route = route;
  TokenZeros zeros = route == LandscapeRoute::sturm ? detail::zeros_by_sturm(sums)
                                                    : detail::zeros_by_intervals(sums, options);
  result.reason = zeros.gave_up;
  if (zeros.gave_up.empty()) detail::assemble(problem, sums, std::move(zeros), options, result);
  return result;
}

void check(const TokenProblem& problem) {
  if (problem.keys.empty() || problem.keys.size() != problem.values.size())
    throw std::invalid_argument("a token problem has one value for each key, and at least one key");
  if (problem.beta.value.sign() <= 0) throw std::invalid_argument("beta must be positive");
}

}  // namespace

const char* to_string(LandscapeStatus status) {
  switch (status) {
    case LandscapeStatus::complete:
      return "complete";
    case LandscapeStatus::constant:
      return "constant";
    case LandscapeStatus::degenerate:
      return "degenerate";
    case LandscapeStatus::undecided:
      break;
  }
  return "undecided";
}

const char* to_string(CriticalKind kind) {
  switch (kind) {
    case CriticalKind::global_minimum:
      return "global minimum";
    case CriticalKind::local_minimum:
      return "local minimum";
    case CriticalKind::maximum:
      return "maximum";
    case CriticalKind::inflection:
      break;
  }
  return "inflection";
}

std::size_t Landscape1d::count(CriticalKind kind) const {
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [&](const CriticalPoint& p) { return p.kind == kind; }));
}

std::size_t Landscape1d::minima() const {
  return count(CriticalKind::global_minimum) + count(CriticalKind::local_minimum);
}

std::optional<std::size_t> Landscape1d::global_minima() const {
  std::size_t global = 0;
  for (const CriticalPoint& p : points) {
    if (!p.is_minimum()) continue;
    if (p.global == Ternary::unknown) return std::nullopt;
    if (certainly(p.global)) ++global;
  }
  return global;
}

Ternary Landscape1d::globally_benign() const {
  if (status == LandscapeStatus::constant) return Ternary::certainly_true;
  bool known = lists_all();
  for (const CriticalPoint& p : points) {
    if (!p.is_minimum()) continue;
    if (certainly_not(p.global)) return Ternary::certainly_false;
    known = known && certainly(p.global);
  }
  return known ? Ternary::certainly_true : Ternary::unknown;
}

Landscape1d complete_1d(const TokenProblem& problem, const Landscape1dOptions& options) {
  check(problem);
  const TokenSums sums = detail::token_sums(problem);
  const Landscape1d start = detail::empty_landscape(problem, sums);
  if (start.status == LandscapeStatus::constant) return start;
  const LandscapeRoute route = choose_route(problem, sums, options);
  Landscape1d result = by_route(problem, sums, options, route, start);
  const bool retry = !result.lists_all() && !options.route && route == LandscapeRoute::interval &&
                     problem.kernel == AttentionKernel::softmax &&
                     detail::slope_degree(sums) <= Rational(options.most_degree);
  return retry ? by_route(problem, sums, options, LandscapeRoute::sturm, start) : result;
}

}  // namespace heed
