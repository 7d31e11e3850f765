// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/bracket_search.hpp"

#include <flint/ulong_extras.h>

#include <algorithm>
#include <stdexcept>

#include "heed/margin/detail/independent_rows.hpp"
#include "heed/margin/detail/integer_solve.hpp"

namespace heed::detail {
namespace {

constexpr int most_exchanges = 8;
constexpr int guard_bits = 32;

}  // namespace

BracketSearch::BracketSearch(const IntegerProblem& problem, const RowScales& scales, int bits)
    : problem_(problem), scales_(scales), bits_(bits) {
  for (std::size_t k = 0; k < problem.equalities.size(); ++k) equalities_.push_back(k);
  equalities_ = independent_rows(problem, equalities_, false, n_nextprime(mp_limb_t{1} << 60, 0));
}

bool BracketSearch::narrow() const {
  return best_ &&
         best_->bounds.hi - best_->bounds.lo <= best_->bounds.lo * Rational::power_of_two(-bits_);
}

void BracketSearch::improve(const Factor& factor, std::vector<std::size_t> active) {
  for (int exchange = 0; exchange <= most_exchanges; ++exchange) {
    const std::optional<ApproxSolve> solve = factor(active);
    if (!solve || !improve_with(*solve, active)) return;
  }
}

bool BracketSearch::improve_with(const ApproxSolve& solve, std::vector<std::size_t>& active) {
  // Residuals of 2^-b b_k cost less than 2^(2-b) of the width.
  const RefinedMultipliers refined = refine(problem_, scales_, active, solve, bits_ + 3);
  keep_better(active, refined);
  if (!refined.converged || narrow()) return false;
  std::vector<std::size_t> next;
  for (std::size_t j = 0; j < active.size(); ++j)
    if (problem_.is_equality(active[j]) || fmpz_sgn(refined.x[j].raw()) > 0)
      next.push_back(active[j]);
  if (next.size() == active.size()) {
    Integer wanted;
    for (std::size_t k = problem_.equalities.size(); k < problem_.size(); ++k) {
      fmpz_mul_2exp(wanted.raw(), problem_.rhs(k), static_cast<ulong>(refined.scale));
      if (fmpz_cmp(refined.at.values[k].raw(), wanted.raw()) < 0 &&
          std::find(active.begin(), active.end(), k) == active.end())
        next.push_back(k);
    }
    if (next.size() == active.size()) return false;
  }
  active = std::move(next);
  return true;
}

void BracketSearch::keep_better(const std::vector<std::size_t>& active,
                                const RefinedMultipliers& refined) {
  Candidate c;
  fmpz_one(c.scale.raw());
  fmpz_mul_2exp(c.scale.raw(), c.scale.raw(), static_cast<ulong>(refined.scale));
  for (std::size_t j = 0; j < active.size(); ++j) {
    if (problem_.is_equality(active[j]) || fmpz_sgn(refined.x[j].raw()) <= 0) continue;
    c.index.push_back(active[j]);
    c.x.push_back(refined.x[j]);
  }
  if (c.index.empty()) return;
  const bool same = c.index.size() == active.size();
  Combination at = same ? refined.at : evaluate(problem_, c.index, c.x);
  if (!equalities_.empty()) at = with_equalities(c, at);
  const auto bounds = frobenius_bounds(problem_, c.index, c.x, at, bits_ + guard_bits);
  if (!bounds) return;
  c.bounds = *bounds;
  if (!best_ || c.bounds.hi * best_->bounds.lo < best_->bounds.hi * c.bounds.lo)
    best_ = std::move(c);
}

// Adds mu with <E_j, M> = 0 exactly, everything multiplied by its denominator.
Combination BracketSearch::with_equalities(Candidate& candidate, const Combination& at) {
  for (;;) {
    const std::size_t e = equalities_.size();
    IntegerMatrix rhs(e, 1);
    for (std::size_t j = 0; j < e; ++j) fmpz_neg(rhs.at(j, 0), at.values[equalities_[j]].raw());
    std::optional<RationalVector> mu = solve(normal_matrix(problem_, equalities_, false), rhs);
    if (!mu) throw std::logic_error("frobenius_bracket: dependent equalities");
    Candidate whole;
    whole.index = equalities_;
    whole.x = std::move(mu->numerators);
    const Integer& den = mu->den;
    for (std::size_t j = 0; j < candidate.index.size(); ++j) {
      whole.index.push_back(candidate.index[j]);
      whole.x.emplace_back();
      fmpz_mul(whole.x.back().raw(), candidate.x[j].raw(), den.raw());
    }
    fmpz_mul(whole.scale.raw(), candidate.scale.raw(), den.raw());
    Combination result = evaluate(problem_, whole.index, whole.x);
    bool missed = false;  // by an unlucky prime
    for (std::size_t k = 0; k < problem_.equalities.size(); ++k)
      if (!fmpz_is_zero(result.values[k].raw())) {
        equalities_.push_back(k);
        missed = true;
        break;
      }
    if (missed) continue;
    candidate = std::move(whole);
    return result;
  }
}

}  // namespace heed::detail
