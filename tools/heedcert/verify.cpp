// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/numeric/format.hpp"
#include "report.hpp"
#include "verified.hpp"

namespace heedcert {
namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> files;
  bool all = false;
  std::size_t at = 0;
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
  if (exit == Exit::internal) return "inconsistent";
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
  if (c.by_difference && !c.verdict.equality) text += " (" + c.verdict.reason + ")";
  if (c.items > 1 && c.rung != "exact")
    text += ", worst of " + std::to_string(c.items) + ": " + c.shown.where;
  return text;
}

void print_ladder(const std::string& id, const std::vector<heed::ClaimResult>& claims, bool all,
                  int digits) {
  std::vector<std::vector<std::string>> rows{{"rung", "lhs", "bound", "lhs/bound", "verdict"}};
  for (const heed::ClaimResult& c : claims) {
    if (c.id != id || (!all && c.verdict.kind == heed::VerdictKind::not_applicable)) continue;
    rows.push_back({c.rung, "-", "-", "-", remark(c)});
    if (c.items == 0) continue;
    rows.back()[1] = heed::certain_digits(c.shown.lhs, digits);
    rows.back()[2] = heed::certain_digits(c.shown.rhs, digits);
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

void print_report(const Verified& v, int status, const Options& o) {
  const Counts n = count(v.claims);
  std::cout << status_word(status) << ": " << v.input.path
            << (v.kernel.empty() ? "" : ", " + v.kernel) << ": " << n.proved
            << " inequalities proved, " << n.refuted << " refuted, " << n.equality << " equality, "
            << n.undecided << " undecided, " << n.not_applicable << " not applicable\n"
            << "  " << v.sizes << "; up to " << v.bits << " bits\n";
  for (const std::string& line : v.facts) std::cout << "  " << line << "\n";
  const int digits = o.common.digits == CommonOptions{}.digits ? 12 : o.common.digits;
  for (const heed::ClaimInfo& c : heed::claim_index()) print_ladder(c.id, v.claims, o.all, digits);
  std::cout << "\nidentities (evaluated in enclosures):";
  for (const heed::IdentityResult& i : v.identities)
    if (i.status != "not_applicable") std::cout << " " << i.id << " " << i.status;
  std::cout << "\n";
  for (const std::string& note : v.notes) std::cout << "note: " << note << "\n";
  if (v.budget_ended)
    std::cout
        << "note: the budget ended at " << v.bits
        << " bits before every verdict and digit was settled; raise --max-bits or --timeout\n";
}

// The worst exit code over files: refuted, then undecided, then ok.
int combine(int a, int b) {
  if (a == Exit::refuted || b == Exit::refuted) return Exit::refuted;
  return std::max(a, b);
}

int status_of(const Verified& r) {
  for (const heed::IdentityResult& i : r.identities)
    if (i.status == "inconsistent") return Exit::internal;
  const int status = heed::exit_status(r.claims);
  return r.budget_ended && status == Exit::ok ? static_cast<int>(Exit::undecided) : status;
}

/// What --json says of one file.
struct FileJson {
  Json quantities, claims = Json::array(), identities = Json::array(), notes;
};

// Puts `key` first in every claim and identity.
void name_all(FileJson& j, const char* key, const std::string& value) {
  for (Json* entries : {&j.claims, &j.identities})
    for (Json& entry : *entries) {
      Json named = {{key, value}};
      named.update(entry);
      entry = std::move(named);
    }
}

FileJson file_json(const Verified& v, const CommonOptions& o) {
  const heed::PrecisionScope scope(std::max(v.bits, 128));
  FileJson j;
  j.quantities = v.quantities;
  for (const heed::ClaimResult& c : v.claims) j.claims.push_back(to_json(c, o));
  for (const heed::IdentityResult& i : v.identities) j.identities.push_back(to_json(i, o));
  j.notes = v.notes;
  if (!v.kernel.empty()) name_all(j, "kernel", v.kernel);
  if (v.budget_ended)
    j.notes.push_back("the budget ended before every verdict and digit was settled");
  return j;
}

// One object for the kernels of a file, with quantities and notes by kernel.
FileJson parts_json(const std::vector<Verified>& parts, const CommonOptions& o) {
  if (parts.front().kernel.empty()) return file_json(parts.front(), o);
  FileJson all;
  all.quantities = Json::object();
  all.notes = Json::array();
  for (const Verified& v : parts) {
    FileJson j = file_json(v, o);
    for (Json& entry : j.claims) all.claims.push_back(std::move(entry));
    for (Json& entry : j.identities) all.identities.push_back(std::move(entry));
    for (const Json& note : j.notes) all.notes.push_back(v.kernel + ": " + note.get<std::string>());
    all.quantities[v.kernel] = std::move(j.quantities);
  }
  return all;
}

// Over several files every claim, identity and note names its file, and quantities are keyed by it.
void add_file(Json& result, const std::string& file, FileJson j) {
  name_all(j, "file", file);
  for (Json& entry : j.claims) result["claims"].push_back(std::move(entry));
  for (Json& entry : j.identities) result["identities"].push_back(std::move(entry));
  for (const Json& note : j.notes) result["notes"].push_back(file + ": " + note.get<std::string>());
  result["quantities"][file] = std::move(j.quantities);
}

int run_verify(const Options& o) {
  std::vector<LoadedAny> loaded;
  std::vector<Input> inputs;
  for (const std::string& file : o.files) {
    loaded.push_back(load_verifiable(file, o.common));
    inputs.push_back(loaded.back().input);
  }
  Json result = result_object("verify", o.common, inputs);
  result["status"] = "proved";
  for (const char* key : {"quantities", "claims", "identities", "notes"})
    result[key] = key[0] == 'q' ? Json::object() : Json::array();
  int exit = Exit::ok;
  for (const LoadedAny& l : loaded) {
    const std::vector<Verified> parts = verified(l, o.at, o.common);
    for (const Verified& v : parts) {
      const int status = status_of(v);
      exit = combine(exit, status);
      if (!o.common.json) {
        if (&v != &parts.front()) std::cout << "\n";
        print_report(v, status, o);
      }
    }
    if (!o.common.json) continue;
    FileJson j = parts_json(parts, o.common);
    if (loaded.size() > 1) {
      add_file(result, l.input.path, std::move(j));
      continue;
    }
    result["quantities"] = std::move(j.quantities);
    result["claims"] = std::move(j.claims);
    result["identities"] = std::move(j.identities);
    result["notes"] = std::move(j.notes);
  }
  result["status"] = status_word(exit);
  if (o.common.json) print_json(result);
  return exit;
}

}  // namespace

void register_verify(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand("verify", "prove or refute every claim on an instance");
  sub->add_option("FILE", o->files, "instance (.json, .npz, - for standard input)")->required();
  sub->add_option("--at", o->at, "attsvm: which point of the file (entry of loss_evals)")
      ->capture_default_str();
  sub->add_flag("--all", o->all, "list the rungs that are not applicable too");
  add_output_options(*sub, o->common);
  add_precision_options(*sub, o->common);
  add_kernel_options(*sub, o->common);
  sub->footer(
      "Example:\n  heedcert verify examples/digits-3-vs-8.json\n  heedcert verify layer.npz --json "
      "--digits 40\n"
      "Exit: 0 all proved, 1 refuted, 2 undecided, 3 bad input");
  sub->callback([&run, o] { run = [o] { return run_verify(*o); }; });
}

}  // namespace heedcert
