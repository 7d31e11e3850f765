// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/exact_active_set.hpp"

#include <flint/ulong_extras.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "heed/margin/detail/independent_rows.hpp"
#include "heed/margin/detail/integer_solve.hpp"

namespace heed::detail {
namespace {

/// x / den solves the normal equations of the rows `index`.
struct Solution {
  std::vector<std::size_t> index;
  std::vector<Integer> x;
  Integer den, kappa;
};

class Solver {
 public:
  explicit Solver(const IntegerProblem& problem) : problem_(problem) {}

  std::optional<ExactActiveSet> run(const std::vector<std::size_t>& guess, int max_rounds) {
    for (std::size_t k = 0; k < problem_.equalities.size(); ++k) equalities_.push_back(k);
    equalities_ = independent(equalities_);
    restart(guess);
    for (int round = 0;; ++round) {
      Combination at = evaluate(problem_, state_.index, state_.x);
      verify(at);
      const bool consistent = adopt_missed_equalities(at);
      const std::vector<std::size_t> violated = violations(at);
      if (consistent && violated.empty())
        return ExactActiveSet{state_.index, state_.x,      state_.den,
                              state_.kappa, std::move(at), solves_};
      if (round == max_rounds) return std::nullopt;
      if (!consistent)
        restart(state_.index);
      else if (!add_several(violated))
        add_one(violated.front());
    }
  }

 private:
  std::vector<std::size_t> independent(const std::vector<std::size_t>& index) {
    prime_ = n_nextprime(prime_, 0);
    return independent_rows(problem_, index, true, prime_);
  }

  // Precondition: independent rows.
  Solution solve(std::vector<std::size_t> index) {
    const std::size_t p = index.size();
    IntegerMatrix rhs(p, 1);
    for (std::size_t k = 0; k < p; ++k)
      if (const fmpz* b = problem_.rhs(index[k])) fmpz_set(rhs.at(k, 0), b);
    ++solves_;
    std::optional<RationalVector> x = detail::solve(normal_matrix(problem_, index, true), rhs);
    if (!x) throw std::logic_error("exact_active_set: dependent rows in a passive set");
    Solution s{std::move(index), std::move(x->numerators), std::move(x->den), {}};
    fmpz_set(s.kappa.raw(), s.den.raw());
    for (std::size_t k = 0; k < p; ++k) fmpz_submul(s.kappa.raw(), rhs.at(k, 0), s.x[k].raw());
    return s;
  }

  bool nonpositive(const Solution& s, std::size_t k) const {
    return !problem_.is_equality(s.index[k]) && fmpz_sgn(s.x[k].raw()) <= 0;
  }

  // Solves and drops what is not positive, until all multipliers of inequalities are.
  Solution settle(std::vector<std::size_t> index) {
    for (;;) {
      Solution s = solve(std::move(index));
      std::vector<std::size_t> kept;
      for (std::size_t k = 0; k < s.index.size(); ++k)
        if (!nonpositive(s, k)) kept.push_back(s.index[k]);
      if (kept.size() == s.index.size()) return s;
      index = std::move(kept);
    }
  }

  std::vector<std::size_t> with_equalities(const std::vector<std::size_t>& index) const {
    std::vector<std::size_t> all = equalities_;
    for (const std::size_t k : index)
      if (!problem_.is_equality(k)) all.push_back(k);
    return all;
  }

  void restart(const std::vector<std::size_t>& guess) {
    state_ = settle(independent(with_equalities(guess)));
  }

  // Of what the solver of linear systems returned nothing is taken on trust.
  void verify(const Combination& at) const {
    Integer expected;
    for (const std::size_t k : state_.index) {
      fmpz_zero(expected.raw());
      if (const fmpz* b = problem_.rhs(k)) fmpz_mul(expected.raw(), state_.kappa.raw(), b);
      if (!fmpz_equal(expected.raw(), at.values[k].raw()))
        throw std::logic_error("exact_active_set: a linear system was not solved");
    }
  }

  bool adopt_missed_equalities(const Combination& at) {
    bool none = true;
    for (std::size_t k = 0; k < problem_.equalities.size(); ++k)
      if (!fmpz_is_zero(at.values[k].raw())) {
        equalities_.push_back(k);
        none = false;
      }
    return none;
  }

  // Inequalities with kappa b_k > <A_k, M>, the most violated first.
  std::vector<std::size_t> violations(const Combination& at) const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t k = problem_.equalities.size(); k < problem_.size(); ++k) {
      Integer w;
      fmpz_mul(w.raw(), state_.kappa.raw(), problem_.rhs(k));
      fmpz_sub(w.raw(), w.raw(), at.values[k].raw());
      if (fmpz_sgn(w.raw()) <= 0) continue;
      const Integer norm2 = squared_norm(k);
      slong ew = 0, en = 0;
      const double dw = fmpz_get_d_2exp(&ew, w.raw()), dn = fmpz_get_d_2exp(&en, norm2.raw());
      found.emplace_back(
          std::log2(dw) + static_cast<double>(ew) - (std::log2(dn) + static_cast<double>(en)) / 2,
          k);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    std::vector<std::size_t> rows;
    for (const auto& [w, k] : found) rows.push_back(k);
    return rows;
  }

  Integer squared_norm(std::size_t k) const {
    Integer a, z;
    for (std::size_t c = 0; c < problem_.inequalities.a.cols(); ++c)
      fmpz_addmul(a.raw(), problem_.a_entry(k, c), problem_.a_entry(k, c));
    for (std::size_t c = 0; c < problem_.z.cols(); ++c)
      fmpz_addmul(z.raw(), problem_.z.at(problem_.query(k), c),
                  problem_.z.at(problem_.query(k), c));
    fmpz_mul(a.raw(), a.raw(), z.raw());
    return a;
  }

  // Tries the most violated rows together; keeps them if the squared residual kappa / den falls.
  bool add_several(const std::vector<std::size_t>& violated) {
    std::vector<std::size_t> index = state_.index;
    const std::size_t count = std::min(violated.size(), std::max<std::size_t>(4, index.size() / 3));
    index.insert(index.end(), violated.begin(),
                 violated.begin() + static_cast<std::ptrdiff_t>(count));
    Solution s = settle(independent(index));
    Integer mine, other;
    fmpz_mul(mine.raw(), s.kappa.raw(), state_.den.raw());
    fmpz_mul(other.raw(), state_.kappa.raw(), s.den.raw());
    if (fmpz_cmp(mine.raw(), other.raw()) >= 0) return false;
    state_ = std::move(s);
    return true;
  }

  // A step of Lawson and Hanson: moves from the present point towards each solution, up to the first
  // multiplier that becomes 0.
  void add_one(std::size_t row) {
    std::vector<std::size_t> index = state_.index;
    std::vector<Rational> point;
    for (const Integer& x : state_.x) point.push_back(ratio(x.raw(), state_.den.raw()));
    index.push_back(row);
    point.emplace_back();
    for (;;) {
      Solution s = solve(index);
      std::optional<Rational> step;
      std::vector<Rational> towards;
      for (std::size_t k = 0; k < index.size(); ++k) {
        towards.push_back(ratio(s.x[k].raw(), s.den.raw()));
        if (!nonpositive(s, k)) continue;
        const Rational t = point[k] / (point[k] - towards[k]);
        if (!step || t < *step) step = t;
      }
      if (!step) {
        state_ = std::move(s);
        return;
      }
      std::vector<std::size_t> kept;
      std::vector<Rational> moved;
      for (std::size_t k = 0; k < index.size(); ++k) {
        Rational x = point[k] + *step * (towards[k] - point[k]);
        if (!problem_.is_equality(index[k]) && x.sign() <= 0) continue;
        kept.push_back(index[k]);
        moved.push_back(std::move(x));
      }
      index = std::move(kept);
      point = std::move(moved);
    }
  }

  const IntegerProblem& problem_;
  std::vector<std::size_t> equalities_;
  Solution state_;
  mp_limb_t prime_ = mp_limb_t{1} << 60;
  int solves_ = 0;
};

}  // namespace

std::optional<ExactActiveSet> exact_active_set(const IntegerProblem& problem,
                                               const std::vector<std::size_t>& guess,
                                               int max_rounds) {
  return Solver(problem).run(guess, max_rounds);
}

}  // namespace heed::detail
