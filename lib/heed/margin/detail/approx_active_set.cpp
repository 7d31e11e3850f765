// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/approx_active_set.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

namespace heed::detail {
namespace {

constexpr std::size_t few_rows = 150;
constexpr int most_epochs = 40;
constexpr double enough_gap = 1e-4;
constexpr double least_pivot = 1e-6;

/// Bracket of the squared norm that multipliers u with slacks G u - b prove up to rounding: hi/lo - 1.
double gap(const GramSystem<double>& system, const std::vector<double>& u,
           const std::vector<double>& slack) {
  double linear = 0, quadratic = 0, least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < system.m; ++k) {
    linear += system.b[k] * u[k];
    quadratic += u[k] * (slack[k] + system.b[k]);
    if (k >= system.equalities) least = std::min(least, slack[k] / system.b[k] + 1);
  }
  if (!(least > 0)) return std::numeric_limits<double>::infinity();
  return quadratic * quadratic / (least * least * linear * linear) - 1;
}

/// Rows with positive multiplier after some epochs of dual coordinate descent; none if it is slow.
std::vector<std::size_t> coordinate_descent(const GramSystem<double>& system) {
  std::vector<double> u(system.m), slack(system.m);
  for (std::size_t k = 0; k < system.m; ++k) slack[k] = -system.b[k];
  std::vector<std::size_t> order(system.m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(1);
  double reached = std::numeric_limits<double>::infinity();
  for (int epoch = 1; epoch <= most_epochs; ++epoch) {
    for (std::size_t k = system.m; k-- > 1;) std::swap(order[k], order[random() % (k + 1)]);
    for (const std::size_t k : order) {
      double step = -slack[k];
      if (k >= system.equalities) step = std::max(step, -u[k]);
      if (step == 0) continue;
      u[k] += step;
      const double* g = system.row(k);
      for (std::size_t l = 0; l < system.m; ++l) slack[l] += step * g[l];
    }
    const double now = gap(system, u, slack);
    if (now < enough_gap) break;
    if (epoch % 20 == 0) {
      if (!(now < reached / 10)) return {};
      reached = now;
    }
  }
  std::vector<std::size_t> rows;
  for (std::size_t k = system.equalities; k < system.m; ++k)
    if (u[k] > 0) rows.push_back(k);
  return rows;
}

class BlockExchange {
 public:
  explicit BlockExchange(const GramSystem<double>& system) : system_(system) {}

  /// The rows to go on with, and whether they are the answer.
  ApproxActiveSet run(const std::vector<std::size_t>& crash) {
    std::vector<std::size_t> rows(system_.equalities);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    Settled best = *settle({});
    if (system_.equalities > 0) {
      std::optional<Settled> equal = settle(rows);
      if (!equal) return search_from({});
      best = std::move(*equal);
    }
    if (!crash.empty()) {
      std::vector<std::size_t> q = best.rows;
      q.insert(q.end(), crash.begin(), crash.end());
      if (std::optional<Settled> s = settle(std::move(q)); s && rises(*s, best))
        best = std::move(*s);
    }
    for (bool first = true;; first = false) {
      std::vector<std::size_t> violated = most_violated(best, first && crash.empty());
      if (violated.empty()) return {ActiveSetEnd::optimal, best.rows, best.u};
      std::vector<std::size_t> q = best.rows;
      q.insert(q.end(), violated.begin(), violated.end());
      std::optional<Settled> s = settle(std::move(q));
      if (!s || !rises(*s, best)) return search_from(best.rows);
      best = std::move(*s);
    }
  }

 private:
  struct Settled {
    std::vector<std::size_t> rows;
    std::vector<double> u;
    double objective = 0;
  };

  static bool rises(const Settled& s, const Settled& than) {
    return s.objective > than.objective * (1 + 1e-14);
  }

  ApproxActiveSet search_from(const std::vector<std::size_t>& rows) const {
    return run_dual_active_set(system_, rows);
  }

  // Solves G_QQ v = b_Q and drops inequalities with v <= 0 until there are none; nothing if the rows
  // are numerically dependent.
  std::optional<Settled> settle(std::vector<std::size_t> rows) const {
    while (!rows.empty()) {
      const auto p = static_cast<Eigen::Index>(rows.size());
      Eigen::MatrixXd G(p, p);
      Eigen::VectorXd b(p);
      for (Eigen::Index j = 0; j < p; ++j) {
        const double* g = system_.row(rows[static_cast<std::size_t>(j)]);
        b[j] = system_.b[rows[static_cast<std::size_t>(j)]];
        for (Eigen::Index i = j; i < p; ++i) G(i, j) = g[rows[static_cast<std::size_t>(i)]];
      }
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(G);
      if (factor.info() != Eigen::Success || !(G.diagonal().minCoeff() > least_pivot))
        return std::nullopt;
      const Eigen::VectorXd v = factor.solve(b);
      Settled s;
      std::vector<std::size_t> kept;
      for (Eigen::Index j = 0; j < p; ++j) {
        const std::size_t k = rows[static_cast<std::size_t>(j)];
        if (k < system_.equalities || v[j] > 0) kept.push_back(k);
      }
      if (kept.size() == rows.size()) {
        s.u.assign(v.data(), v.data() + p);
        s.rows = std::move(rows);
        s.objective = b.dot(v) / 2;
        return s;
      }
      rows = std::move(kept);
    }
    return Settled{};
  }

  std::vector<std::size_t> most_violated(const Settled& s, bool first) const {
    std::vector<double> slack(system_.m);
    double size = 1;
    for (std::size_t j = 0; j < s.rows.size(); ++j) {
      size += std::fabs(s.u[j]);
      const double* g = system_.row(s.rows[j]);
      for (std::size_t k = 0; k < system_.m; ++k) slack[k] += s.u[j] * g[k];
    }
    for (std::size_t k = 0; k < system_.m; ++k) slack[k] -= system_.b[k];
    for (const std::size_t k : s.rows) slack[k] = 0;
    const double tolerance = 16 * std::numeric_limits<double>::epsilon() * size;
    std::vector<std::size_t> violated;
    for (std::size_t k = system_.equalities; k < system_.m; ++k)
      if (slack[k] < -tolerance) violated.push_back(k);
    const std::size_t most = first ? std::max<std::size_t>(16, system_.m / 6)
                                   : std::max<std::size_t>(24, s.rows.size() / 3);
    std::stable_sort(violated.begin(), violated.end(),
                     [&](std::size_t i, std::size_t j) { return slack[i] < slack[j]; });
    if (violated.size() > most) violated.resize(most);
    return violated;
  }

  const GramSystem<double>& system_;
};

}  // namespace

ApproxActiveSet approx_active_set(const GramSystem<double>& system) {
  if (system.m <= few_rows) return run_dual_active_set(system, {});
  return BlockExchange(system).run(coordinate_descent(system));
}

}  // namespace heed::detail
