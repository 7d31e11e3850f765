// SPDX-License-Identifier: Apache-2.0
// Frobenius max-margin problems: one JSON line a measurement,
//   {"name", "shape", "seconds", "error", "norm", "active"}   processor time of one call, median; error:
//                                                     proved relative width of ||W||_F (null: no proof)
//
//   bench_margin N,T,D [EXACT_ACTIVE [SECONDS]]   unit tokens, unit queries, best token by score
//   bench_margin digits FILE                      all pairs of classes of a csv of numbers, label last
//
// double: from the exact rows to multipliers; solve: its active set method alone, on a prepared Gram
// matrix, as the peers are timed. Exact optima are measured up to EXACT_ACTIVE rows in use (default 120).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "heed/margin/approx_frobenius.hpp"
#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/margin/detail/scaled_system.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/margin/frobenius_bracket.hpp"
#include "random_inputs.hpp"

namespace {

using heed::FrobeniusMargin;
using heed::MarginProblem;
using heed::Matrix;
using heed::Rational;

void print(const std::string& name, const std::string& shape, double seconds,
           const FrobeniusMargin* margin, std::size_t active) {
  std::string error = "null", norm = "null";
  if (margin != nullptr) {
    if (const auto* b = std::get_if<heed::MarginBracket>(&margin->result)) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3e", (b->hi / b->lo - Rational(1)).nearest_double() / 2);
      error = text;
      std::snprintf(text, sizeof text, "%.17g", std::sqrt(b->lo.nearest_double()));
      norm = text;
    }
  }
  std::printf(
      "{\"name\": \"%s\", \"shape\": \"%s\", \"seconds\": %.6g, \"error\": %s, \"norm\": %s, "
      "\"active\": %zu}\n",
      name.c_str(), shape.c_str(), seconds, error.c_str(), norm.c_str(), active);
  std::fflush(stdout);
}

void measure(const std::string& name, const std::string& shape, double budget,
             const std::function<FrobeniusMargin()>& call) {
  FrobeniusMargin margin;
  const double seconds = heed::bench::median_seconds(budget, [&] { margin = call(); });
  print(name, shape, seconds, &margin, margin.active.size());
}

int digits(const char* path) {
  std::map<int, std::vector<std::vector<long>>> images;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::vector<long> row;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stol(field));
    const int label = static_cast<int>(row.back());
    row.pop_back();
    images[label].push_back(std::move(row));
  }
  if (images.empty()) {
    std::fprintf(stderr, "bench_margin: no rows in %s\n", path);
    return 3;
  }
  double total = 0;
  for (const auto& [first, a] : images)
    for (const auto& [second, b] : images) {
      if (second <= first) continue;
      heed::RowsInstance instance;
      instance.F = Matrix<Rational>(a.size() + b.size(), a[0].size());
      for (std::size_t k = 0; k < a.size() + b.size(); ++k)
        for (std::size_t c = 0; c < a[0].size(); ++c)
          instance.F(k, c) = Rational(k < a.size() ? a[k][c] : -b[k - a.size()][c]);
      const double start = heed::bench::thread_seconds();
      const FrobeniusMargin margin = heed::frobenius_margin(margin_problem(instance));
      const double seconds = heed::bench::thread_seconds() - start;
      total += seconds;
      const auto* infeasible = std::get_if<heed::Infeasibility>(&margin.result);
      print(infeasible ? "digits_infeasible" : "digits_" + margin.method,
            std::to_string(first) + "-" + std::to_string(second), seconds, &margin,
            margin.active.size());
    }
  std::fprintf(stderr, "total %.2f s\n", total);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = 0, T = 0, d = 0;
  if (argc == 3 && std::string(argv[1]) == "digits") return digits(argv[2]);
  if (argc < 2 || argc > 4 || std::sscanf(argv[1], "%zu,%zu,%zu", &n, &T, &d) != 3 || n == 0 ||
      T < 2 || d == 0) {
    std::fprintf(stderr, "usage: bench_margin N,T,D [EXACT_ACTIVE [SECONDS]] | digits FILE\n");
    return 64;
  }
  const auto most_exact = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 120);
  const double budget = argc > 3 ? std::atof(argv[3]) : 0.5;
  const MarginProblem problem = heed::bench::unit_problem(n, T, d);
  heed::approx::FrobeniusMultipliers found;
  const double seconds = heed::bench::median_seconds(
      budget, [&] { found = heed::approx::frobenius_multipliers(problem); });
  print("double", argv[1], seconds, nullptr, found.active.size());
  const heed::detail::IntegerProblem rows = heed::detail::integer_problem(problem);
  const auto system = heed::detail::double_system(rows, heed::detail::row_scales(rows));
  heed::detail::ApproxActiveSet solved;
  const double solve = heed::bench::median_seconds(
      budget, [&] { solved = heed::detail::approx_active_set(system); });
  print("solve", argv[1], solve, nullptr, solved.active.size());
  for (const int bits : {30, 64, 133, 200})
    measure("bracket_" + std::to_string(bits) + "_bits", argv[1], budget,
            [&] { return heed::frobenius_bracket(problem, bits); });
  if (found.active.size() <= most_exact)
    measure("exact", argv[1], budget, [&] { return heed::exact_frobenius(problem); });
}
