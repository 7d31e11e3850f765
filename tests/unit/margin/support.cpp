// SPDX-License-Identifier: Apache-2.0
#include "unit/margin/support.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace margin_test {
namespace {

using nlohmann::json;

Rational number(const json& value) { return Rational::parse(value.get<std::string>()); }

Matrix<Rational> matrix(const json& rows) {
  Matrix<Rational> m(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t c = 0; c < m.cols(); ++c) m(i, c) = number(rows[i][c]);
  return m;
}

Fixture read(const std::filesystem::path& path) {
  std::ifstream in(path);
  const json file = json::parse(in);
  heed::QueryInstance instance;
  for (const json& x : file.at("X")) instance.X.push_back(matrix(x));
  instance.Z = matrix(file.at("Z"));
  for (const json& a : file.at(file.contains("alpha") ? "alpha" : "alpha_final"))
    instance.selected.push_back({a.get<std::size_t>()});
  Fixture fixture;
  fixture.id = path.stem().string();
  fixture.problem = margin_problem(instance);
  if (file.contains("feasible")) fixture.feasible = file["feasible"].get<bool>();
  if (file.contains("margin")) fixture.margin = file["margin"].get<std::string>();
  if (file.contains("frobenius")) {
    fixture.norm2 = number(file["frobenius"]["norm2"]);
    fixture.W = matrix(file["frobenius"]["W"]);
  }
  return fixture;
}

using Dense = std::vector<Rational>;

Rational product(const Dense& a, const Dense& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<Dense> dense(const heed::RankOneRows& rows, const Matrix<Rational>& Z) {
  std::vector<Dense> all;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Dense a;
    for (std::size_t r = 0; r < rows.a.cols(); ++r)
      for (std::size_t s = 0; s < Z.cols(); ++s) a.push_back(rows.a(k, r) * Z(rows.query[k], s));
    all.push_back(std::move(a));
  }
  return all;
}

void add(Dense& sum, const Rational& factor, const Dense& a) {
  if (factor.sign() == 0) return;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * a[k];
}

struct Sums {
  std::vector<Dense> A, E;
  Dense M;
  Rational total;
  std::string fault;

  Sums(const MarginProblem& problem, const std::vector<Rational>& lambda,
       const std::vector<Rational>& mu)
      : A(dense(problem.inequalities, problem.Z)), E(dense(problem.equalities, problem.Z)) {
    if (lambda.size() != A.size() || mu.size() != E.size()) {
      fault = "wrong number of multipliers";
      return;
    }
    M.resize(problem.p() * problem.q());
    for (std::size_t k = 0; k < A.size(); ++k) {
      if (lambda[k] < Rational(0)) fault = "negative multiplier of row " + std::to_string(k);
      total += lambda[k];
      add(M, lambda[k], A[k]);
    }
    for (std::size_t k = 0; k < E.size(); ++k) add(M, mu[k], E[k]);
  }
};

}  // namespace

std::vector<Fixture> fixtures() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEED_TEST_DATA) + "/fixtures"))
    if (entry.path().filename().string().rfind("attsvm_", 0) == 0 &&
        entry.path().filename().string().rfind("attsvm_traj", 0) != 0)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Fixture> all;
  for (const auto& file : files) all.push_back(read(file));
  return all;
}

Fixture trajectory_fixture(int seed) {
  return read(std::string(HEED_TEST_DATA) + "/fixtures/attsvm_traj_seed" + std::to_string(seed) +
              ".json");
}

std::string fault(const MarginProblem& problem, const MarginBracket& bracket) {
  const Sums sums(problem, bracket.lambda, bracket.mu);
  if (!sums.fault.empty()) return sums.fault;
  if (bracket.hi < bracket.lo) return "lo > hi";
  const Rational norm2 = product(sums.M, sums.M);
  if (!(bracket.lo * norm2 <= sums.total * sums.total)) return "lo is not proved";
  const Dense W = bracket.W ? bracket.W->entries() : sums.M;
  for (const Dense& e : sums.E)
    if (product(e, W).sign() != 0) return "W does not meet the equalities";
  Rational least;
  for (std::size_t k = 0; k < sums.A.size(); ++k) {
    const Rational value = product(sums.A[k], W);
    if (k == 0 || value < least) least = value;
  }
  if (!(least > Rational(0))) return "W does not separate";
  if (!(bracket.hi * least * least >= product(W, W))) return "hi is not proved";
  return {};
}

std::string optimality_fault(const MarginProblem& problem, const MarginBracket& bracket) {
  if (std::string found = fault(problem, bracket); !found.empty()) return found;
  if (!(bracket.lo == bracket.hi)) return "lo < hi";
  const Sums sums(problem, bracket.lambda, bracket.mu);
  if (!(sums.total == bracket.lo)) return "sum of lambda is not the optimum";
  for (std::size_t k = 0; k < sums.A.size(); ++k) {
    const Rational value = product(sums.A[k], sums.M);
    if (value < Rational(1)) return "row " + std::to_string(k) + " is violated";
    if (bracket.lambda[k].sign() != 0 && !(value == Rational(1)))
      return "row " + std::to_string(k) + " is slack and has a multiplier";
  }
  return {};
}

std::string fault(const MarginProblem& problem, const Infeasibility& proof) {
  const Sums sums(problem, proof.lambda, proof.mu);
  if (!sums.fault.empty()) return sums.fault;
  if (!(sums.total > Rational(0))) return "all multipliers are zero";
  for (const Rational& x : sums.M)
    if (x.sign() != 0) return "the combination is not zero";
  return {};
}

std::optional<Rational> reference_norm2(const MarginProblem& problem) {
  std::vector<Dense> A = dense(problem.inequalities, problem.Z), basis;
  const auto project = [&](Dense& a) {
    for (const Dense& e : basis) add(a, -product(a, e) / product(e, e), e);
  };
  for (Dense& e : dense(problem.equalities, problem.Z)) {
    project(e);
    if (product(e, e).sign() != 0) basis.push_back(e);
  }
  for (Dense& a : A) project(a);
  const std::size_t m = A.size();
  Matrix<Rational> G(m, m);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l <= k; ++l) G(k, l) = G(l, k) = product(A[k], A[l]);
  const auto solve = [&](const std::vector<std::size_t>& P) {
    const std::size_t p = P.size();
    Matrix<Rational> h(p, p + 1);
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t j = 0; j < p; ++j) h(i, j) = G(P[i], P[j]) + Rational(1);
      h(i, p) = Rational(1);
    }
    for (std::size_t c = 0; c < p; ++c)  // positive definite: no pivot is zero
      for (std::size_t i = 0; i < p; ++i) {
        if (i == c) continue;
        const Rational factor = h(i, c) / h(c, c);
        for (std::size_t j = c; j <= p; ++j) h(i, j) -= factor * h(c, j);
      }
    Dense x(p);
    for (std::size_t i = 0; i < p; ++i) x[i] = h(i, p) / h(i, i);
    return x;
  };
  Dense lambda(m);
  std::vector<std::size_t> P;
  for (;;) {
    Rational kappa(1);
    for (const Rational& l : lambda) kappa -= l;
    std::size_t best = m;
    Rational most;
    for (std::size_t k = 0; k < m; ++k) {
      Rational w = kappa;
      for (const std::size_t l : P) w -= G(k, l) * lambda[l];
      if (w > most) {
        most = w;
        best = k;
      }
    }
    if (best == m) {
      if (kappa.sign() == 0) return std::nullopt;
      return (Rational(1) - kappa) / kappa;
    }
    P.push_back(best);
    for (;;) {
      const Dense x = solve(P);
      Rational step(1);
      for (std::size_t j = 0; j < P.size(); ++j)
        if (x[j].sign() <= 0) {
          const Rational t = lambda[P[j]] / (lambda[P[j]] - x[j]);
          if (t < step) step = t;
        }
      std::vector<std::size_t> kept;
      for (std::size_t j = 0; j < P.size(); ++j) {
        lambda[P[j]] += step * (x[j] - lambda[P[j]]);
        if (lambda[P[j]].sign() > 0) kept.push_back(P[j]);
      }
      const bool done = kept.size() == P.size() && step == Rational(1);
      P = std::move(kept);
      if (done) break;
    }
  }
}

std::string exactness_fault(const MarginProblem& problem, const heed::FrobeniusMargin& margin,
                            const std::optional<Rational>& norm2) {
  if (const auto* proof = std::get_if<Infeasibility>(&margin.result)) {
    if (norm2) return "called infeasible";
    return fault(problem, *proof);
  }
  const auto* bracket = std::get_if<MarginBracket>(&margin.result);
  if (bracket == nullptr) return "not decided";
  if (!norm2) return "called feasible";
  if (std::string found = optimality_fault(problem, *bracket); !found.empty()) return found;
  if (!(bracket->lo == *norm2)) return "another optimum than the reference";
  if (!margin.exact()) return "not exact";
  std::size_t positive = 0;
  for (const Rational& l : bracket->lambda) positive += l.sign() > 0 ? 1 : 0;
  return positive == margin.active.size() ? "" : "active rows differ from positive multipliers";
}

MarginProblem rows_problem(const std::vector<std::vector<Rational>>& rows) {
  heed::RowsInstance instance;
  instance.F = Matrix<Rational>(rows.size(), rows[0].size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t c = 0; c < rows[k].size(); ++c) instance.F(k, c) = rows[k][c];
  return margin_problem(instance);
}

MarginProblem token_problem(const std::vector<Matrix<Rational>>& X, const Matrix<Rational>& Z,
                            std::size_t selected_per_input) {
  heed::QueryInstance instance;
  instance.X = X;
  instance.Z = Z;
  for (std::size_t i = 0; i < X.size(); ++i) {
    instance.selected.emplace_back();
    for (std::size_t s = 0; s < selected_per_input; ++s) instance.selected.back().push_back(s);
  }
  return margin_problem(instance);
}

Matrix<Rational> random_integers(std::mt19937_64& random, std::size_t rows, std::size_t cols,
                                 long most) {
  Matrix<Rational> m(rows, cols);
  const auto range = static_cast<std::uint64_t>(2 * most + 1);
  for (Rational& x : m.entries()) x = Rational(static_cast<long>(random() % range) - most);
  return m;
}

Matrix<Rational> random_normal(std::mt19937_64& random, std::size_t rows, std::size_t cols) {
  std::normal_distribution<double> normal;
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries()) x = Rational(std::lround(4096 * normal(random)), 4096);
  return m;
}

Matrix<Rational> random_doubles(std::mt19937_64& random, std::size_t rows, std::size_t cols) {
  std::normal_distribution<double> normal;
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries()) x = Rational(normal(random));
  return m;
}

}  // namespace margin_test
