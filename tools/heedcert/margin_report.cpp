// SPDX-License-Identifier: Apache-2.0
#include "margin_report.hpp"

#include <algorithm>

#include "heed/data/input_error.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/margin/direction.hpp"
#include "heed/numeric/format.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using heed::MarginBracket;
using heed::Rational;

int bits_for(int digits) { return std::max(64, digits * 10 / 3 + 16); }

/// `3/4`, or the number of its digits where that is long.
std::string short_exact(const Rational& q) {
  const std::string text = q.to_decimal_or_fraction();
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? text
                                : "p/q of " + std::to_string(text.size()) + " characters (--json)";
}

Json row_name(const heed::RankOneRows& rows, std::size_t k, bool tokens) {
  return tokens ? Json{rows.query[k], rows.token[k]} : Json(k);
}

/// Builds the report piece by piece.
class Reporter {
 public:
  Reporter(const heed::Instance& instance, const SolvedMargin& solved, const CommonOptions& common)
      : instance_(instance),
        query_(std::get_if<heed::QueryInstance>(&instance)),
        solved_(solved),
        common_(common),
        scope_(bits_for(common.digits) + 64) {}

  MarginReport report() {
    const heed::MarginProblem& p = solved_.problem;
    q()["constraints"] = p.rows();
    if (!p.equalities.query.empty()) q()["equalities"] = p.equalities.size();
    if (no_constraints()) {
      line("no constraints: every token is selected; margin = +infinity");
      q()["margin_frobenius"] = nullptr;
      r_.notes.push_back("no constraints: the margin is +infinity");
    } else if (const heed::Infeasibility* proof = infeasible()) {
      infeasibility(*proof);
    } else {
      if (solved_.frobenius) frobenius();
      if (solved_.nuclear) nuclear();
      if (query_)
        for (std::size_t k = 0; k < query_->points.size(); ++k) point(k);
    }
    line(sizes());
    return std::move(r_);
  }

 private:
  Json& q() { return r_.quantities; }
  void line(const std::string& text) { r_.lines.push_back(text); }
  Json json(const Ball& x) const { return to_json(x, common_.digits); }
  std::string text(const Ball& x) const {
    return heed::certain_digits(x, std::max(common_.digits, 15));
  }

  bool no_constraints() const {
    return solved_.frobenius
               ? std::holds_alternative<heed::NoConstraints>(solved_.frobenius->result)
               : std::holds_alternative<heed::NoConstraints>(solved_.nuclear->result);
  }

  const heed::Infeasibility* infeasible() const {
    if (solved_.frobenius)
      if (const auto* proof = std::get_if<heed::Infeasibility>(&solved_.frobenius->result))
        return proof;
    return solved_.nuclear ? std::get_if<heed::Infeasibility>(&solved_.nuclear->result) : nullptr;
  }

  std::string sizes() const {
    const heed::MarginProblem& p = solved_.problem;
    if (!query_) return "rows: m = " + std::to_string(p.rows()) + ", P = " + std::to_string(p.p());
    return "n = " + std::to_string(query_->inputs()) +
           ", T = " + std::to_string(query_->max_tokens()) +
           ", d = " + std::to_string(query_->dim()) + "; " + std::to_string(p.rows()) +
           " constraints" +
           (p.equalities.size() > 0 ? ", " + std::to_string(p.equalities.size()) + " equalities"
                                    : std::string());
  }

  void undecided(const std::string& norm, const std::string& reason) {
    r_.exit = Exit::undecided;
    r_.status = "undecided";
    line("margin_" + norm + ": undecided: " + reason);
    r_.notes.push_back("margin_" + norm + ": " + reason);
  }

  void infeasibility(const heed::Infeasibility& proof) {
    r_.exit = Exit::refuted;
    r_.status = "infeasible";
    Json rows = Json::array(), weights = Json::array();
    for (std::size_t k = 0; k < proof.lambda.size(); ++k) {
      if (proof.lambda[k].sign() == 0) continue;
      rows.push_back(row_name(solved_.problem.inequalities, k, query_ != nullptr));
      weights.push_back(proof.lambda[k].to_string());
    }
    q()["infeasibility"] = {{"rows", rows}};
    if (common_.full) q()["infeasibility"]["weights"] = weights;
    line("infeasible: no W meets the constraints; a combination of " + std::to_string(rows.size()) +
         " of them with positive weights is exactly 0");
    if (query_)
      for (const Json& row : rows)
        if (zero_row(row[0], row[1]))
          r_.notes.push_back("tie: token " + row[1].dump() + " of input " + row[0].dump() +
                             " gives the same logits as the selected one (equal tokens, or query "
                             "0); list both in `selected` to tie them by an equality");
  }

  bool zero_row(std::size_t input, std::size_t token) const {
    const heed::RankOneRows& rows = solved_.problem.inequalities;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows.query[k] != input || rows.token[k] != token) continue;
      const auto zero = [](const Rational& x) { return x.sign() == 0; };
      const Rational *a = rows.a.row(k), *z = solved_.problem.Z.row(input);
      return std::all_of(a, a + rows.a.cols(), zero) ||
             std::all_of(z, z + solved_.problem.q(), zero);
    }
    return false;
  }

  void frobenius() {
    const heed::FrobeniusMargin& f = *solved_.frobenius;
    if (const auto* open = std::get_if<heed::MarginUndecided>(&f.result))
      return undecided("frobenius", open->reason);
    const auto& b = std::get<MarginBracket>(f.result);
    const Ball norm2 = Ball::hull(Ball(b.lo), Ball(b.hi));
    const Ball margin = Ball(1) / sqrt(norm2), margin2 = Ball(1) / norm2;
    q()["margin_frobenius"] = json(margin);
    q()["margin_frobenius_squared"] =
        f.exact() ? Json{{"exact", Rational(Rational(1) / b.lo).to_string()}} : json(margin2);
    line("margin_frobenius = " + text(margin));
    line("  squared = " +
         (f.exact() ? short_exact(Rational(1) / b.lo) + "   (exact)" : text(margin2)));
    Json support = Json::array();
    for (const std::size_t k : f.active)
      support.push_back(row_name(solved_.problem.inequalities, k, query_ != nullptr));
    q()["support_vectors"] = support;
    line("  support vectors: " + std::to_string(support.size()) + " of " +
         std::to_string(solved_.problem.rows()) + " constraints have a positive multiplier");
    q()["method_frobenius"] = f.method;
    if (common_.full) full_frobenius(b, f.exact());
  }

  void full_frobenius(const MarginBracket& b, bool exact) {
    const heed::MarginProblem& p = solved_.problem;
    heed::Matrix<Rational> W = b.W ? *b.W : heed::combine(p.inequalities, p.Z, b.lambda);
    if (!b.W && !b.mu.empty()) {
      const heed::Matrix<Rational> tied = heed::combine(p.equalities, p.Z, b.mu);
      for (std::size_t k = 0; k < W.size(); ++k) W.data()[k] += tied.data()[k];
    }
    q()["multipliers"] = rationals(b.lambda, exact);
    if (!exact) return;
    const heed::Matrix<Ball> balls = map(W, [](const Rational& x) { return Ball(x); });
    q()["W_frobenius"] = to_json(balls, common_.digits);
    q()["rank_frobenius"] = heed::exact_rank(W);
    Json active = Json::array();
    const std::vector<Rational> values = heed::row_values(p.inequalities, p.Z, W);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] == Rational(1))
        active.push_back(row_name(p.inequalities, k, query_ != nullptr));
    q()["active"] = active;
    line("  rank of the solution: " + q()["rank_frobenius"].dump() +
         ", active constraints: " + std::to_string(active.size()));
  }

  Json rationals(const std::vector<Rational>& v, bool exact) const {
    Json a = Json::array();
    for (const Rational& x : v)
      a.push_back(exact ? Json{{"exact", x.to_string()}}
                        : Json{{"approx", heed::approx_digits(Ball(x), 17)}});
    return a;
  }

  void nuclear() {
    const heed::NuclearMargin& f = *solved_.nuclear;
    if (const auto* open = std::get_if<heed::MarginUndecided>(&f.result))
      return undecided("nuclear", open->reason);
    const auto& b = std::get<MarginBracket>(f.result);
    const Ball margin = Ball(1) / Ball::hull(Ball(b.lo), Ball(b.hi));
    q()["margin_nuclear"] = json(margin);
    q()["method_nuclear"] = f.method;
    line("margin_nuclear = " + text(margin));
    if (!f.reached) {
      r_.exit = Exit::undecided;
      r_.status = "undecided";
      r_.notes.push_back("margin_nuclear: fewer than " + std::to_string(common_.digits) +
                         " digits were reached; the bracket holds as it is");
    }
  }

  const MarginBracket* bracket_fro() const {
    return solved_.frobenius ? std::get_if<MarginBracket>(&solved_.frobenius->result) : nullptr;
  }
  const MarginBracket* bracket_nuc() const {
    return solved_.nuclear ? std::get_if<MarginBracket>(&solved_.nuclear->result) : nullptr;
  }

  void point(std::size_t k) {
    const heed::Matrix<Rational>& W = query_->points[k].weights.W;
    const auto zero = [](const Rational& x) { return x.sign() == 0; };
    const bool vanishes = std::all_of(W.entries().begin(), W.entries().end(), zero);
    Json j = Json::object();
    const std::string name = query_->points.size() == 1 ? "W" : "W of point " + std::to_string(k);
    if (vanishes) {
      line(name + " = 0: no direction");
      j["direction"] = nullptr;
    } else {
      const heed::Direction d = heed::direction(solved_.problem, W, bracket_fro(), bracket_nuc());
      line(name + ": least logit gap mu = " + text(Ball(d.mu)));
      j["mu"] = json(Ball(d.mu));
      const auto add = [&](const char* key, const std::optional<Ball>& x) {
        if (!x) return;
        j[key] = json(*x);
        line(std::string("  ") + key + " = " + text(*x));
      };
      add("correlation", d.correlation);
      add("rho_frobenius", d.rho_frobenius);
      add("rho_nuclear", d.rho_nuclear);
    }
    tokens(W, j);
    if (!q().contains("points")) q()["points"] = Json::array();
    q()["points"].push_back(std::move(j));
  }

  void tokens(const heed::Matrix<Rational>& W, Json& j) {
    const auto largest = heed::largest_logits(*query_, W);
    j["selected_tokens"] = largest;
    std::string words = "  largest logits at tokens";
    for (const auto& of_input : largest) {
      words += " ";
      for (std::size_t t = 0; t < of_input.size(); ++t)
        words += (t ? "=" : "") + std::to_string(of_input[t]);
    }
    line(words);
    if (!query_->v) return;
    heed::QueryInstance chosen = *query_;
    for (std::size_t i = 0; i < largest.size(); ++i) {
      if (largest[i].size() > 1) return;
      chosen.selected[i] = {largest[i].front()};
    }
    const std::optional<bool> local = heed::locally_optimal(chosen);
    j["locally_optimal"] = local ? Json(*local) : Json(nullptr);
    line(std::string("  locally optimal: ") + (local ? (*local ? "yes" : "no") : "not decided"));
  }

  const heed::Instance& instance_;
  const heed::QueryInstance* query_;
  const SolvedMargin& solved_;
  const CommonOptions& common_;
  const heed::PrecisionScope scope_;
  MarginReport r_;
};

}  // namespace

void add_margin_options(CLI::App& app, MarginOptions& o) {
  app.add_option("--norm", o.norm, "fro (Frobenius), nuc (nuclear) or both")
      ->check(CLI::IsMember({"fro", "nuc", "both"}))
      ->capture_default_str();
  app.add_option("--exact", o.exact,
                 "Frobenius: auto (exact up to about 300 support vectors), always, or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

SolvedMargin solve_margin(const heed::Instance& instance, const MarginOptions& o, int digits) {
  const bool rows = std::holds_alternative<heed::RowsInstance>(instance);
  if (!rows && !std::holds_alternative<heed::QueryInstance>(instance))
    throw heed::InputError("margin: expected an instance of model attsvm or rows, found " +
                           std::string(heed::model_word(instance)));
  if (rows && o.norm == "nuc")
    throw heed::InputError("--norm nuc: rows have the Euclidean norm only; use --norm fro");
  SolvedMargin solved;
  solved.problem = rows ? heed::margin_problem(std::get<heed::RowsInstance>(instance))
                        : heed::margin_problem(std::get<heed::QueryInstance>(instance));
  if (o.norm != "nuc") {
    heed::FrobeniusOptions options;
    options.exact = o.exact == "always"  ? heed::Exactness::always
                    : o.exact == "never" ? heed::Exactness::never
                                         : heed::Exactness::automatic;
    options.bits = bits_for(digits);
    solved.frobenius = heed::frobenius_margin(solved.problem, options);
  }
  const bool infeasible =
      solved.frobenius && std::holds_alternative<heed::Infeasibility>(solved.frobenius->result);
  if (o.norm != "fro" && !rows && !infeasible)
    solved.nuclear = heed::nuclear_bracket(solved.problem, digits);
  return solved;
}

MarginReport margin_report(const heed::Instance& instance, const MarginOptions& o,
                           const CommonOptions& common) {
  const SolvedMargin solved = solve_margin(instance, o, common.digits);
  MarginReport report = Reporter(instance, solved, common).report();
  std::visit(
      [&](const auto& model) {
        for (const std::string& note : model.notes) report.notes.push_back(note);
      },
      instance);
  return report;
}

}  // namespace heedcert
