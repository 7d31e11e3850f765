// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "checks/support/certified.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/token_problems.hpp"
#include "heed/certificate/landscape_theorem.hpp"
#include "heed/landscape/decouple.hpp"
#include "heed/landscape/descent_pl.hpp"

namespace heed::checks {
namespace {

// Of what the library proves: how often it writes no certificate, or one that is not valid.
struct Losses {
  long proved = 0, refused = 0, rejected = 0;
};
std::map<std::string, Losses>& losses() {
  static std::map<std::string, Losses> all;
  return all;
}

bool few_losses(std::ostream& out) {
  bool few = true;
  for (const auto& [word, l] : losses()) {
    out << "  " << word << ": " << l.proved << " proved, " << l.refused << " without certificate, "
        << l.rejected << " not confirmed by heedcheck\n";
    few = few && 50 * (l.refused + l.rejected) <= l.proved;
  }
  return few;
}

Matrix<Rational> column(const std::vector<Rational>& x) {
  Matrix<Rational> m(x.size(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) m(i, 0) = x[i];
  return m;
}

// Tokens I, or with one further coordinate; targets are that of the token problem and another.
LandscapeProblem layer_of(const TokenProblem& token) {
  const std::size_t n = token.keys.size(), D = n + n % 2;
  KernelInstance k;
  Matrix<Rational> X(n, D);
  for (std::size_t a = 0; a < n; ++a) X(a, a) = Rational(1);
  if (D > n) X(0, n) = Rational(1, 2);
  k.X = {X};
  k.readout = token_readout(n);
  k.beta = token.beta;
  std::vector<Rational> y(n, token.target), keys = token.keys, values = token.values;
  for (std::size_t a = 1; a < n; a += 2) y[a] = token.values[a] + Rational(1, 3);
  keys.resize(D);
  values.resize(D);
  k.Y = {column(y)};
  k.weights = {{column(std::vector<Rational>(D))},
               {column(keys)},
               {column(values)},
               {column({Rational(1)})}};
  return {k, token.kernel, KernelBlock::query};
}

std::vector<Landscape1d> landscapes(const Decoupling& d) {
  std::vector<Landscape1d> all;
  std::map<std::string, std::size_t> seen;
  for (const TokenProblem& token : d.tokens) {
    const auto [place, is_new] = seen.try_emplace(token.target.to_string(), all.size());
    all.push_back(is_new ? complete_1d(token) : all[place->second]);
  }
  return all;
}

bool is_simple(const Landscape1d& r) {
  if (r.status == LandscapeStatus::constant) return true;
  if (r.status != LandscapeStatus::complete) return false;
  for (const CriticalPoint& c : r.points)
    if (c.multiplicity != 1) return false;
  return true;
}

void complete(const MhaInstance& m, Tally& tally) {
  for (const AttentionKernel kernel : attention_kernels) {
    const std::string word = "complete_1d " + std::string(kernel_word(kernel));
    const LandscapeProblem problem = layer_of(token_problem_of(m, kernel));
    const Decoupling d = decouple(problem.instance, kernel);
    require(d.applies, "the tokens are separate");
    const std::vector<Landscape1d> tokens = landscapes(d);
    const LandscapeOfSum sum = combine(d, tokens);
    bool simple = true, constant = false;
    for (const Landscape1d& token : tokens) {
      simple = simple && is_simple(token);
      constant = constant || token.status == LandscapeStatus::constant;
    }
    std::string certificate;
    Losses& count = losses()[word];
    if (simple) ++count.proved;
    try {
      certificate = complete_certificate(problem, tokens);
    } catch (const std::invalid_argument& error) {
      if (simple) ++count.refused, ++tally[word + " refused: " + error.what()];
      continue;
    }
    require(simple, word + ": a certificate of a landscape that is not complete");
    const Checked answer = heedcheck(problem, certificate);
    if (!answer.valid) {
      ++count.rejected, ++tally[word + " rejected: " + answer.reason];
      continue;
    }
    const std::string numbers = answer.after("local minima, counted in queries: ");
    if (constant) {
      require(numbers.empty(), word + ": minima are counted beside a constant term");
      ++tally[word + " with a constant term"];
      continue;
    }
    const std::size_t comma = numbers.find(", global ones: ");
    require(sum.minima && numbers.substr(0, comma) == sum.minima->to_string(),
            word + ": number of minima: " + numbers);
    if (comma != std::string::npos && sum.global_minima)
      require(numbers.substr(comma + 15) == sum.global_minima->to_string(),
              word + ": number of global minima: " + numbers);
    if (comma == std::string::npos && sum.global_minima)
      ++count.rejected, ++tally[word + " global minima not counted"];
    ++tally[word + " valid"];
    const bool benign = !answer.after("every local minimum").empty();
    const bool bad = !answer.after("f as a function of W_Q has a local minimum").empty();
    require(benign == certainly(sum.benign) && bad == certainly_not(sum.benign),
            word + ": benign, or a bad minimum");
    if (bad) ++tally[word + " with a bad minimum"];
  }
}

// A list that lacks a point, or has one that is none, proves nothing.
void incomplete(const MhaInstance& m, Tally& tally) {
  for (const AttentionKernel kernel : attention_kernels) {
    const LandscapeProblem problem = layer_of(token_problem_of(m, kernel));
    const Decoupling d = decouple(problem.instance, kernel);
    const std::vector<Landscape1d> tokens = landscapes(d);
    for (std::size_t k = 0; k < tokens.size() && k < 2; ++k) {
      for (std::size_t j = 0; j < tokens[k].points.size(); ++j) {
        std::vector<Landscape1d> other = tokens;
        other[k].points.erase(other[k].points.begin() + static_cast<std::ptrdiff_t>(j));
        std::string certificate;
        try {
          certificate = complete_certificate(problem, other);
        } catch (const std::invalid_argument&) {
          continue;
        }
        require(!heedcheck(problem, certificate).valid, "valid without a critical point");
        ++tally["without a point"];
      }
    }
  }
}

void pl(const KernelInstance& k, Tally& tally) {
  for (const KernelBlock block : {KernelBlock::value, KernelBlock::output}) {
    const LandscapeProblem problem{k, *k.kernel, block};
    const PositiveCertificate c = certify_pl(k, *k.kernel, block);
    if (c.kind != VerdictKind::proved) {
      ++tally["not applicable"];
      continue;
    }
    const std::string word = is_tame(k) ? "pl" : "pl of extreme numbers";
    Losses& count = losses()[word];
    ++count.proved;
    try {
      const Checked answer = heedcheck(problem, positive_certificate(problem, c));
      if (!answer.valid) ++count.rejected, ++tally[word + " rejected: " + answer.reason];
    } catch (const std::invalid_argument& error) {
      ++count.refused, ++tally[word + " refused: " + error.what()];
    }
  }
}

}  // namespace

std::vector<Property> theorem_certificates_properties() {
  return {{"theorem_certificates.complete_1d",
           "heedcheck confirms complete landscapes, and counts as many minima", draw_token_problem,
           60, complete, few_losses},
          {"theorem_certificates.incomplete",
           "heedcheck refuses lists that lack a critical point",
           draw_token_problem,
           20,
           incomplete,
           {}},
          kernel_property("theorem_certificates.pl", "heedcheck confirms landscape.pl", 200, pl)};
}

}  // namespace heed::checks
