// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/verify.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> files;
  bool all = false;
};

std::string verdict_text(const heed::ClaimResult& c) {
  if (c.verdict.equality) return "equality";
  return heed::to_string(c.verdict.kind);
}

struct Counts {
  std::size_t proved = 0, equality = 0, undecided = 0, refuted = 0, not_applicable = 0;
};

Counts count(const std::vector<heed::ClaimResult>& claims) {
  Counts n;
  for (const heed::ClaimResult& c : claims) {
    switch (c.verdict.kind) {
      case heed::VerdictKind::proved:
        ++n.proved;
        break;
      case heed::VerdictKind::refuted:
        ++n.refuted;
        break;
      case heed::VerdictKind::not_applicable:
        ++n.not_applicable;
        break;
      case heed::VerdictKind::undecided:
        ++(c.verdict.equality ? n.equality : n.undecided);
        break;
    }
  }
  return n;
}

const char* status_word(int exit) {
  if (exit == Exit::ok) return "proved";
  return exit == Exit::refuted ? "refuted" : "undecided";
}

// `0.5829`, or `1 - 2.9e-7` where four digits would round a ratio below 1 to 1.
std::string ratio_text(const heed::ClaimResult& c) {
  const heed::Ball t = c.shown.tightness();
  const std::string plain = heed::approx_digits(t, 4);
  const heed::Ball gap = heed::Ball(1) - t;
  if (plain != "1" || !certainly(positive(gap))) return plain;
  return "1 - " + heed::approx_digits(gap, 2);
}

std::string remark(const heed::ClaimResult& c) {
  std::string text = verdict_text(c);
  if (c.verdict.equality) {
    text = c.verdict.reason;
  } else if (c.verdict.kind != heed::VerdictKind::proved && !c.verdict.reason.empty()) {
    text += " (" + c.verdict.reason + ")";
  }
  if (c.items > 1 && c.rung != "exact")
    text += ", worst of " + std::to_string(c.items) + ": " + c.shown.where;
  return text;
}

void print_ladder(const std::string& id, const std::vector<heed::ClaimResult>& claims, bool all) {
  std::vector<std::vector<std::string>> rows{{"rung", "lhs", "bound", "lhs/bound", "verdict"}};
  for (const heed::ClaimResult& c : claims) {
    if (c.id != id || (!all && c.verdict.kind == heed::VerdictKind::not_applicable)) continue;
    rows.push_back({c.rung, "-", "-", "-", remark(c)});
    if (c.items == 0) continue;
    rows.back()[1] = heed::certain_digits(c.shown.lhs, 12);
    rows.back()[2] = heed::certain_digits(c.shown.rhs, 12);
    rows.back()[3] = ratio_text(c);
  }
  if (rows.size() == 1) return;
  std::cout << "\n" << id << ": " << heed::find_claim(id)->statement << "\n";
  for (const std::vector<std::string>& row : rows) {
    std::cout << "  ";
    for (std::size_t k = 0; k + 1 < row.size(); ++k) {
      std::size_t width = 0;
      for (const auto& r : rows) width = std::max(width, r[k].size());
      std::cout << pad(row[k], width + 2);
    }
    std::cout << row.back() << "\n";
  }
}

void print_report(const std::string& file, const heed::MhaInstance& instance,
                  const heed::VerifyReport& r, bool all) {
  const Counts n = count(r.claims);
  std::cout << status_word(heed::exit_status(r.claims)) << ": " << file << ": " << n.proved
            << " inequalities proved, " << n.refuted << " refuted, " << n.equality << " equality, "
            << n.undecided << " undecided, " << n.not_applicable << " not applicable\n";
  std::cout << "  n = " << instance.samples() << " samples, T = " << instance.max_tokens()
            << " tokens, d = " << instance.dim() << ", H = " << instance.heads()
            << " heads, P = " << instance.parameters() << " parameters, "
            << (instance.loss == heed::Loss::logistic ? "logistic" : "exponential") << " loss, up to "
            << r.bits << " bits\n";
  for (const heed::ClaimInfo& c : heed::claim_index()) print_ladder(c.id, r.claims, all);
  std::cout << "\nidentities (evaluated in enclosures):";
  for (const heed::IdentityResult& i : r.identities)
    if (i.status != "not_applicable") std::cout << " " << i.id << " " << i.status;
  std::cout << "\n";
  if (r.budget_ended)
    std::cout << "note: the budget ended at " << r.bits
              << " bits before every verdict and digit was settled; raise --max-bits or --timeout\n";
}

// The worst exit code over files: refuted, then undecided, then ok.
int combine(int a, int b) {
  if (a == Exit::refuted || b == Exit::refuted) return Exit::refuted;
  return std::max(a, b);
}

int run_verify(const Options& o) {
  int exit = Exit::ok;
  Json results = Json::array();
  for (const std::string& file : o.files) {
    const auto [instance, input] = load(file, o.common, true);
    const heed::VerifyReport r = heed::verify(instance, budget_for(o.common));
    int status = heed::exit_status(r.claims);
    for (const heed::IdentityResult& i : r.identities)
      if (i.status == "inconsistent") status = Exit::internal;
    if (r.budget_ended && status == Exit::ok) status = Exit::undecided;
    exit = combine(exit, status);
    if (!o.common.json) {
      print_report(file, instance, r, o.all);
      continue;
    }
    Json j = result_object("verify", o.common, {input});
    j["status"] = status_word(status);
    const heed::PrecisionScope scope(r.bits);
    j["quantities"] = {{"loss", to_json(r.analysis->loss(), o.common.digits)},
                       {"bounds", bounds_json(r.claims, *r.analysis, o.common)}};
    j["claims"] = Json::array();
    for (const heed::ClaimResult& c : r.claims) j["claims"].push_back(to_json(c, o.common));
    j["identities"] = Json::array();
    for (const heed::IdentityResult& i : r.identities) j["identities"].push_back(to_json(i, o.common));
    j["notes"] = instance.notes;
    if (r.budget_ended) j["notes"].push_back("the budget ended before every verdict and digit was settled");
    results.push_back(std::move(j));
  }
  if (o.common.json) std::cout << (results.size() == 1 ? results.front() : results).dump(1) << "\n";
  return exit;
}

}  // namespace

void register_verify(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand("verify", "prove or refute every claim on an instance");
  sub->add_option("FILE", o->files, "instance (.json, .npz, - for standard input)")->required();
  sub->add_flag("--all", o->all, "list the rungs that are not applicable too");
  add_output_options(*sub, o->common);
  add_precision_options(*sub, o->common);
  sub->footer(
      "Example:\n  heedcert verify examples/digits-3-vs-8.json\n  heedcert verify layer.npz --json --digits 40\n"
      "Exit: 0 all proved, 1 refuted, 2 undecided, 3 bad input");
  sub->callback([&run, o] { run = [o] { return run_verify(*o); }; });
}

}  // namespace heedcert
