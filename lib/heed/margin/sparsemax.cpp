// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/sparsemax.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "heed/linalg/exact_solve.hpp"
#include "heed/margin/detail/row_gram.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/margin_problem.hpp"
#include "heed/numeric/ball.hpp"

namespace heed {
namespace {

constexpr unsigned long largest_power = 100'000;

/// c with its denominators cleared.
std::vector<Rational> integers(std::vector<Rational> c) {
  mpz_t common;
  mpz_init_set_ui(common, 1);
  for (const Rational& x : c) mpz_lcm(common, common, mpq_denref(x.raw()));
  Rational factor;
  mpz_set(mpq_numref(factor.raw()), common);
  mpz_clear(common);
  for (Rational& x : c) x *= factor;
  return c;
}

/// x^k for an integer k >= 0.
Rational power(const Rational& x, unsigned long k) {
  Rational r;
  mpz_pow_ui(mpq_numref(r.raw()), mpq_numref(x.raw()), k);
  mpz_pow_ui(mpq_denref(r.raw()), mpq_denref(x.raw()), k);
  return r;
}

/// Whether sum c_j log r_j = 0, that is prod r_j^{c_j} = 1, for rational r_j > 0.
Consistency vanishes(const std::vector<Rational>& c, const std::vector<Rational>& r) {
  const PrecisionScope scope(256);
  Ball sum;
  for (std::size_t j = 0; j < c.size(); ++j) sum += Ball(c[j]) * log(Ball(r[j]));
  if (!sum.contains_zero() && sum.is_finite()) return Consistency::inconsistent;
  Rational up(1), down(1);
  const std::vector<Rational> k = integers(c);
  for (std::size_t j = 0; j < k.size(); ++j) {
    if (k[j].sign() == 0 || r[j] == Rational(1)) continue;
    const Rational size = abs(k[j]);
    if (mpz_cmp_ui(mpq_numref(size.raw()), largest_power) > 0) return Consistency::undecided;
    (k[j].sign() > 0 ? up : down) *= power(r[j], mpz_get_ui(mpq_numref(size.raw())));
  }
  return up == down ? Consistency::consistent : Consistency::inconsistent;
}

/// The gaps <E_j, W> = log(s_ref / s_j) can hold exactly if every dependency among the E_j respects
/// them.
Consistency gap_consistency(const QueryInstance& selection, const std::vector<Sparsemax>& inputs) {
  const MarginProblem problem = margin_problem(selection);
  std::vector<Rational> ratios;
  for (std::size_t j = 0; j < problem.equalities.size(); ++j) {
    const std::size_t i = problem.equalities.query[j];
    ratios.push_back(inputs[i].s[selection.selected[i].front()] /
                     inputs[i].s[problem.equalities.token[j]]);
  }
  Consistency result = Consistency::consistent;
  for (const std::vector<Rational>& c :
       null_space(detail::row_gram(problem.equalities, problem.Z))) {
    const Consistency one = vanishes(c, ratios);
    if (one == Consistency::inconsistent) return one;
    if (one == Consistency::undecided) result = one;
  }
  return result;
}

bool orthonormal(const Matrix<Rational>& x) {
  for (std::size_t s = 0; s < x.rows(); ++s)
    for (std::size_t t = 0; t <= s; ++t) {
      Rational sum;
      for (std::size_t c = 0; c < x.cols(); ++c) sum += x(s, c) * x(t, c);
      if (!(sum == Rational(s == t ? 1 : 0))) return false;
    }
  return true;
}

}  // namespace

Sparsemax sparsemax(const std::vector<Rational>& gamma, const Rational& lambda) {
  if (gamma.empty()) throw std::invalid_argument("sparsemax: expected at least one score");
  if (lambda.sign() <= 0) throw std::invalid_argument("sparsemax: expected lambda > 0");
  std::vector<std::size_t> order(gamma.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return gamma[a] > gamma[b]; });
  const Rational twice = Rational(2) * lambda;
  Sparsemax result;
  Rational sum;  // of the largest gamma so far
  for (std::size_t j = 0; j < order.size(); ++j) {
    const Rational& next = gamma[order[j]];
    if (!(sum - Rational(static_cast<long>(j)) * next < twice)) break;
    sum += next;
    ++result.count;
  }
  result.tau = (sum - twice) / Rational(static_cast<long>(result.count));
  result.s.resize(gamma.size());
  for (std::size_t j = 0; j < result.count; ++j) {
    result.support.push_back(order[j]);
    result.s[order[j]] = (gamma[order[j]] - result.tau) / twice;
  }
  return result;
}

std::variant<LambdaHead, std::string> lambda_head_sparsemax(const QueryInstance& instance,
                                                            const Rational& lambda) {
  if (!instance.v) return std::string("the instance has no scores v");
  if (!std::all_of(instance.y.begin(), instance.y.end(), [](int y) { return y == 1; }))
    return std::string("a label is not 1");
  if (!std::all_of(instance.X.begin(), instance.X.end(), orthonormal))
    return std::string("the tokens of an input are not orthonormal");
  LambdaHead head;
  head.selection = instance;
  head.selection.selected.clear();
  for (const std::vector<Rational>& gamma : scores(instance)) {
    head.inputs.push_back(sparsemax(gamma, lambda));
    head.selection.selected.push_back(head.inputs.back().support);
  }
  head.direction = exact_frobenius(margin_problem(head.selection));
  head.sets_reachable = !std::holds_alternative<Infeasibility>(head.direction.result);
  head.gaps = gap_consistency(head.selection, head.inputs);
  return head;
}

}  // namespace heed
