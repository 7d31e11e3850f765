// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "certify.hpp"
#include "command.hpp"
#include "heed/certificate/margin.hpp"
#include "heed/data/atomic_file.hpp"
#include "heed/data/input_error.hpp"
#include "heed/margin/generalised_svm.hpp"
#include "heed/version.hpp"
#include "margin_report.hpp"

namespace heedcert {
namespace {

struct Options {
  CommonOptions common;
  MarginOptions margin;
  LandscapeRequest landscape;
  std::string kind, file, output;
  bool force = false;
};

Written certificate(const heed::Instance& instance, const SolvedMargin& solved, bool nuclear,
                    const std::string& info) {
  const auto* rows = std::get_if<heed::RowsInstance>(&instance);
  const auto* query = std::get_if<heed::QueryInstance>(&instance);
  const heed::MarginNorm norm = nuclear ? heed::MarginNorm::nuclear : heed::MarginNorm::frobenius;
  Written w;
  const auto write = [&](const auto& result) {
    if (const auto* proof = std::get_if<heed::Infeasibility>(&result)) {
      w.text = rows ? heed::infeasible_certificate(*rows, *proof, info)
                    : heed::infeasible_certificate(*query, norm, *proof, info);
      w.statement = "no W meets the constraints";
      w.exit = Exit::refuted;
    } else if (const auto* b = std::get_if<heed::MarginBracket>(&result)) {
      w.text = rows ? heed::margin_certificate(*rows, *b, info)
                    : heed::margin_certificate(*query, norm, *b, info);
      w.statement = b->lo == b->hi ? "the exact margin" : "a bracket of the margin";
    } else if (const auto* open = std::get_if<heed::MarginUndecided>(&result)) {
      w.statement = open->reason;
      w.exit = Exit::undecided;
    } else {
      throw heed::InputError(
          "no constraints: every token is selected, the margin is +infinity and there is nothing "
          "to certify");
    }
  };
  if (nuclear && solved.nuclear) {
    write(solved.nuclear->result);
  } else {
    write(solved.frobenius->result);
  }
  return w;
}

/// Problem fro-eq: the least W with the gaps of the first W of the file.
Written equalities(const heed::Instance& instance, const std::string& info) {
  const auto* query = std::get_if<heed::QueryInstance>(&instance);
  if (query == nullptr || query->points.empty())
    throw heed::InputError(
        "--norm fro-eq: expected an instance of model attsvm with W (or K and Q)");
  const heed::MarginProblem problem = heed::margin_problem(*query);
  if (problem.equalities.size() == 0)
    throw heed::InputError(
        "--norm fro-eq: no input has several selected tokens; list them in `selected`, or select "
        "with --threshold");
  const heed::LeastMatrix least =
      heed::least_with_gaps_of(problem, query->points.front().weights.W);
  return {heed::equalities_certificate(*query, least, info),
          "the least ||W||_F^2 with the logit gaps of W between selected tokens",
          heed::certificate_sha256(*query, least.gaps)};
}

std::string sha256_of(const heed::Instance& instance) {
  return std::visit(
      [](const auto& model) -> std::string {
        if constexpr (requires { heed::certificate_sha256(model); }) {
          return heed::certificate_sha256(model);
        } else {
          return "";
        }
      },
      instance);
}

int finish(const Written& w, const Options& o) {
  if (w.text.empty()) {
    std::cout << "undecided: " << w.statement << "; no certificate was written\n";
    return w.exit;
  }
  heed::write_file_atomically(o.output, w.text,
                              o.force ? heed::Overwrite::allow : heed::Overwrite::refuse);
  std::cout << "wrote " << o.output << ": " << w.statement << "\n"
            << "re-check: heedcheck --sha256 " << w.sha256 << " " << o.output << "\n";
  return w.exit;
}

int run_certify(const Options& o) {
  const LoadedAny loaded = load_any(o.file, o.common);
  const std::string info =
      std::string("heedcert ") + heed::version + ", --digits " + std::to_string(o.common.digits);
  Written w;
  if (o.kind == "landscape")
    return finish(landscape_certificate(kernel_instance(loaded), o.landscape, o.common, info), o);
  const heed::Instance instance = with_threshold(loaded.instance, o.margin);
  if (o.margin.norm == "fro-eq") {
    w = equalities(instance, info);
  } else {
    const SolvedMargin solved = solve_margin(instance, o.margin, o.common.digits);
    w = certificate(instance, solved, o.margin.norm == "nuc", info);
    w.sha256 = sha256_of(instance);
  }
  return finish(w, o);
}

}  // namespace

void register_certify(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  o->margin.norm = "fro";
  CLI::App* sub = app.add_subcommand("certify", "write a certificate that heedcheck re-checks");
  sub->add_option("KIND", o->kind,
                  "margin: a bracket of the margin, or a proof that there is none; landscape: a "
                  "stationary point, or a trap of gradient descent")
      ->required()
      ->check(CLI::IsMember({"margin", "landscape"}));
  sub->add_option("FILE", o->file, "instance of model attsvm or rows (margin), kernel (landscape)")
      ->required();
  add_landscape_options(*sub, o->landscape);
  CLI::Option* const claim =
      sub->add_option("--claim", o->landscape.claim,
                      "landscape: instead of a point, all critical points of every token "
                      "(complete_1d), a theorem by which training reaches a global minimum, or a "
                      "point with f = 0 close to the point (zero_loss)")
          ->check(CLI::IsMember(
              {"complete_1d", "lojasiewicz", "overshoot", "pl", "init", "zero_loss"}));
  // what it does not use
  for (const char* other : {"--point", "--radius", "--trap", "--start", "--eta"})
    claim->excludes(sub->get_option(other));
  add_kernel_options(*sub, o->common);
  sub->add_option(
         "--norm", o->margin.norm,
         "fro (Frobenius), nuc (nuclear), or fro-eq (the least W with the logit gaps that the "
         "W of the file has between selected tokens of an input)")
      ->check(CLI::IsMember({"fro", "nuc", "fro-eq"}))
      ->capture_default_str();
  add_threshold_option(*sub, o->margin);
  sub->add_option("--exact", o->margin.exact, "Frobenius: auto, always or never exact")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  sub->add_option("-o,--output", o->output, "certificate to write")->required();
  sub->add_flag("--force", o->force, "overwrite an existing file");
  add_digits_option(*sub, o->common);
  sub->footer(
      "Example:\n"
      "  heedcert certify margin a.json -o a.cert.json && heedcheck a.cert.json\n"
      "  heedcert certify landscape sm1.json --kernel softmax --trap 2/5 --start 1/16 -o t.json\n"
      "  heedcert certify landscape sm1.json --kernel softmax --trap auto -o t.json\n"
      "  heedcert certify landscape ga1.json --kernel softmax --claim complete_1d -o c.json\n"
      "Exit: 0 written, 1 written: infeasible, 2 undecided (nothing written), 3 bad input");
  sub->callback([&run, o] { run = [o] { return run_certify(*o); }; });
}

}  // namespace heedcert
