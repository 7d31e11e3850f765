// SPDX-License-Identifier: Apache-2.0
// The max-margin problem in the nuclear norm: one JSON line a measurement,
//   {"name", "shape", "seconds", "error"}   processor time of one call, median; error: hi / lo - 1
//
//   bench_nuclear [SHAPE...]    n,T,d: 6,8,10  20,10,20  50,16,32 (the default), 100,32,64
//
// Unit tokens and queries, Gaussian; the selected token is the best by y x^T v. nuclear_double is
// the approximate pair, nuclear_9 and nuclear_40 are proved brackets of so many digits.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "heed/margin/approx_nuclear.hpp"
#include "heed/margin/nuclear_bracket.hpp"
#include "random_inputs.hpp"

namespace {

using heed::MarginBracket;
using heed::MarginProblem;
using heed::Rational;

void row(const char* name, const std::string& shape, double seconds, double error) {
  std::printf("{\"name\": \"%s\", \"shape\": \"%s\", \"seconds\": %.6e, \"error\": %.2e}\n", name,
              shape.c_str(), seconds, error);
  std::fflush(stdout);
}

void measure(const std::string& shape) {
  std::size_t n = 0, T = 0, d = 0;
  if (std::sscanf(shape.c_str(), "%zu,%zu,%zu", &n, &T, &d) != 3) {
    std::fprintf(stderr, "bench_nuclear: expected n,T,d, found %s\n", shape.c_str());
    std::exit(64);
  }
  const MarginProblem problem = heed::bench::unit_problem(n, T, d);
  const double budget = 1;
  double value = 0;
  const double seconds = heed::bench::median_seconds(
      budget, [&] { value = heed::approx::nuclear_pair(problem).value; });
  MarginBracket bracket;
  const auto bracketed = [&](const char* name, int digits) {
    const double proved = heed::bench::median_seconds(budget, [&] {
      bracket = std::get<MarginBracket>(heed::nuclear_bracket(problem, digits).result);
    });
    row(name, shape, proved, (bracket.hi / bracket.lo - Rational(1)).nearest_double());
  };
  bracketed("nuclear_9", 9);
  bracketed("nuclear_40", 40);
  row("nuclear_double", shape, seconds, std::fabs(value / bracket.lo.nearest_double() - 1));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> shapes(argv + 1, argv + argc);
  if (shapes.empty()) shapes = {"6,8,10", "20,10,20", "50,16,32"};
  for (const std::string& shape : shapes) measure(shape);
}
