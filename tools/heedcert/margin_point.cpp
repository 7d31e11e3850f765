// SPDX-License-Identifier: Apache-2.0
#include "margin_point.hpp"

#include <algorithm>

#include "heed/margin/direction.hpp"
#include "heed/margin/generalised_svm.hpp"
#include "heed/margin/sparsemax.hpp"
#include "heed/numeric/format.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using heed::Rational;

/// Builds the part of one point.
class PointReporter {
 public:
  PointReporter(MarginReport& report, const heed::QueryInstance& instance, std::size_t k,
                const SolvedMargin& solved, int digits, bool full)
      : report_(report),
        instance_(instance),
        W_(instance.points[k].weights.W),
        head_(instance.points[k].head),
        name_(instance.points.size() == 1 ? "W" : "W of point " + std::to_string(k)),
        solved_(solved),
        digits_(digits),
        full_(full) {}

  Json json() {
    direction();
    tokens();
    if (solved_.problem.equalities.size() > 0) generalised();
    if (const auto* head = std::get_if<heed::QuadraticHead>(&head_)) lambda_head(head->lambda);
    return std::move(j_);
  }

 private:
  void line(const std::string& text) { report_.lines.push_back(text); }
  std::string text(const Ball& x) const { return heed::certain_digits(x, std::max(digits_, 15)); }

  void add(const char* key, const std::optional<Ball>& x) {
    if (!x) return;
    j_[key] = to_json(*x, digits_);
    line(std::string("  ") + key + " = " + text(*x));
  }

  template <class Margin>
  static const heed::MarginBracket* bracket(const std::optional<Margin>& margin) {
    return margin ? std::get_if<heed::MarginBracket>(&margin->result) : nullptr;
  }

  void direction() {
    const auto zero = [](const Rational& x) { return x.sign() == 0; };
    if (std::all_of(W_.entries().begin(), W_.entries().end(), zero)) {
      line(name_ + " = 0: no direction");
      j_["direction"] = nullptr;
      return;
    }
    const heed::Direction d =
        heed::direction(solved_.problem, W_, bracket(solved_.frobenius), bracket(solved_.nuclear));
    line(name_ + ": least logit gap mu = " + text(Ball(d.mu)));
    j_["mu"] = to_json(Ball(d.mu), digits_);
    add("correlation", d.correlation);
    add("rho_frobenius", d.rho_frobenius);
    add("rho_nuclear", d.rho_nuclear);
  }

  void tokens() {
    const auto largest = heed::largest_logits(instance_, W_);
    j_["selected_tokens"] = largest;
    std::string words = "  largest logits at tokens";
    bool unique = true;
    heed::QueryInstance chosen = instance_;
    for (std::size_t i = 0; i < largest.size(); ++i) {
      words += " ";
      for (std::size_t t = 0; t < largest[i].size(); ++t)
        words += (t ? "=" : "") + std::to_string(largest[i][t]);
      unique = unique && largest[i].size() == 1;
      chosen.selected[i] = {largest[i].front()};
    }
    line(words);
    if (!instance_.v || !unique) return;
    const std::optional<bool> local = heed::locally_optimal(chosen);
    j_["locally_optimal"] = local ? Json(*local) : Json(nullptr);
    line(std::string("  locally optimal: ") + (local ? (*local ? "yes" : "no") : "not decided"));
  }

  static std::optional<Ball> value(const std::optional<heed::Correlation>& c) {
    if (!c) return std::nullopt;
    const Ball size = sqrt_nonnegative(Ball(c->squared));
    return c->sign < 0 ? -size : size;
  }

  static heed::Matrix<Ball> balls(const heed::Matrix<Rational>& a) {
    return map(a, [](const Rational& x) { return Ball(x); });
  }

  static Ball norm(const heed::Matrix<Rational>& a) {
    Rational squares;
    for (const Rational& x : a.entries()) squares += x * x;
    return sqrt_nonnegative(Ball(squares));
  }

  void generalised() {
    const heed::GeneralisedSvm svm = heed::generalised_svm(instance_, W_);
    line("  several tokens selected: W_fin + R W_dir against W");
    add("W_fin_norm", norm(svm.W_fin));
    if (svm.W_dir) add("W_dir_norm", norm(*svm.W_dir));
    if (svm.R) add("R", Ball(*svm.R));
    if (svm.fin_share) add("fin_share", Ball(*svm.fin_share));
    add("correlation_prediction", value(svm.prediction));
    add("correlation_informative", value(svm.informative));
    if (const auto holds = heed::structure_lemma_holds(svm, W_)) {
      j_["structure_lemma"] = *holds ? "consistent" : "inconsistent";
      line("  structure lemma: " + j_["structure_lemma"].get<std::string>());
    }
    if (!full_) return;
    j_["W_fin"] = to_json(balls(svm.W_fin), digits_);
    if (svm.W_dir) j_["W_dir"] = to_json(balls(*svm.W_dir), digits_);
  }

  static const char* word(heed::Consistency c) {
    return c == heed::Consistency::consistent     ? "consistent"
           : c == heed::Consistency::inconsistent ? "inconsistent"
                                                  : "undecided";
  }

  /// What the head would select at its best: sparsemax of the scores, and whether attention gets there.
  void lambda_head(const Rational& lambda) {
    Json& out = j_["lambda_head"] = {{"lambda", {{"exact", lambda.to_string()}}}};
    std::variant<heed::LambdaHead, std::string> found = "lambda is not positive";
    if (lambda.sign() > 0) found = heed::lambda_head_sparsemax(instance_, lambda);
    if (const auto* reason = std::get_if<std::string>(&found)) {
      out["not_applicable"] = *reason;
      line("  lambda head: sparsemax not applicable: " + *reason);
      return;
    }
    const auto& head = std::get<heed::LambdaHead>(found);
    out["support"] = Json::array();
    out["values"] = Json::array();
    std::string words = "  lambda head: the best output selects tokens";
    for (const heed::Sparsemax& input : head.inputs) {
      out["support"].push_back(input.support);
      Json values = Json::array();
      for (const Rational& s : input.s) values.push_back({{"exact", s.to_string()}});
      out["values"].push_back(std::move(values));
      for (std::size_t j = 0; j < input.support.size(); ++j)
        words += (j == 0 ? " " : "+") + std::to_string(input.support[j]);
    }
    out["sets_reachable"] = head.sets_reachable;
    out["gaps"] = word(head.gaps);
    line(words);
    line(std::string("  attention reaches these sets: ") + (head.sets_reachable ? "yes" : "no") +
         "; the logit gaps of the best probabilities: " + word(head.gaps));
  }

  MarginReport& report_;
  const heed::QueryInstance& instance_;
  const heed::Matrix<Rational>& W_;
  const heed::QueryHead& head_;
  const std::string name_;
  const SolvedMargin& solved_;
  const int digits_;
  const bool full_;
  Json j_ = Json::object();
};

}  // namespace

void report_point(MarginReport& report, const heed::QueryInstance& instance, std::size_t k,
                  const SolvedMargin& solved, int digits, bool full) {
  Json point = PointReporter(report, instance, k, solved, digits, full).json();
  if (!report.quantities.contains("points")) report.quantities["points"] = Json::array();
  report.quantities["points"].push_back(std::move(point));
}

}  // namespace heedcert
