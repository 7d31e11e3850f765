// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/assemble.hpp"

#include <algorithm>

#include "heed/numeric/precision.hpp"

namespace heed::detail {
namespace {

Rational loss_at(const Rational& phi, const Rational& target) {
  return (phi - target) * (phi - target) / Rational(2);
}

// The sign of phi - y at a zero of phi'; 0 if both may vanish.
int residual_sign(const TokenSums& sums, TokenZero& zero, const Landscape1dOptions& options) {
  for (int bits = options.bits; bits <= options.most_bits; bits *= 2) {
    refine(zero.sum, zero.at, bits);
    const PrecisionScope scope(2 * bits + 64);
    const PreparedSum prepared(sums.residual);
    const std::size_t reference = prepared.reference(zero.at.lo);
    if (const int sign = prepared.ranges(zero.at.lo, zero.at.hi, reference, 0)[0].sign())
      return sign;
  }
  return 0;
}

CriticalKind kind_of(const TokenZero& zero, int residual) {
  if (zero.of_residual) return CriticalKind::global_minimum;
  const int left = residual * zero.slope_left, right = residual * zero.slope_right;
  if (left == right) return CriticalKind::inflection;
  return left < right ? CriticalKind::local_minimum : CriticalKind::maximum;
}

// Narrows both until one is left of the other.
bool separate(TokenZero& a, TokenZero& b, const Landscape1dOptions& options) {
  for (int bits = options.bits; bits <= options.most_bits; bits *= 2) {
    if (certainly(less(a.at.hi, b.at.lo)) || certainly(less(b.at.hi, a.at.lo))) return true;
    refine(a.sum, a.at, bits);
    refine(b.sum, b.at, bits);
  }
  return certainly(less(a.at.hi, b.at.lo)) || certainly(less(b.at.hi, a.at.lo));
}

CriticalPoint critical_point(const TokenProblem& problem, const TokenZero& zero, int residual,
                             const Landscape1dOptions& options) {
  const PrecisionScope scope(2 * options.bits + 64);
  const Ball q = zero.at.enclosure();
  const TokenValue value = evaluate(problem, q);
  const CriticalKind kind = kind_of(zero, residual);
  const bool attained = kind == CriticalKind::global_minimum;
  return {kind,
          q,
          attained ? Ball(problem.target) : value.phi,
          attained ? Ball() : value.loss(),
          value.second,
          zero.multiplicity,
          Ternary::unknown,
          std::nullopt,
          std::nullopt};
}

void find_basins(std::vector<CriticalPoint>& points) {
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (points[k].kind == CriticalKind::maximum) last = k;
    if (points[k].is_minimum()) points[k].basin_left = last;
  }
  last.reset();
  for (std::size_t k = points.size(); k-- > 0;) {
    if (points[k].kind == CriticalKind::maximum) last = k;
    if (points[k].is_minimum()) points[k].basin_right = last;
  }
}

void sort_zeros(std::vector<TokenZero>& zeros, const Landscape1dOptions& options,
                std::vector<Ball>& places) {
  for (TokenZero& zero : zeros) refine(zero.sum, zero.at, options.bits);
  std::vector<bool> clash(zeros.size(), false);
  for (std::size_t a = 0; a < zeros.size(); ++a)
    for (std::size_t b = a + 1; b < zeros.size(); ++b)
      if (!separate(zeros[a], zeros[b], options)) clash[a] = clash[b] = true;
  std::vector<TokenZero> kept;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    if (clash[k])
      places.push_back(zeros[k].at.enclosure());
    else
      kept.push_back(std::move(zeros[k]));
  }
  std::sort(kept.begin(), kept.end(), [](const TokenZero& a, const TokenZero& b) {
    return certainly(less(a.at.hi, b.at.lo));
  });
  zeros = std::move(kept);
}

}  // namespace

Landscape1d empty_landscape(const TokenProblem& problem, const TokenSums& sums) {
  Landscape1d result;
  result.limit_minus = sums.limit_minus;
  result.limit_plus = sums.limit_plus;
  result.loss_minus = loss_at(sums.limit_minus, problem.target);
  result.loss_plus = loss_at(sums.limit_plus, problem.target);
  result.infimum = Ball::hull(Ball(), min(Ball(result.loss_minus), Ball(result.loss_plus)));
  if (sums.slope.terms.empty()) {
    result.status = LandscapeStatus::constant;
    result.reason = "phi is constant";
    result.infimum = Ball(result.loss_plus);
    result.attained = Ternary::certainly_true;
  }
  return result;
}

void assemble(const TokenProblem& problem, const TokenSums& sums, TokenZeros found,
              const Landscape1dOptions& options, Landscape1d& result) {
  const PrecisionScope scope(2 * options.bits + 64);
  result.places = std::move(found.places);
  sort_zeros(found.zeros, options, result.places);
  bool simple = true;
  for (TokenZero& zero : found.zeros) {
    const int residual = zero.of_residual ? 0 : residual_sign(sums, zero, options);
    if (!zero.of_residual && residual == 0) {
      result.places.push_back(zero.at.enclosure());
      continue;
    }
    result.points.push_back(critical_point(problem, zero, residual, options));
    simple = simple && zero.multiplicity == 1;
  }
  find_basins(result.points);
  compare_losses(sums, result);
  if (!result.places.empty()) {
    result.status = LandscapeStatus::degenerate;
    result.reason = "a multiple zero of phi' or phi - y could not be excluded";
  } else if (!simple) {
    result.status = LandscapeStatus::degenerate;
    result.reason = "a multiple zero of phi' or phi - y";
  } else {
    result.status = LandscapeStatus::complete;
  }
}

}  // namespace heed::detail
