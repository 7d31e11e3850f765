// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/data/input_error.hpp"
#include "heed/theory/claim.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

Json info_json(const heed::ClaimInfo& c) {
  Json rungs = Json::array();
  for (const heed::RungInfo& r : c.rungs) rungs.push_back({{"rung", r.name}, {"bound", r.bound}});
  return {{"id", c.id},
          {"statement", c.statement},
          {"hypotheses", c.hypotheses},
          {"constants", c.constants},
          {"rungs", rungs},
          {"equality", c.equality},
          {"note", "proofs-notes/" + c.family + ".md"},
          {"header", c.header.empty() ? "heed/theory/" + c.family + ".hpp" : c.header}};
}

int run_claims(const CommonOptions& o) {
  if (o.json) {
    Json j = result_object("claims", o, {});
    j["status"] = "ok";
    j["quantities"] = Json::object();
    j["claims"] = Json::array();
    for (const heed::ClaimInfo& c : heed::claim_index()) j["claims"].push_back(info_json(c));
    j["notes"] = Json::array();
    print_json(j);
    return Exit::ok;
  }
  std::cout << heed::claim_index().size() << " claims (heedcert explain CLAIM tells more)\n";
  std::size_t width = 0;
  for (const heed::ClaimInfo& c : heed::claim_index()) width = std::max(width, c.id.size() + 2);
  for (const heed::ClaimInfo& c : heed::claim_index())
    std::cout << "  " << pad(c.id, width) << c.statement << "\n";
  return Exit::ok;
}

std::string known_ids() {
  std::string s;
  for (const heed::ClaimInfo& c : heed::claim_index()) s += (s.empty() ? "" : ", ") + c.id;
  return s;
}

int run_explain(const std::string& id, const CommonOptions& o) {
  const heed::ClaimInfo* c = heed::find_claim(id);
  if (c == nullptr)
    throw heed::InputError("explain: expected the id of a claim, found \"" + id + "\"; known are " +
                           known_ids());
  if (o.json) {
    Json j = result_object("explain", o, {});
    j["status"] = "ok";
    j["quantities"] = Json::object();
    j["claims"] = Json::array({info_json(*c)});
    j["notes"] = Json::array();
    print_json(j);
    return Exit::ok;
  }
  std::cout << c->id << "\n  " << c->statement << "\n";
  if (!c->rungs.empty()) std::cout << "\nRungs (each is an upper bound)\n";
  std::size_t width = 13;
  for (const heed::RungInfo& r : c->rungs) width = std::max(width, r.name.size() + 2);
  for (const heed::RungInfo& r : c->rungs)
    std::cout << "  " << pad(r.name, width) << r.bound << "\n";
  const auto list = [](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    std::cout << "\n" << title << "\n";
    for (const std::string& l : lines) std::cout << "  " << l << "\n";
  };
  list("Hypotheses", c->hypotheses);
  list("Constants", c->constants);
  if (!c->equality.empty()) list("Equality", {c->equality});
  list("Proof", {"proofs-notes/" + c->family + ".md"});
  return Exit::ok;
}

}  // namespace

void register_claims(CLI::App& app, Run& run) {
  auto o = std::make_shared<CommonOptions>();
  CLI::App* claims = app.add_subcommand("claims", "the index of claims");
  add_output_options(*claims, *o);
  claims->footer("Example:\n  heedcert claims");
  claims->callback([&run, o] { run = [o] { return run_claims(*o); }; });

  auto id = std::make_shared<std::string>();
  CLI::App* explain =
      app.add_subcommand("explain", "statement, hypotheses, constants and proof note of a claim");
  explain->add_option("CLAIM", *id, "id of a claim, see heedcert claims")->required();
  add_output_options(*explain, *o);
  explain->footer("Example:\n  heedcert explain mha.weak_convexity");
  explain->callback([&run, id, o] { run = [id, o] { return run_explain(*id, *o); }; });
}

}  // namespace heedcert
