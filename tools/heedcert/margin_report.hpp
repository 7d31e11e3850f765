// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "heed/margin/nuclear_bracket.hpp"
#include "report.hpp"

namespace heedcert {

struct MarginOptions {
  std::string norm = "both";   // fro, nuc or both
  std::string exact = "auto";  // auto, always or never
  std::string threshold;       // of softmax probabilities, for `selected`; empty: as the file says
};

void add_margin_options(CLI::App& app, MarginOptions& o);
void add_threshold_option(CLI::App& app, MarginOptions& o);

/// The margin problem of a file, solved in the wanted norms.
struct SolvedMargin {
  heed::MarginProblem problem;
  std::optional<heed::FrobeniusMargin> frobenius;
  std::optional<heed::NuclearMargin> nuclear;
};

/// Throws InputError for a model without a margin problem, and for rows in the nuclear norm.
SolvedMargin solve_margin(const heed::Instance& instance, const MarginOptions& o, int digits);

/// The instance with the tokens selected whose softmax probability at its first W is at least
/// --threshold, if that is given.
heed::Instance with_threshold(heed::Instance instance, const MarginOptions& o);

/// What `margin` prints.
struct MarginReport {
  int exit = Exit::ok;
  std::string status = "ok";
  Json quantities = Json::object();
  Json notes = Json::array();
  std::vector<std::string> lines;
};

MarginReport margin_report(const heed::Instance& instance, const MarginOptions& o,
                           const CommonOptions& common);

}  // namespace heedcert
