// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "cli/run.hpp"
#include "heed/certificate/landscape.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/certificate/checked.hpp"
#include "unit/landscape/support.hpp"

namespace {

using cli_test::Json;
using heed::AttentionKernel;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PointBox;
using heed::PointKind;
using heed::PointReport;
using heed::Rational;
using landscape_test::small_fractions;

enum class Tokens {
  generic,
  lines,    // those of a sample on a line through 0, another one for each sample
  parallel  // all differences within samples on parallel lines
};

struct Shape {
  const char* trained;
  Tokens tokens;
  std::size_t N, n, D, d, v, p;
};

// A layer whose targets are its own outputs, roughly.
LandscapeProblem drawn(const Shape& s, AttentionKernel kernel, int state) {
  heed::KernelInstance k;
  k.X = small_fractions(s.N, s.n, s.D, state);
  const auto lines = small_fractions(s.N, 2, s.D, state);
  for (std::size_t i = 0; i < s.N; ++i)
    for (std::size_t a = 0; a < s.n; ++a)
      for (std::size_t j = 0; j < s.D; ++j) {
        const Rational step(static_cast<int>((3 * a + i) % 5) - 1, 2);
        if (s.tokens == Tokens::lines) k.X[i](a, j) = step * lines[i](0, j);
        if (s.tokens == Tokens::parallel) k.X[i](a, j) = lines[i](0, j) + step * lines[0](1, j);
      }
  k.Y = small_fractions(s.N, s.n, s.p, state);
  k.readout = heed::token_readout(s.n);
  k.beta = {Rational(1, 3), false};
  k.weights = {small_fractions(1, s.D, s.d, state), small_fractions(1, s.D, s.d, state),
               small_fractions(1, s.D, s.v, state), small_fractions(1, s.v, s.p, state)};
  LandscapeProblem problem{k, kernel, *heed::KernelBlocks::parse(s.trained)};
  const auto model = heed::LandscapeModel(problem).at(problem.start());
  for (std::size_t i = 0; i < s.N; ++i)
    for (std::size_t e = 0; e < s.n * s.p; ++e)
      problem.instance.Y[i].data()[e] =
          heed::detail::round_binary(*heed::detail::approx_midpoint(model.outputs(i).data()[e]), 8);
  return problem;
}

// The words of the gauge, with the blocks of unseen directions; heedcheck must call the file valid.
std::set<std::string> checked_words(const LandscapeProblem& problem, const PointReport& point) {
  const std::string text = landscape_certificate(problem, point);
  const std::string statements = certificate_test::checked(problem, text)["proved"].dump();
  const bool of_all = statements.find("of all trained blocks a local minimum") != std::string::npos;
  if (*strongest_claim(point) == heed::PointClaim::minimum)
    CHECK(of_all == (point.kind == PointKind::minimum_modulo_gauge));
  std::set<std::string> words;
  const Json certificate = Json::parse(text);
  if (!certificate.contains("gauge")) return words;
  for (const Json& g : certificate["gauge"])
    words.insert(g.begin().key() + (g.contains("E") ? " E" : "") +
                 (g.contains("block") ? " " + g["block"].get<std::string>() : ""));
  return words;
}

const Shape shapes[] = {{"W_Q,W_K", Tokens::lines, 2, 3, 2, 1, 1, 2},
                        {"W_Q,W_K", Tokens::lines, 2, 4, 2, 2, 2, 2},
                        {"W_Q,W_K", Tokens::lines, 3, 4, 3, 2, 2, 2},
                        {"W_Q,W_K", Tokens::parallel, 3, 3, 3, 2, 2, 2},
                        {"W_V,W_O", Tokens::generic, 1, 3, 3, 1, 2, 1},
                        {"W_V,W_O", Tokens::generic, 1, 3, 1, 1, 2, 3},
                        {"W_V,W_O", Tokens::generic, 2, 2, 2, 1, 3, 2},
                        {"W_Q,W_K,W_V,W_O", Tokens::generic, 1, 4, 1, 2, 2, 1}};

TEST_CASE("points on any gauge have certificates that heedcheck calls valid") {
  const heed::PrecisionScope precision(128);
  std::size_t written = 0;
  for (const AttentionKernel kernel : landscape_test::all_kernels()) {
    std::set<std::string> words;
    for (const Shape& s : shapes)
      for (const int seed : {5, 6, 7, 8}) {
        INFO(heed::kernel_word(kernel) << " " << s.trained << " D " << s.D << " seed " << seed);
        const LandscapeProblem problem = drawn(s, kernel, seed);
        const PointReport point = certify_point(problem, {problem.start(), Rational(0), {}}, {});
        if (!strongest_claim(point)) continue;
        ++written;
        const std::set<std::string> found = checked_words(problem, point);
        words.insert(found.begin(), found.end());
      }
    std::set<std::string> expected = {"mix", "shift", "turn", "unseen W_V", "unseen W_O"};
    if (kernel != AttentionKernel::gaussian_normalised) expected.insert("turn E");
    if (is_normalised(kernel)) expected.insert("unseen W_Q");
    INFO(heed::kernel_word(kernel));
    CHECK(words == expected);
  }
  CHECK(written > 70);
}

}  // namespace
