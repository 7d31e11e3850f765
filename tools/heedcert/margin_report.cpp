// SPDX-License-Identifier: Apache-2.0
#include "margin_report.hpp"

#include <algorithm>

#include "heed/data/input_error.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/margin/direction.hpp"
#include "heed/margin/generalised_svm.hpp"
#include "heed/margin/norms_coincide.hpp"
#include "heed/margin/nuclear_rank.hpp"
#include "heed/numeric/format.hpp"
#include "margin_point.hpp"

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
      : query_(std::get_if<heed::QueryInstance>(&instance)),
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
        for (std::size_t k = 0; k < query_->points.size(); ++k)
          report_point(r_, *query_, k, solved_, common_.digits, common_.full);
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
    const Ball margin2 = Ball::hull(Ball(Rational(1) / b.hi), Ball(Rational(1) / b.lo));
    const Ball margin = sqrt(margin2);
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
    const heed::Matrix<Rational> W = heed::bracket_point(p, b);
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

  /// Rank by the dual certificate; whether the two norms have one solution, and how many there are.
  void nuclear_structure(const MarginBracket& b) {
    const heed::NuclearRank rank = heed::nuclear_rank(solved_.problem, b);
    Json j = {{"rank_bound", rank.rank_bound}};
    std::string words = "  rank of every nuclear solution <= " + std::to_string(rank.rank_bound);
    if (const auto best = rank.best(); best && best->k < rank.rank_bound) {
      j["k"] = best->k;
      j["tail"] = json(Ball(best->tail));
      words += best->tail.sign() == 0
                   ? ", and <= " + std::to_string(best->k) + " by the dual certificate"
                   : "; its singular values after number " + std::to_string(best->k) +
                         " add up to <= " + heed::approx_digits(Ball(best->tail), 3);
    }
    q()["nuclear_rank"] = j;
    line(words);
    const bool solve = solved_.frobenius && solved_.frobenius->exact();
    const heed::NormsCoincide c = heed::norms_coincide(solved_.problem, solve);
    const auto answer = [](heed::Ternary t) {
      return t == heed::Ternary::certainly_true    ? Json(true)
             : t == heed::Ternary::certainly_false ? Json(false)
                                                   : Json(nullptr);
    };
    q()["norms_coincide"] = {
        {"coincide", answer(c.coincide)}, {"unique", answer(c.unique)}, {"reason", c.reason}};
    line("  the Frobenius solution is a nuclear one: " +
         std::string(c.coincide == heed::Ternary::certainly_true    ? "yes"
                     : c.coincide == heed::Ternary::certainly_false ? "no"
                                                                    : "not decided") +
         "; one nuclear solution only: " +
         (c.unique == heed::Ternary::certainly_true    ? "yes"
          : c.unique == heed::Ternary::certainly_false ? "no"
                                                       : "not decided") +
         " (" + c.reason + ")");
  }

  void nuclear() {
    const heed::NuclearMargin& f = *solved_.nuclear;
    if (const auto* open = std::get_if<heed::MarginUndecided>(&f.result))
      return undecided("nuclear", open->reason);
    const auto& b = std::get<MarginBracket>(f.result);
    const Ball margin = Ball::hull(Ball(Rational(1) / b.hi), Ball(Rational(1) / b.lo));
    q()["margin_nuclear"] = json(margin);
    q()["method_nuclear"] = f.method;
    line("margin_nuclear = " + text(margin));
    nuclear_structure(b);
    if (!f.reached) {
      r_.exit = Exit::undecided;
      r_.status = "undecided";
      r_.notes.push_back("margin_nuclear: fewer than " + std::to_string(common_.digits) +
                         " digits were reached; the bracket holds as it is");
    }
  }

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

void add_threshold_option(CLI::App& app, MarginOptions& o) {
  app.add_option("--threshold", o.threshold,
                 "attsvm: select the tokens with softmax probability at least X at W (1e-3 in the "
                 "published notebooks); several of an input are tied by equalities");
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

heed::Instance with_threshold(heed::Instance instance, const MarginOptions& o) {
  if (o.threshold.empty()) return instance;
  auto* query = std::get_if<heed::QueryInstance>(&instance);
  if (query == nullptr || query->points.empty())
    throw heed::InputError("--threshold: expected an instance of model attsvm with W");
  Rational threshold;
  try {
    threshold = Rational::parse(o.threshold);
  } catch (const std::invalid_argument& e) {
    throw heed::InputError(std::string("--threshold: ") + e.what());
  }
  if (threshold.sign() <= 0 || threshold > Rational(1))
    throw heed::InputError("--threshold: expected a number in (0, 1], found " + o.threshold);
  const auto selected =
      heed::selected_by_softmax(*query, query->points.front().weights.W, threshold);
  if (!selected) throw heed::InputError("--threshold: a probability could not be told from it");
  for (std::size_t i = 0; i < selected->size(); ++i)
    if ((*selected)[i].empty())
      throw heed::InputError("--threshold: no token of input " + std::to_string(i) +
                             " has a softmax probability of at least " + o.threshold);
  query->selected = *selected;
  query->selected_given = true;
  return instance;
}

MarginReport margin_report(const heed::Instance& instance, const MarginOptions& o,
                           const CommonOptions& common) {
  MarginReport report;
  if (const auto* mha = std::get_if<heed::MhaInstance>(&instance)) {
    report = ntk_report(*mha, common);
  } else {
    const SolvedMargin solved = solve_margin(instance, o, common.digits);
    report = Reporter(instance, solved, common).report();
  }
  std::visit(
      [&](const auto& model) {
        for (const std::string& note : model.notes) report.notes.push_back(note);
      },
      instance);
  return report;
}

}  // namespace heedcert
