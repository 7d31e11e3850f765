// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/nuclear_solution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/margin/detail/coordinate_descent.hpp"
#include "heed/margin/detail/dense_factors.hpp"
#include "heed/margin/detail/nuclear_interior.hpp"

namespace heed::detail {
namespace {

constexpr double unbounded_value = 1e14;

// Orthonormal bases of the spans of the a_k and of the z_i, where these are small.
struct Spans {
  MatrixXd a, z;
};

// A point of the interior point method in the coordinates of the problem: Y = V V^T + small.
struct Start {
  InteriorPoint point;
  MatrixXd vectors;  // eigenvectors of Y by descending eigenvalue, times the roots
  Index rank = 0;
};

Start start_from(const ScaledRows& rows, const Spans& spans, double y, double tolerance) {
  ScaledRows reduced = rows;
  reduced.A = spans.a.transpose() * rows.A;
  reduced.Z = spans.z.transpose() * rows.Z;
  Start s;
  s.point = interior_point(reduced, y, tolerance, unbounded_value);
  const SymmetricEigen Y = symmetric_eigen(s.point.Y);
  const VectorXd S = symmetric_eigenvalues(s.point.S);
  const Index p = spans.a.cols(), N = p + spans.z.cols();
  while (s.rank < N && Y.values[N - 1 - s.rank] > S[s.rank]) ++s.rank;
  const MatrixXd roots =
      (Y.vectors * Y.values.cwiseMax(0).cwiseSqrt().asDiagonal()).rowwise().reverse();
  s.vectors.resize(rows.A.rows() + rows.Z.rows(), N);
  s.vectors << spans.a * roots.topRows(p), spans.z * roots.bottomRows(N - p);
  return s;
}

// Newton's method for given active rows; null unless the residual reaches rounding level.
struct Polished {
  std::shared_ptr<const NuclearNewton> newton;
  MatrixXd V;
  VectorXd l;
};

Polished newton_polish(const ScaledRows& active, MatrixXd V, VectorXd l) {
  Polished best;
  double last = INFINITY;
  for (int i = 0; i < 12; ++i) {
    const auto newton = std::make_shared<const NuclearNewton>(active, V, l);
    if (!newton->is_finite()) break;
    V = newton->V();
    const MatrixXd R = NuclearNewton::residual(active, V, l);
    const VectorXd c = NuclearNewton::row_residual(active, V);
    const double size = std::max(R.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff());
    if (size < 1e-11) best = {newton, V, l};
    if (!(size < 0.5 * last) && best.newton) break;
    if (!(size < 10)) break;
    last = std::min(last, size);
    if (size < 1e-15) break;
    const NuclearNewton::Step s = newton->step(R, c);
    V += s.dV;
    l += s.dl;
    if (size < 1e-11) break;  // the factor is good enough for the refinement too
  }
  if (best.newton) {
    const MatrixXd R = NuclearNewton::residual(active, V, l);
    const VectorXd c = NuclearNewton::row_residual(active, V);
    const MatrixXd R0 = NuclearNewton::residual(active, best.V, best.l);
    const VectorXd c0 = NuclearNewton::row_residual(active, best.V);
    if (R.cwiseAbs().maxCoeff() + c.cwiseAbs().maxCoeff() <
        R0.cwiseAbs().maxCoeff() + c0.cwiseAbs().maxCoeff())
      best.V = V, best.l = l;
  }
  return best;
}

// One attempt with a fixed rank: rows leave and enter the active set as signs and slacks say.
bool polish(NuclearCandidate& c, const Start& s, Index rank, std::vector<Index> active,
            const VectorXd& start) {
  VectorXd l = start;
  for (int round = 0; round < 8; ++round) {
    if (active.empty()) return false;
    VectorXd la(static_cast<Index>(active.size()));
    for (Index k = 0; k < la.size(); ++k) la[k] = l[active[static_cast<std::size_t>(k)]];
    const Polished done =
        newton_polish(c.rows.subset(active), s.vectors.leftCols(rank), std::move(la));
    if (!done.newton || done.newton->least_eigenvalue() < -1e-9) return false;
    VectorXd full = VectorXd::Zero(c.rows.size());
    for (Index k = 0; k < done.l.size(); ++k) full[active[static_cast<std::size_t>(k)]] = done.l[k];
    const VectorXd slack = NuclearNewton::row_residual(c.rows, done.V);
    std::vector<Index> next;
    const double negative = -1e-13 * full.cwiseAbs().maxCoeff();
    for (Index k = 0; k < full.size(); ++k) {
      const bool inside = std::binary_search(active.begin(), active.end(), k);
      if (inside ? c.rows.equality(k) || full[k] >= negative : slack[k] > 1e-9 * c.rows.b[k])
        next.push_back(k);
    }
    if (next == active) {
      c.V = done.V;
      c.l = full;
      c.active = active;
      c.newton = done.newton;
      return true;
    }
    l = full.cwiseMax(0);
    for (Index k = 0; k < l.size(); ++k)
      if (c.rows.equality(k)) l[k] = full[k];
    active = std::move(next);
  }
  return false;
}

std::vector<Index> all_rows(Index m) {
  std::vector<Index> rows(static_cast<std::size_t>(m));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// The rows to begin with: equalities and the least slack of a cheap Frobenius solution.
std::vector<Index> first_rows(const ScaledRows& rows, const FrobeniusCrash& crash) {
  const Index m = rows.size();
  if (m <= 120) return all_rows(m);
  VectorXd slack = rows.values(crash.W).cwiseQuotient(rows.b.cwiseMax(1e-300));
  std::vector<Index> order = all_rows(m);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return slack[a] < slack[b]; });
  const auto count = std::min<Index>(m, std::max<Index>(60, crash.support * 5 / 4));
  std::vector<Index> chosen(order.begin(), order.begin() + count);
  for (auto k = order.begin() + count; k != order.end(); ++k)
    if (rows.equality(*k)) chosen.push_back(*k);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::size_t zero_inequality(const MarginProblem& problem) {
  const auto is_zero = [](const Rational* x, std::size_t n) {
    return std::all_of(x, x + n, [](const Rational& c) { return c.sign() == 0; });
  };
  const RankOneRows& rows = problem.inequalities;
  std::size_t k = 0;
  while (k < rows.size() && !is_zero(rows.a.row(k), problem.p()) &&
         !is_zero(problem.Z.row(rows.query[k]), problem.q()))
    ++k;
  return k;
}

NuclearCandidate solve_nuclear(const MarginProblem& problem) {
  NuclearCandidate c;
  c.rows = scale_rows(problem);
  if (zero_inequality(problem) < problem.rows()) {
    c.unbounded = true;
    return c;
  }
  const FrobeniusCrash crash = frobenius_crash(c.rows);
  c.rows.rescale(static_cast<long>(std::floor(0.5 * std::log2(crash.lower_bound) + 0.5)));
  const Spans spans{column_span(c.rows.A), column_span(c.rows.Z)};
  std::vector<Index> chosen = first_rows(c.rows, crash);
  Start s;
  double y = 10;
  for (int attempt = 0, round = 0; attempt < 8 && round < 20;) {
    const bool all = static_cast<Index>(chosen.size()) == c.rows.size();
    const double tolerance = all ? 1e-8 : round == 0 ? 1e-4 : 1e-8;
    s = start_from(all ? c.rows : c.rows.subset(chosen), spans, y, tolerance);
    if (s.point.dual > unbounded_value || !std::isfinite(s.point.dual)) {
      c.unbounded = true;
      return c;
    }
    if (s.point.dual > 1e3) {  // the scale was too small by far
      c.rows.rescale(c.rows.scale + static_cast<long>(0.5 * std::log2(s.point.dual)));
      ++attempt;
      continue;
    }
    if (s.point.infeasibility > 1e-3) {
      y *= 100;
      ++attempt;
      continue;
    }
    if (all) break;
    const VectorXd value = c.rows.b - NuclearNewton::row_residual(c.rows, s.vectors);
    std::vector<Index> next = chosen;
    for (Index k = 0; k < c.rows.size(); ++k)
      if (value[k] < c.rows.b[k] * (1 - std::max(1e-7, 10 * tolerance * 0.1)) &&
          !std::binary_search(chosen.begin(), chosen.end(), k))
        next.push_back(k);
    if (next.size() == chosen.size() && tolerance <= 1e-8) break;
    std::sort(next.begin(), next.end());
    chosen = std::move(next);
    ++round;
  }
  if (!(s.point.infeasibility < 1e-4 && s.point.gap < 0.1)) {
    c.unbounded = true;
    return c;
  }
  // The multipliers and slacks of the rows that were left out: zero, and as they come.
  VectorXd l = VectorXd::Zero(c.rows.size());
  std::vector<Index> active;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto i = static_cast<Index>(k);
    l[chosen[k]] = s.point.l[i];
    if (c.rows.equality(chosen[k]) || s.point.l[i] > s.point.w[i]) active.push_back(chosen[k]);
  }
  const Index N = s.vectors.cols();
  for (const Index change : {0, 1, -1, 2, -2}) {
    const Index rank = s.rank + change;
    if (rank >= 1 && rank <= N && polish(c, s, rank, active, l)) return c;
  }
  // W = Y12 by its singular vectors: not more columns than the rank may have.
  const Index p = c.rows.A.rows(), q = c.rows.Z.rows();
  const ThinSvd svd = thin_svd(s.vectors.topRows(p) * s.vectors.bottomRows(q).transpose());
  const VectorXd roots = svd.values.cwiseSqrt();
  c.V.resize(p + q, roots.size());
  c.V << svd.u * roots.asDiagonal(), svd.v * roots.asDiagonal();
  c.l = l;
  c.active = active;
  return c;
}

}  // namespace heed::detail
