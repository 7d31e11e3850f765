// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/data/input_error.hpp"
#include "heed/numeric/format.hpp"
#include "margin_report.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

struct Options {
  CommonOptions common;
  MarginOptions margin;
  std::string file;
};

int run_margin(const Options& o) {
  const LoadedAny loaded = load_any(o.file, o.common);
  const heed::Instance instance = with_threshold(loaded.instance, o.margin);
  const MarginReport report = margin_report(instance, o.margin, o.common);
  if (o.common.json) {
    Json j = result_object("margin", o.common, {loaded.input});
    j["settings"]["norm"] = o.margin.norm;
    j["status"] = report.status;
    j["quantities"] = report.quantities;
    j["claims"] = Json::array();
    j["notes"] = report.notes;
    print_json(j);
  } else {
    for (const std::string& line : report.lines) std::cout << line << "\n";
    for (const Json& note : report.notes) std::cout << "note: " << note.get<std::string>() << "\n";
  }
  return report.exit;
}

}  // namespace

void register_margin(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "margin", "the largest margin: exact or enclosed, with support vectors, or infeasible");
  sub->add_option("FILE", o->file, "instance (.json, .npz, - for standard input)")->required();
  add_margin_options(*sub, o->margin);
  add_output_options(*sub, o->common);
  add_threshold_option(*sub, o->margin);
  add_digits_option(*sub, o->common);
  sub->add_option("--max-bits", o->common.max_bits, "mha: largest working precision")
      ->check(CLI::Range(64, 1000000))
      ->capture_default_str();
  sub->footer(
      "Examples:\n"
      "  heedcert generate attsvm --n 6 --tokens 8 --dim 10 -o a.json && heedcert margin a.json\n"
      "  heedcert margin a.json --norm nuc --digits 30 --json\n"
      "attsvm: the Att-SVM of the selected tokens; with W (or K and Q) in the file its correlation "
      "with the "
      "solution, rho_F, rho_N and the tokens that it selects. rows: the margin of the rows. mha: "
      "the NTK "
      "margin at the weights.\n"
      "Exit: 0 bracketed, 1 infeasible (mha: not separable), 2 budget ended first, 3 bad input");
  sub->callback([&run, o] { run = [o] { return run_margin(*o); }; });
}

}  // namespace heedcert
