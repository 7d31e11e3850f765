// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/margin.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "heed/certificate/detail/writing.hpp"
#include "heed/margin/direction.hpp"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using detail::fraction;
using detail::HashText;
using detail::integer_array;
using detail::IntegerArray;
using detail::text;
using detail::to_json;

/// The data of a certificate: what its hash names.
struct Statement {
  Json fields = Json::object();
  std::string sha256;
};

/// The selected tokens are exactly those of the largest score.
bool selects_the_best(const QueryInstance& instance) {
  if (!instance.v) return false;
  const auto gamma = scores(instance);
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    const Rational& best = *std::max_element(gamma[i].begin(), gamma[i].end());
    const auto& selected = instance.selected[i];
    for (std::size_t t = 0; t < gamma[i].size(); ++t) {
      const bool is_selected = std::find(selected.begin(), selected.end(), t) != selected.end();
      if ((gamma[i][t] == best) != is_selected) return false;
    }
  }
  return true;
}

Statement statement(const QueryInstance& instance,
                    const std::vector<Rational>* right_sides = nullptr) {
  std::vector<Rational> tokens;
  std::vector<std::size_t> lengths;
  for (const auto& x : instance.X) {
    tokens.insert(tokens.end(), x.entries().begin(), x.entries().end());
    lengths.push_back(x.rows());
  }
  const IntegerArray X = integer_array(tokens), Z = integer_array(instance.Z.entries());
  Statement s;
  s.fields = {
      {"form", "tokens"}, {"n", instance.inputs()}, {"d", instance.dim()},        {"T", lengths},
      {"X", to_json(X)},  {"Z", to_json(Z)},        {"select", instance.selected}};
  HashText text("heed-certificate-1 tokens");
  text.named("n", instance.inputs());
  text.named("d", instance.dim());
  text.item("T");
  for (const std::size_t length : lengths) text.item(length);
  text.named("X", X);
  text.named("Z", Z);
  text.item("select");
  for (const auto& selected : instance.selected) {
    text.item(selected.size());
    for (const std::size_t t : selected) text.item(t);
  }
  if (right_sides != nullptr) {
    const IntegerArray rhs = integer_array(*right_sides);
    s.fields["rhs"] = to_json(rhs);
    text.named("rhs", rhs);
  }
  if (selects_the_best(instance)) {
    const IntegerArray v = integer_array(*instance.v);
    s.fields["scores"] = {{"y", instance.y}, {"v", to_json(v)}};
    text.item("scores");
    for (const int label : instance.y) text.item(std::to_string(label));
    text.array(v);
  }
  if (instance.self) {
    s.fields["self"] = std::vector<int>(instance.inputs(), 0);
    text.item("self");
    for (std::size_t i = 0; i < instance.inputs(); ++i) text.item("0");
  }
  s.sha256 = text.digest();
  return s;
}

Statement statement(const RowsInstance& instance) {
  const IntegerArray F = integer_array(instance.F.entries());
  HashText text("heed-certificate-1 rows");
  text.named("n", instance.F.rows());
  text.named("d", instance.F.cols());
  text.named("F", F);
  return {{{"form", "rows"}, {"n", instance.F.rows()}, {"d", instance.F.cols()}, {"F", to_json(F)}},
          text.digest()};
}

/// Multipliers on one common scale, zeros left out.
Json multipliers(const std::vector<Rational>& all, const Rational& scale) {
  std::vector<std::size_t> index;
  std::vector<std::string> number;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].sign() == 0) continue;
    index.push_back(k);
    number.push_back(detail::integer_string(all[k] * scale));
  }
  return {{"idx", index}, {"num", number}};
}

Json certificate(const Statement& s, const std::string& kind, const std::string& problem) {
  Json j = {{"format", "heed-certificate-1"}, {"version", 1}, {"kind", kind}};
  j["form"] = s.fields["form"];
  j["problem"] = problem;
  j.update(s.fields);
  j["sha256"] = s.sha256;
  return j;
}

void add_multipliers(Json& j, const std::vector<Rational>& lambda,
                     const std::vector<Rational>& mu) {
  const Rational scale = detail::common_denominator(lambda, detail::common_denominator(mu));
  j["lambda"] = multipliers(lambda, scale);
  if (!mu.empty()) j["mu"] = multipliers(mu, scale);
}

const char* problem_word(MarginNorm norm) { return norm == MarginNorm::nuclear ? "nuc" : "fro"; }

void add_claim(Json& j, const MarginBracket& b) {
  j["claim"] = {{"lo", fraction(b.lo)}, {"hi", fraction(b.hi)}};
}

}  // namespace

std::string certificate_sha256(const QueryInstance& instance) { return statement(instance).sha256; }
std::string certificate_sha256(const RowsInstance& instance) { return statement(instance).sha256; }
std::string certificate_sha256(const QueryInstance& instance, const std::vector<Rational>& gaps) {
  return statement(instance, &gaps).sha256;
}

std::string margin_certificate(const QueryInstance& instance, MarginNorm norm,
                               const MarginBracket& bracket, const std::string& info) {
  Json j = certificate(statement(instance), "margin", problem_word(norm));
  add_multipliers(j, bracket.lambda, bracket.mu);
  if (norm == MarginNorm::nuclear) {
    if (!bracket.B || !bracket.C)
      throw std::invalid_argument("margin_certificate: a nuclear bracket has B and C");
    const Rational scale = detail::common_denominator(
        bracket.B->entries(), detail::common_denominator(bracket.C->entries()));
    const auto scaled = [&](const Matrix<Rational>& a) {
      std::vector<std::string> numbers;
      for (const Rational& q : a.entries()) numbers.push_back(detail::integer_string(q * scale));
      return numbers;
    };
    j["primal"] = {{"r", bracket.B->cols()}, {"B", scaled(*bracket.B)}, {"C", scaled(*bracket.C)}};
  } else if (bracket.W || !bracket.mu.empty()) {
    const Matrix<Rational> W = bracket_point(margin_problem(instance), bracket);
    j["primal"] = {{"W", integer_array(W.entries()).num}};
  }
  add_claim(j, bracket);
  return text(std::move(j), info);
}

std::string margin_certificate(const RowsInstance& instance, const MarginBracket& bracket,
                               const std::string& info) {
  Json j = certificate(statement(instance), "margin", "fro");
  add_multipliers(j, bracket.lambda, {});
  if (bracket.W) j["primal"] = {{"w", integer_array(bracket.W->entries()).num}};
  add_claim(j, bracket);
  return text(std::move(j), info);
}

std::string equalities_certificate(const QueryInstance& instance, const LeastMatrix& least,
                                   const std::string& info) {
  Json j = certificate(statement(instance, &least.gaps), "margin", "fro-eq");
  j["mu"] = multipliers(least.mu, detail::common_denominator(least.mu));
  const IntegerArray W = integer_array(least.W_fin.entries());
  j["primal"] = {{"W", W.num}, {"den", W.den}};
  j["claim"] = {{"lo", fraction(least.squared_norm)}, {"hi", fraction(least.squared_norm)}};
  return text(std::move(j), info);
}

std::string infeasible_certificate(const QueryInstance& instance, MarginNorm norm,
                                   const Infeasibility& proof, const std::string& info) {
  Json j = certificate(statement(instance), "infeasible", problem_word(norm));
  add_multipliers(j, proof.lambda, proof.mu);
  return text(std::move(j), info);
}

std::string infeasible_certificate(const RowsInstance& instance, const Infeasibility& proof,
                                   const std::string& info) {
  Json j = certificate(statement(instance), "infeasible", "fro");
  add_multipliers(j, proof.lambda, {});
  return text(std::move(j), info);
}

}  // namespace heed
