// SPDX-License-Identifier: Apache-2.0
#include "reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/data/atomic_file.hpp"
#include "heed/data/input_error.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/version.hpp"
#include "report.hpp"

namespace heedcert {

bool ReproducedValue::is_within() const {
  return reference && allowed && std::fabs(measured - *reference) <= *allowed;
}

namespace {

struct Options {
  std::string experiment;
  std::size_t seeds = 0;
  int threads = 1;
  bool json = false, force = false;
  std::vector<std::string> outputs;
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> list;
    for (auto* family : {token_experiments, layer_experiments, slice_experiments})
      for (Experiment& e : family()) list.push_back(std::move(e));
    return list;
  }();
  return all;
}

std::string number(double x, int digits = 5) {
  if (std::isnan(x)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

std::string number(const std::optional<double>& x, int digits = 5) {
  return x ? number(*x, digits) : "-";
}

std::optional<double> ratio(const ReproducedValue& v) {
  if (!v.reference || *v.reference == 0) return std::nullopt;
  return v.measured / *v.reference;
}

std::optional<double> errors_apart(const ReproducedValue& v) {
  if (!v.reference || !v.standard_error || !(*v.standard_error > 0)) return std::nullopt;
  return (v.measured - *v.reference) / *v.standard_error;
}

// compared: values with a tolerance; within: those inside.
struct Count {
  std::size_t compared = 0, within = 0;
  bool reported_only() const { return compared == 0; }
  bool holds() const { return within == compared; }
  std::string status() const {
    return reported_only() ? "reported" : holds() ? "reproduced" : "not reproduced";
  }
};

Count count(const Reproduction& r) {
  Count c;
  for (const ReproducedValue& v : r.values) {
    if (!v.allowed) continue;
    ++c.compared;
    c.within += v.is_within() ? 1 : 0;
  }
  return c;
}

std::string csv(const Reproduction& r) {
  const auto quoted = [](const std::string& word) { return '"' + word + '"'; };
  std::string text = "run,quantity,measured,reference,allowed,standard_error\n";
  const auto cell = [](const std::optional<double>& x) {
    return x && std::isfinite(*x) ? number(*x, 17) : "";
  };
  for (const ReproducedValue& v : r.values)
    text += quoted(v.run) + "," + quoted(v.quantity) + "," + cell(v.measured) + "," +
            cell(v.reference) + "," + cell(v.allowed) + "," + cell(v.standard_error) + "\n";
  return text;
}

Json json(const Experiment& e, const Options& o, const Reproduction& r) {
  Json rows = Json::array();
  const auto cell = [](const std::optional<double>& x) {
    return x && std::isfinite(*x) ? approx_json(*x) : Json(nullptr);
  };
  for (const ReproducedValue& v : r.values) {
    Json row = {{"run", v.run},
                {"quantity", v.quantity},
                {"measured", cell(v.measured)},
                {"reference", cell(v.reference)},
                {"allowed", cell(v.allowed)},
                {"standard_error", cell(v.standard_error)}};
    if (v.allowed) row["within"] = v.is_within();
    rows.push_back(row);
  }
  return {{"schema", "heed-result-1"},
          {"command", "reproduce"},
          {"version", heed::version},
          {"seed", 0},
          {"settings", {{"experiment", e.name}, {"seeds", r.seeds}, {"threads", o.threads}}},
          {"inputs", Json::array()},
          {"status", count(r).status()},
          {"quantities", Json::object()},
          {"rows", rows},
          {"claims", Json::array()},
          {"notes", r.notes}};
}

void print(const Experiment& e, const Reproduction& r) {
  const Count c = count(r);
  std::cout << c.status() << ": " << e.name;
  if (!c.reported_only())
    std::cout << ": " << c.within << " of " << c.compared << " values within tolerance";
  std::cout << "\n  " << e.title << "; " << r.seeds << " seed" << (r.seeds == 1 ? "" : "s") << "\n";
  std::size_t run_width = 4, quantity_width = 9;
  for (const ReproducedValue& v : r.values) {
    if (v.detail && !(v.allowed && !v.is_within())) continue;
    run_width = std::max(run_width, v.run.size() + 2);
    quantity_width = std::max(quantity_width, v.quantity.size() + 2);
  }
  const auto line = [&](const std::string& run, const std::string& quantity,
                        const std::string& measured, const std::string& reference,
                        const std::string& quotient, const std::string& apart,
                        const std::string& remark) {
    std::string text = "  " + pad(run, run_width) + pad(quantity, quantity_width) +
                       pad(measured, 12) + pad(reference, 12) + pad(quotient, 9) + pad(apart, 10) +
                       remark;
    text.erase(text.find_last_not_of(' ') + 1);
    std::cout << text << "\n";
  };
  line("run", "quantity", "measured", "reference", "ratio", "s.e.", "");
  for (const ReproducedValue& v : r.values) {
    const bool outside = v.allowed && !v.is_within();
    if (v.detail && !outside) continue;
    line(v.run, v.quantity, number(v.measured), number(v.reference), number(ratio(v), 3),
         number(errors_apart(v), 2), outside ? "outside tolerance" : "");
  }
  for (const std::string& note : r.notes) std::cout << "note: " << note << "\n";
}

// Before an experiment of minutes, not after it.
void require_usable(const Options& o) {
  for (const std::string& path : o.outputs) {
    const bool picture = path.ends_with(".svg");
    if (!picture && !path.ends_with(".csv"))
      throw heed::InputError(path + ": expected a name that ends with .csv or .svg");
    if (picture && o.experiment != "kernel.slices")
      throw heed::InputError(path + ": expected .csv, only kernel.slices has a picture");
    if (!o.force && std::filesystem::exists(path))
      throw heed::InputError(path + ": exists already; --force replaces it");
  }
}

int run_reproduce(const Options& o) {
  const auto e = std::find_if(experiments().begin(), experiments().end(),
                              [&](const Experiment& x) { return x.name == o.experiment; });
  require_usable(o);
  heed::set_thread_count(o.threads);
  const Reproduction r = e->run({o.seeds});
  for (const std::string& path : o.outputs) {
    const bool picture = path.ends_with(".svg");
    heed::write_file_atomically(path, picture ? r.picture.value_or("") : r.table.value_or(csv(r)),
                                o.force ? heed::Overwrite::allow : heed::Overwrite::refuse);
  }
  if (o.json)
    print_json(json(*e, o, r));
  else
    print(*e, r);
  return count(r).holds() ? Exit::ok : Exit::refuted;
}

}  // namespace

void register_reproduce(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "reproduce", "repeat an experiment on training and set its numbers beside the reference's");
  std::vector<std::string> names;
  std::string list;
  for (const Experiment& e : experiments()) {
    names.push_back(e.name);
    list += "  " + pad(e.name, 15) + e.title + "\n";
  }
  sub->add_option("EXPERIMENT", o->experiment, "see below")
      ->required()
      ->check(CLI::IsMember(names));
  sub->add_option("--seeds", o->seeds,
                  "how many of the reference's seeds or starts (default: all of them)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  sub->add_option("--threads", o->threads, "number of threads; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_flag("--json", o->json, "print one JSON object (schema heed-result-1) and nothing else");
  sub->add_option("-o,--output", o->outputs, "table to write (.csv); kernel.slices: also .svg");
  sub->add_flag("--force", o->force, "overwrite existing files");
  sub->footer("Experiments:\n" + list +
              "\nExit code 0: every compared number is within its tolerance, or none is compared;\n"
              "1: one is not. What is compared, and how: docs/experiments.md.\n"
              "Examples:\n"
              "  heedcert reproduce kernel.e6\n"
              "  heedcert reproduce kernel.e4 --seeds 2 -o token-task.csv\n"
              "  heedcert reproduce kernel.slices -o slices.csv -o slices.svg");
  sub->callback([&run, o] { run = [o] { return run_reproduce(*o); }; });
}

}  // namespace heedcert
