// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/frobenius_margin.hpp"

#include <cmath>
#include <stdexcept>

#include "heed/margin/detail/prepared_problem.hpp"

namespace heed {
namespace {

constexpr double double_gram_bits = 264;

bool affordable(const detail::PreparedProblem& problem, std::size_t most) {
  const double rows = static_cast<double>(problem.found.active.size());
  const double bits = static_cast<double>(problem.gram_bits());
  return rows * std::pow(bits / double_gram_bits, 2.0 / 3) <= static_cast<double>(most);
}

}  // namespace

FrobeniusMargin frobenius_margin(const MarginProblem& problem, const FrobeniusOptions& options) {
  if (options.bits < 8 || options.bits > 20'000)
    throw std::invalid_argument("frobenius_margin: expected 8 to 20000 bits");
  detail::IntegerProblem rows = detail::integer_problem(problem);
  if (auto margin = detail::trivial_margin(rows)) return *std::move(margin);
  const detail::PreparedProblem prepared = detail::prepare(std::move(rows));
  const bool exact_allowed = affordable(prepared, options.max_active_exact);
  if (options.exact == Exactness::always ||
      (options.exact == Exactness::automatic && exact_allowed))
    return detail::exact_frobenius(prepared);
  FrobeniusMargin margin = detail::frobenius_bracket(prepared, options.bits);
  if (!std::holds_alternative<MarginUndecided>(margin.result) || !exact_allowed) return margin;
  FrobeniusMargin exact = detail::exact_frobenius(prepared);
  if (std::holds_alternative<Infeasibility>(exact.result)) return exact;
  return margin;
}

}  // namespace heed
