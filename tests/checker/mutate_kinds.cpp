// SPDX-License-Identifier: Apache-2.0
#include "mutant.hpp"

namespace tamper {
namespace {

const Json no_multipliers = {{"idx", Json::array()}, {"num", Json::array()}};
const Json unit_claim = {{"lo", {"0x1", "0x1"}}, {"hi", {"0x2", "0x1"}}};

void relabel(const Json& c, const Sink& sink) {
  const std::vector<Json> forms = {"rows", "tokens", "row", "", nullptr};
  const std::vector<Json> problems = {"fro", "nuc", "fro-eq", "FRO", "nuc-eq", "", nullptr};
  for (const Json& form : forms) {
    for (const Json& problem : problems) {
      if (form == c.at("form") && problem == c.at("problem")) continue;
      const bool other_norm = c.at("kind") == "infeasible" && form == "tokens" &&
                              c.at("problem") != "fro-eq" && (problem == "fro" || problem == "nuc");
      sink("form " + form.dump() + " with problem " + problem.dump(),
           rehashed(with(with(c, "/form", form), "/problem", problem)).dump(),
           other_norm ? Must::other_norm : Must::invalid);
    }
  }
  for (const Json& kind :
       {Json("bracket"), Json(""), Json("Margin"), Json(nullptr), Json("hessian"), Json(1)}) {
    sink("kind " + kind.dump(), with(c, "/kind", kind).dump(), Must::malformed);
  }
}

// A well-formed certificate of the other norm that makes the same claim.
void change_norm(const Json& c, const Sink& sink) {
  if (c.at("kind") != "margin" || c.at("form") == "rows" || c.at("problem") == "fro-eq") return;
  const std::size_t d = c.at("d");
  if (c.at("problem") == "nuc") {
    if (is_tied(c)) return;
    sink("claim of nuc as fro", with(without(c, "primal"), "/problem", "fro").dump(),
         Must::invalid);
    return;
  }
  Json identity = Json::array();
  Json W = c.contains("primal") ? c.at("primal").at("W") : Json(std::vector<Json>(d * d, "0x1"));
  for (std::size_t k = 0; k < d * d; ++k) identity.push_back(k % (d + 1) == 0 ? "0x1" : "0x0");
  const Json primal = {{"r", d}, {"B", W}, {"C", identity}};
  if (d > 1) {
    sink("claim of fro as nuc", with(with(c, "/problem", "nuc"), "/primal", primal).dump(),
         Must::invalid);
  }
}

void change_kind(const Json& c, const Sink& sink) {
  const std::size_t d = c.at("d");
  if (c.at("kind") == "margin") {
    const Json relabelled = with(c, "/kind", "infeasible");
    sink("R5 margin as infeasible", relabelled.dump(), Must::malformed);
    sink("R5 margin as infeasible, claim kept", without(relabelled, "primal").dump(),
         Must::malformed);
    const Json bare = without(without(relabelled, "primal"), "claim");
    sink("margin as infeasible, claim dropped", bare.dump(), Must::invalid);
    for (const char* name : {"lambda", "mu"}) {
      if (!bare.contains(name)) continue;
      sink("margin as infeasible without multipliers",
           with(bare, std::string("/") + name, no_multipliers).dump(), Must::invalid);
    }
    return;
  }
  for (const Json& claim : {unit_claim, Json("garbage"), Json(nullptr), Json::object()}) {
    sink("R5 infeasible with claim " + claim.dump(), with(c, "/claim", claim).dump(),
         Must::malformed);
  }
  const std::vector<Json> ones(d * d, "0x1");
  for (const Json& primal : {Json{{"W", ones}}, Json(nullptr), Json::object()}) {
    sink("R5 infeasible with primal", with(c, "/primal", primal).dump(), Must::malformed);
  }
  Json margin = with(with(c, "/kind", "margin"), "/claim",
                     {{"lo", {"0x0", "0x1"}}, {"hi", {"0xffffffffffffffff", "0x1"}}});
  sink("infeasible as margin, no primal", margin.dump(), Must::invalid);
  if (c.at("form") == "tokens" && c.at("problem") != "nuc") margin["primal"] = {{"W", ones}};
  if (c.at("problem") == "fro-eq") margin["primal"]["den"] = "0x1";
  if (c.at("problem") == "nuc") {
    const std::vector<Json> column(d, "0x1");
    margin["primal"] = {{"r", 1}, {"B", column}, {"C", column}};
  }
  sink("infeasible as margin", margin.dump(), Must::invalid);
}

void add_foreign_fields(const Json& c, const Sink& sink) {
  const auto emit = [&](const std::string& what, const Json& changed) {
    sink("R3 " + what, rehashed(changed).dump(), Must::malformed);
  };
  const Json empty = {{"den", "0x1"}, {"num", Json::array()}};
  if (c.at("form") == "rows") {
    emit("T in rows", with(c, "/T", {1}));
    emit("select in rows", with(c, "/select", Json::array({Json::array({0})})));
    emit("X in rows", with(c, "/X", c.at("F")));
    emit("Z in rows", with(c, "/Z", c.at("F")));
    emit("rhs in rows", with(c, "/rhs", empty));
    emit("mu in rows", with(c, "/mu", no_multipliers));
    emit("scores in rows", with(c, "/scores", {{"y", {1}}, {"v", empty}}));
    emit("self in rows", with(c, "/self", {0}));
    if (c.contains("primal")) {
      emit("W in rows", with(c, "/primal", {{"W", c.at("primal").at("w")}}));
      emit("den in rows", with(c, "/primal/den", "0x1"));
    }
    return;
  }
  emit("F beside X", with(c, "/F", c.at("X")));
  if (!is_tied(c)) emit("mu without equalities", with(c, "/mu", no_multipliers));
  if (c.at("problem") != "fro-eq") emit("rhs outside fro-eq", with(c, "/rhs", empty));
  if (c.at("problem") == "fro-eq") emit("lambda in fro-eq", with(c, "/lambda", no_multipliers));
  if (c.at("problem") != "fro-eq" && c.contains("primal")) {
    emit("den outside fro-eq", with(c, "/primal/den", "0x1"));
    emit("w in tokens", with(c, "/primal/w", {"0x1"}));
  }
  // fro-eq needs an equality, fro and nuc an inequality
  const std::size_t d = c.at("d");
  Json none = without(without(with(c, "/problem", "fro-eq"), "lambda"), "scores");
  for (Json& selected : none["select"]) selected = Json::array({selected[0]});
  none["rhs"] = empty;
  none["mu"] = no_multipliers;
  none["kind"] = "margin";
  none["primal"] = {{"W", std::vector<Json>(d * d, "0x0")}, {"den", "0x1"}};
  none["claim"] = {{"lo", {"0x0", "0x1"}}, {"hi", {"0x0", "0x1"}}};
  sink("R4 fro-eq without equalities", rehashed(none).dump(), Must::malformed);
  Json all = without(without(c, "rhs"), "scores");
  all["problem"] = "fro";
  all["kind"] = "margin";
  all["lambda"] = no_multipliers;
  all["mu"] = no_multipliers;
  all["primal"] = {{"W", std::vector<Json>(d * d, "0x0")}};
  all["claim"] = {{"lo", {"0x0", "0x1"}}, {"hi", {"0x0", "0x1"}}};
  for (std::size_t i = 0; i < all["select"].size(); ++i) {
    all["select"][i] = Json::array();
    for (int t = 0; t < c.at("T")[i].get<int>(); ++t) all["select"][i].push_back(t);
  }
  sink("R4 fro without inequalities", rehashed(all).dump(), Must::malformed);
}

}  // namespace

void mutate_kinds(const Json& good, const Sink& sink) {
  relabel(good, sink);
  change_norm(good, sink);
  change_kind(good, sink);
  add_foreign_fields(good, sink);
}

}  // namespace tamper
