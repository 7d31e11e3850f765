// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/flat_directions.hpp"

#include <algorithm>

#include "heed/landscape/detail/flat_families.hpp"
#include "heed/landscape/detail/null_space.hpp"
#include "heed/landscape/detail/transversal.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

using Exact = std::vector<Rational>;

std::vector<Ball> to_balls(const Exact& direction) {
  std::vector<Ball> balls;
  for (const Rational& x : direction) balls.emplace_back(x);
  return balls;
}

std::vector<detail::NamedFamily> named_families(const LandscapeProblem& problem,
                                                const PointBox& box, FlatScope scope) {
  require_fits(problem, box);
  std::vector<detail::NamedFamily> all = detail::moving_flat_families(problem, box, scope);
  for (const auto& [name, directions] : detail::exact_flat_families(problem, box, scope)) {
    detail::NamedFamily f{name};
    for (const Exact& t : directions) f.add(to_balls(t), {detail::FlatName::Kind::shift, t, 0, {}});
    all.push_back(std::move(f));
  }
  return all;
}

// The directions, one a row, at these coordinates.
Matrix<Ball> cut_down(const std::vector<detail::NamedFamily>& families,
                      const std::vector<std::size_t>& coordinates) {
  std::size_t count = 0;
  for (const auto& f : families) count += f.directions.size();
  Matrix<Ball> rows(count, coordinates.size());
  std::size_t r = 0;
  for (const auto& f : families)
    for (const auto& t : f.directions) {
      for (std::size_t k = 0; k < coordinates.size(); ++k) rows(r, k) = t[coordinates[k]];
      ++r;
    }
  return rows;
}

constexpr double rank_tolerance = 1e-9;

}  // namespace

std::vector<FlatFamily> flat_families(const LandscapeProblem& problem, const PointBox& box,
                                      FlatScope scope) {
  std::vector<FlatFamily> all;
  for (detail::NamedFamily& f : named_families(problem, box, scope))
    all.push_back({std::move(f.name), std::move(f.directions)});
  return all;
}

std::vector<std::vector<Rational>> fixed_flat_space(const LandscapeProblem& problem) {
  const PointBox start{problem.start(), Rational(0), {}};
  std::vector<Exact> basis;
  std::size_t rank = 0;
  for (const auto& [name, directions] :
       detail::exact_flat_families(problem, start, FlatScope::nearby))
    for (const Exact& t : directions) {
      basis.push_back(t);
      Matrix<Rational> rows(basis.size(), t.size());
      for (std::size_t r = 0; r < basis.size(); ++r)
        std::copy(basis[r].begin(), basis[r].end(), rows.row(r));
      if (exact_rank(rows) > rank)
        ++rank;
      else
        basis.pop_back();
    }
  return basis;
}

detail::Transversal detail::prove_transversal(const LandscapeProblem& problem, const PointBox& box,
                                              FlatScope scope) {
  require_fits(problem, box);
  Transversal result{{VerdictKind::proved, "", working_precision(), false}, {}};
  if (box.frozen.empty()) return result;
  const std::vector<NamedFamily> families = named_families(problem, box, scope);
  const Matrix<Ball> rows = cut_down(families, box.frozen);
  const ApproxPivots pivots = approx_pivots(rows, rank_tolerance);
  const std::size_t count = box.frozen.size();
  if (pivots.cols.size() < count) {
    std::string missed;
    for (std::size_t k = 0; k < count && missed.empty(); ++k)
      if (std::find(pivots.cols.begin(), pivots.cols.end(), k) == pivots.cols.end())
        missed = coordinate_name(problem, box.frozen[k]);
    result.verdict.kind = VerdictKind::not_applicable;
    result.verdict.reason =
        "the frozen coordinates are not transversal to the flat directions: of " +
        std::to_string(count) + " only " + std::to_string(pivots.cols.size()) +
        " are reached, not " + missed;
    return result;
  }
  Matrix<Ball> square(count, count);
  for (std::size_t r = 0; r < count; ++r)
    std::copy(rows.row(pivots.rows[r]), rows.row(pivots.rows[r]) + count, square.row(r));
  if (!proves_nonsingular(square)) {
    result.verdict.kind = VerdictKind::not_applicable;
    result.verdict.reason =
        "the flat directions at the frozen coordinates are not proved independent over the box";
    return result;
  }
  std::vector<FlatName> names;
  for (const NamedFamily& f : families) names.insert(names.end(), f.names.begin(), f.names.end());
  for (const std::size_t row : pivots.rows) result.directions.push_back(names[row]);
  return result;
}

Verdict transversality(const LandscapeProblem& problem, const PointBox& box, FlatScope scope) {
  return detail::prove_transversal(problem, box, scope).verdict;
}

std::vector<std::size_t> approx_gauge(const LandscapeProblem& problem,
                                      const std::vector<Rational>& centre) {
  std::vector<std::size_t> all(centre.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const Matrix<Ball> rows =
      cut_down(named_families(problem, {centre, Rational(0), {}}, FlatScope::nearby), all);
  std::vector<std::size_t> frozen = detail::approx_pivots(rows, rank_tolerance).cols;
  std::sort(frozen.begin(), frozen.end());
  return frozen;
}

}  // namespace heed
