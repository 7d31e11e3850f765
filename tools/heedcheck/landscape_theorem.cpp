// SPDX-License-Identifier: Apache-2.0
#include "landscape_theorem.hpp"

#include <algorithm>

#include "landscape_descent.hpp"

namespace heedcheck {
namespace {

struct Form {
  std::string_view word;
  std::vector<std::string_view> seconds, fields;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {{"complete_1d", {"benign", "bad_minimum"}, {"critical"}},
                                        {"lojasiewicz", {}, {}},
                                        {"overshoot", {}, {"centre", "eta"}},
                                        {"pl", {}, {"mu", "L"}},
                                        {"init", {}, {"centre", "eta", "init"}},
                                        {"zero_loss", {}, {"centre", "init"}}};
  return all;
}

const Form* form_of(const std::string& word) {
  const auto found = std::find_if(forms().begin(), forms().end(),
                                  [&](const Form& form) { return form.word == word; });
  return found == forms().end() ? nullptr : &*found;
}

void say_complete(const SeparateLandscape& found, const std::string& second, Verdict& verdict) {
  std::vector<std::string>& say = verdict.statements;
  const std::string constant =
      found.constant == 0 ? "" : ", " + std::to_string(found.constant) + " of them constant";
  say.push_back("f as a function of W_Q is a sum of terms of one token each" + constant +
                "; the critical points of every " + (constant.empty() ? "" : "other ") +
                "term are those of the lists");
  if (found.minima) {
    say.push_back("local minima, counted in queries: " + found.minima->get_str() +
                  (found.global ? ", global ones: " + found.global->get_str() : ""));
  }
  verdict.quantities.push_back(quantity("infimum", found.infimum_lo, found.infimum_hi));
  if (second == "benign") {
    require_proof(found.benign, "complete_1d: that every local minimum is global is not proved");
    say.push_back("every local minimum of f as a function of W_Q is global");
  } else if (second == "bad_minimum") {
    require_proof(found.bad_minimum, "complete_1d: no local minimum is proved not global");
    say.push_back("f as a function of W_Q has a local minimum that is not global");
  }
}

}  // namespace

bool is_theorem(const std::string& word) { return form_of(word) != nullptr; }
std::vector<std::string_view> second_words_of_theorem(const std::string& word) {
  return form_of(word)->seconds;
}
std::vector<std::string_view> fields_of_theorem(const std::string& word) {
  return form_of(word)->fields;
}

Theorem read_theorem(const Value& certificate, const std::string& word, const Layer& layer) {
  Theorem t;
  t.word = word;
  for (const std::string_view name : fields_of_theorem(word)) {
    const std::string field(name);
    const Value& value = certificate.at(field);
    if (field == "critical") t.critical = read_critical(value, layer);
    if (field == "centre") t.centre = rationals(array(value, layer.coordinates(), field));
    if (field == "eta") t.eta = positive_fraction(value, field);
    if (field == "mu") t.mu = positive_fraction(value, field);
    if (field == "L") t.L = positive_fraction(value, field);
    if (field == "init") t.init = read_init(value, layer, word == "init");
  }
  return t;
}

void prove_theorem(const Theorem& theorem, const std::string& second, const Layer& layer,
                   Verdict& verdict) {
  std::vector<std::string>& say = verdict.statements;
  const auto bound = [&](const char* name, const std::optional<mpq_class>& lo,
                         const std::optional<mpq_class>& hi) {
    verdict.quantities.push_back(quantity(name, lo, hi));
  };
  if (theorem.word == "complete_1d") {
    say_complete(prove_complete(layer, theorem.critical), second, verdict);
  } else if (theorem.word == "lojasiewicz") {
    prove_lojasiewicz(layer);
    say.push_back("every stationary point of f as a function of W_Q is a global minimum");
  } else if (theorem.word == "overshoot") {
    const mpq_class rate = prove_overshoot(layer, theorem.centre, theorem.eta);
    bound("eta", theorem.eta, theorem.eta);
    bound("rate", rate, {});
    say.push_back(
        "gradient descent on W_Q from the centre with any step up to eta converges to f = "
        "0, the loss of every token by a factor of at most 1 - step times rate");
  } else if (theorem.word == "init") {
    prove_init(layer, Model<Interval>(layer, beta_of(layer)), theorem.centre, theorem.init,
               theorem.eta);
    bound("radius", {}, theorem.init.R);
    bound("eta", theorem.eta, theorem.eta);
    bound("rate", mpq_class(theorem.init.sigma * theorem.init.sigma / 4), {});
    say.push_back(
        "gradient descent on f from the centre with any step up to eta stays within the "
        "radius and converges to f = 0, f falling by a factor of at most 1 - step times rate");
  } else if (theorem.word == "zero_loss") {
    const Model<Interval> model(layer, beta_of(layer));
    bound("radius", {}, prove_zero_loss(layer, model, theorem.centre, theorem.init));
    say.push_back("within the radius of the centre lies a point with f = 0, a global minimum of f");
  } else {
    prove_pl(layer, Model<Interval>(layer, beta_of(layer)), theorem.mu, theorem.L);
    const std::string block = layer.trained[W_V] ? "W_V" : "W_O";
    bound("mu", theorem.mu, {});
    bound("L", {}, theorem.L);
    say.push_back("|grad f|^2 >= 2 mu f for every " + block +
                  ": every stationary point is a global minimum, with f = 0");
    say.push_back("gradient descent on " + block +
                  " with any step up to 1/L: f falls by a factor of at most (1 - step times mu)^2");
  }
}

}  // namespace heedcheck
