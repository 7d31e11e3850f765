// SPDX-License-Identifier: Apache-2.0
#include "unit/margin/nuclear_support.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace margin_test {
namespace {

using heed::MarginBracket;
using heed::MarginProblem;
using heed::Matrix;
using heed::RankOneRows;
using heed::Rational;
using nlohmann::json;
using Rows = Matrix<Rational>;

Rows matrix(const json& rows) {
  Rows m(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t c = 0; c < m.cols(); ++c)
      m(i, c) = Rational::parse(rows.at(i).at(c).get<std::string>());
  return m;
}

Rows product(const Rows& a, const Rows& b) {
  Rows c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k)
      for (std::size_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Rows transposed(const Rows& a) {
  Rows t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

Rational inner(const RankOneRows& rows, std::size_t k, const Rows& Z, const Rows& W) {
  Rational sum;
  for (std::size_t r = 0; r < W.rows(); ++r)
    for (std::size_t c = 0; c < W.cols(); ++c) sum += rows.a(k, r) * W(r, c) * Z(rows.query[k], c);
  return sum;
}

Rows weighted(const MarginProblem& problem, const std::vector<Rational>& lambda,
              const std::vector<Rational>& mu) {
  Rows M(problem.p(), problem.q());
  const auto add = [&](const RankOneRows& rows, const std::vector<Rational>& factor) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t r = 0; r < M.rows(); ++r)
        for (std::size_t c = 0; c < M.cols(); ++c)
          M(r, c) += factor[k] * rows.a(k, r) * problem.Z(rows.query[k], c);
  };
  add(problem.inequalities, lambda);
  add(problem.equalities, mu);
  return M;
}

std::string sign_fault(const MarginProblem& problem, const std::vector<Rational>& lambda,
                       const std::vector<Rational>& mu, Rational& total) {
  if (lambda.size() != problem.inequalities.size() || mu.size() != problem.equalities.size())
    return "wrong number of multipliers";
  for (const Rational& l : lambda) {
    if (l < Rational(0)) return "negative multiplier";
    total += l;
  }
  return {};
}

}  // namespace

std::vector<NuclearFixture> nuclear_fixtures() {
  std::vector<NuclearFixture> all;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEED_TEST_DATA) + "/fixtures"))
    if (entry.path().filename().string().rfind("attsvm_", 0) == 0) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::ifstream in(path);
    const json file = json::parse(in);
    heed::QueryInstance instance;
    for (const json& x : file.at("X")) instance.X.push_back(matrix(x));
    instance.Z = matrix(file.at("Z"));
    for (const json& a : file.at(file.contains("alpha") ? "alpha" : "opt"))
      instance.selected.push_back({a.get<std::size_t>()});
    NuclearFixture f;
    f.id = path.stem().string();
    f.problem = margin_problem(instance);
    f.feasible = file.value("feasible", true);
    if (file.contains("nuclear")) {
      f.value = Rational::parse(file["nuclear"]["value"].get<std::string>());
      f.rank = file["nuclear"]["rank_upper_bound_any_optimum"].get<std::size_t>();
    }
    all.push_back(std::move(f));
  }
  return all;
}

bool semidefinite(Rows a) {
  std::vector<bool> done(a.rows());
  for (std::size_t step = 0; step < a.rows(); ++step) {
    std::size_t k = a.rows();
    for (std::size_t i = 0; i < a.rows(); ++i)
      if (!done[i] && (k == a.rows() || a(i, i) > a(k, k))) k = i;
    done[k] = true;
    if (a(k, k) < Rational(0)) return false;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      if (done[i] || a(i, k).sign() == 0) continue;
      if (a(k, k).sign() == 0) return false;
      const Rational factor = a(i, k) / a(k, k);
      for (std::size_t j = 0; j < a.rows(); ++j)
        if (!done[j]) a(i, j) -= factor * a(k, j);
    }
  }
  return true;
}

std::string nuclear_fault(const MarginProblem& problem, const MarginBracket& bracket) {
  Rational total;
  if (std::string s = sign_fault(problem, bracket.lambda, bracket.mu, total); !s.empty()) return s;
  if (!(bracket.lo <= bracket.hi)) return "lo > hi";
  if (!(total > Rational(0))) return "no multipliers";
  const Rows M = weighted(problem, bracket.lambda, bracket.mu);
  Rows shifted = product(transposed(M), M);
  for (Rational& x : shifted.entries()) x *= -(bracket.lo * bracket.lo);
  for (std::size_t i = 0; i < shifted.rows(); ++i) shifted(i, i) += total * total;
  if (!semidefinite(std::move(shifted))) return "lo is not proved";
  if (!bracket.B || !bracket.C || bracket.B->cols() != bracket.C->cols()) return "no factors";
  const Rows W = product(*bracket.B, transposed(*bracket.C));
  for (std::size_t k = 0; k < problem.equalities.size(); ++k)
    if (inner(problem.equalities, k, problem.Z, W).sign() != 0) return "an equality is not met";
  std::optional<Rational> least;
  for (std::size_t k = 0; k < problem.inequalities.size(); ++k) {
    const Rational value = inner(problem.inequalities, k, problem.Z, W);
    if (!least || value < *least) least = value;
  }
  if (!(*least > Rational(0))) return "W does not separate";
  Rational squares;
  for (const Rational& x : bracket.B->entries()) squares += x * x;
  for (const Rational& x : bracket.C->entries()) squares += x * x;
  if (!(squares <= Rational(2) * *least * bracket.hi)) return "hi is not proved";
  return {};
}

std::string infeasibility_fault(const MarginProblem& problem, const heed::Infeasibility& proof) {
  Rational total;
  if (std::string s = sign_fault(problem, proof.lambda, proof.mu, total); !s.empty()) return s;
  if (!(total > Rational(0))) return "all multipliers are zero";
  const Rows M = weighted(problem, proof.lambda, proof.mu);
  for (const Rational& x : M.entries())
    if (x.sign() != 0) return "the combination is not zero";
  return {};
}

double gap(const MarginBracket& bracket) {
  return (bracket.hi / bracket.lo - Rational(1)).nearest_double();
}

MarginProblem gaussian_problem(std::size_t n, std::size_t T, std::size_t d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto unit = [&] {
    std::vector<double> x(d);
    double square = 0;
    for (double& c : x) {
      c = normal(random);
      square += c * c;
    }
    for (double& c : x) c /= std::sqrt(square);
    return x;
  };
  heed::QueryInstance instance;
  instance.Z = Rows(n, d);
  const std::vector<double> v = unit();
  for (std::size_t i = 0; i < n; ++i) {
    Rows X(T, d);
    const double y = random() % 2 == 0 ? 1 : -1;
    std::size_t best = 0;
    double most = -INFINITY;
    for (std::size_t t = 0; t < T; ++t) {
      const std::vector<double> x = unit();
      double score = 0;
      for (std::size_t c = 0; c < d; ++c) {
        score += y * v[c] * x[c];
        X(t, c) = Rational(x[c]);
      }
      if (score > most) {
        most = score;
        best = t;
      }
    }
    const std::vector<double> z = unit();
    for (std::size_t c = 0; c < d; ++c) instance.Z(i, c) = Rational(z[c]);
    instance.X.push_back(std::move(X));
    instance.selected.push_back({best});
  }
  return margin_problem(instance);
}

MarginProblem vocabulary_problem(unsigned seed) {
  std::mt19937_64 random(seed);
  const std::size_t d = 2 + seed % 7, n = 1 + random() % 5;
  std::vector<std::vector<long>> words;
  while (words.size() < 12) {
    std::vector<long> word(d);
    for (long& x : word) x = static_cast<long>(random() % 5) - 2;
    if (std::any_of(word.begin(), word.end(), [](long x) { return x != 0; })) words.push_back(word);
  }
  heed::QueryInstance instance;
  instance.Z = Rows(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<long>&z = words[random() % 12], &best = words[random() % 12];
    std::vector<std::vector<long>> tokens{best};
    const std::size_t others = 1 + random() % 4;
    while (tokens.size() <= others) {
      const std::vector<long>& other = words[random() % 12];
      if (other != best) tokens.push_back(other);
    }
    Rows X(tokens.size(), d);
    for (std::size_t t = 0; t < tokens.size(); ++t)
      for (std::size_t c = 0; c < d; ++c) X(t, c) = Rational(tokens[t][c]);
    for (std::size_t c = 0; c < d; ++c) instance.Z(i, c) = Rational(z[c]);
    instance.X.push_back(std::move(X));
    instance.selected.push_back({0});
  }
  return margin_problem(instance);
}

}  // namespace margin_test
