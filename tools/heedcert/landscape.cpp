// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/numeric/precision.hpp"
#include "landscape_options.hpp"
#include "landscape_report.hpp"

namespace heedcert {
namespace {

struct Options {
  CommonOptions common;
  LandscapeRequest request;
  std::string file;
};

// No stationary point needs to be looked for: all have f = 0.
bool has_only_global_points(const LandscapeFindings& f) {
  return std::any_of(f.positive.begin(), f.positive.end(), [](const heed::PositiveCertificate& c) {
    return c.claim == "landscape.pl" && c.kind == heed::VerdictKind::proved;
  });
}

LandscapeFindings explore(const heed::KernelInstance& instance, heed::AttentionKernel kernel,
                          const Options& o) {
  LandscapeFindings f;
  f.problem = landscape_problem(instance, kernel, o.request);
  const heed::LandscapeOptions options = landscape_options(o.request, o.common);
  const heed::PointBox box = requested_box(f.problem, o.request);
  const auto witness = [&] { return low_weights(f.problem, options.search); };
  if (wants_widest_trap(o.request)) {
    f.eta = requested_step(o.request);
    f.wants_widest_trap = true;
    const auto low = witness();
    f.points.push_back(heed::certify_point(f.problem, box, options, low));
    heed::PointReport& point = f.points.back();
    if (!point.trap) point.trap = heed::widest_trap(f.problem, point.box, low);
    return f;
  }
  if (!o.request.trap.empty()) {
    const RequestedTrap trap = requested_trap(f.problem, o.request);
    f.trap = heed::certify_trap(f.problem, trap.region, trap.theta_0, witness());
    f.eta = trap.eta;
    return f;
  }
  if (o.request.point || !o.request.centre.empty()) {
    f.points.push_back(heed::certify_point(f.problem, box, options, witness()));
    return f;
  }
  f.positive = positive_certificates(f.problem);
  if (f.problem.trained == heed::KernelBlocks(heed::KernelBlock::query))
    f.separate = separate_tokens(f.problem);
  if (has_only_global_points(f)) return f;
  f.search = heed::analyse(f.problem, options);
  f.points = f.search->points;
  return f;
}

int run_landscape(const Options& o) {
  const LoadedAny loaded = load_any(o.file, o.common);
  const heed::KernelInstance& instance = kernel_instance(loaded);
  const heed::PrecisionScope scope(128);
  std::vector<LandscapeFindings> all;
  bool some = false, refuted = false;
  for (const heed::AttentionKernel kernel : reported_kernels(instance)) {
    all.push_back(explore(instance, kernel, o));
    some = some || proves_something(all.back());
    refuted = refuted || is_refuted(all.back());
  }
  const int exit = some ? Exit::ok : refuted ? Exit::refuted : Exit::undecided;
  const char* status = some ? "proved" : refuted ? "refuted" : "undecided";
  const int digits = std::min(std::max(o.common.digits, 12), 30);
  if (!o.common.json) {
    std::cout << status << ": " << loaded.input.path << ": " << kernel_sizes(instance) << "\n";
    for (const LandscapeFindings& f : all) print(f, digits, o.common.full);
    for (const std::string& note : instance.notes) std::cout << "note: " << note << "\n";
    return exit;
  }
  Json j = result_object("landscape", o.common, {loaded.input});
  j["settings"]["blocks"] = o.request.blocks;
  j["settings"]["starts"] = o.request.starts;
  j["status"] = status;
  j["quantities"] = Json::object();
  j["claims"] = Json::array();
  for (const LandscapeFindings& f : all) {
    j["quantities"][std::string(kernel_word(f.problem.kernel))] = quantities(f, digits);
    for (Json& c : claims(f)) j["claims"].push_back(std::move(c));
  }
  j["notes"] = instance.notes;
  for (const LandscapeFindings& f : all)
    if (f.search)
      for (const std::string& note : f.search->notes)
        j["notes"].push_back(std::string(kernel_word(f.problem.kernel)) + ": " + note);
  print_json(j);
  return exit;
}

}  // namespace

void register_landscape(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "landscape", "stationary points of kernel attention: find and certify them, traps");
  sub->add_option("FILE", o->file, "instance of model kernel (.json, .npz, - for standard input)")
      ->required();
  add_landscape_options(*sub, o->request);
  add_kernel_options(*sub, o->common);
  add_output_options(*sub, o->common);
  add_precision_options(*sub, o->common);
  sub->footer(
      "Examples:\n"
      "  heedcert generate kernel --name SM1 -o sm1.json && heedcert landscape sm1.json\n"
      "  heedcert landscape sm1.json --kernel softmax --trap 2/5 --start 1/16 --eta 3\n"
      "  heedcert landscape sm1.json --kernel softmax --trap ball:1/10 --start 1/100\n"
      "  heedcert landscape sm1.json --kernel softmax --trap auto\n"
      "  heedcert landscape layer.json --blocks W_Q,W_K --starts 200 --json\n"
      "Exit: 0 something is proved, 1 the box is proved to be no trap, 2 nothing proved, 3 bad "
      "input");
  sub->callback([&run, o] { run = [o] { return run_landscape(*o); }; });
}

}  // namespace heedcert
