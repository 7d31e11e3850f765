// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "checks/support/property.hpp"
#include "checks/support/runner.hpp"

namespace heed::checks {

std::vector<Property> all_properties() {
  std::vector<Property> all;
  for (auto* family : {loss_properties,
                       moment_properties,
                       mha_grad_properties,
                       mha_hessian_properties,
                       identities_properties,
                       decision_properties,
                       mha_model_properties,
                       mpfi_properties,
                       hessian_structure_properties,
                       eigenvalue_enclosure_properties,
                       fast_eigenvalue_properties,
                       elementary_properties,
                       double_ball_properties,
                       token_rank_properties,
                       gradient_enclosure_properties,
                       ntk_properties,
                       dm1_properties,
                       query_attention_properties,
                       query_mpfi_properties,
                       query_symmetries_properties,
                       frobenius_margin_properties,
                       attsvm_margin_properties,
                       attsvm_loss_properties,
                       attsvm_landscape_properties,
                       attsvm_factors_properties,
                       nuclear_margin_properties,
                       kernel_attention_properties,
                       landscape_1d_properties,
                       token_pl_properties,
                       kernel_pl_properties,
                       kernel_rank_properties,
                       kernel_ends_properties,
                       kernel_smooth_properties,
                       kernel_convergence_properties,
                       landscape_properties,
                       certificates_properties,
                       theorem_certificates_properties})
    for (Property& p : family()) all.push_back(std::move(p));
  return all;
}

namespace {

std::vector<Property> selected(const std::string& only) {
  std::vector<Property> chosen;
  for (Property& p : all_properties())
    if (only.empty() || p.name == only || p.family() == only) chosen.push_back(std::move(p));
  return chosen;
}

int list() {
  for (const Property& p : all_properties()) std::cout << p.name << "\n    " << p.statement << "\n";
  return 0;
}

}  // namespace
}  // namespace heed::checks

int main(int argc, char** argv) {
  using namespace heed::checks;
  CLI::App app{
      "Property-based checks of the library heed. Exit status: 0 all hold, 1 one fails, "
      "3 bad input, 64 usage.",
      "heed_checks"};
  RunOptions o;
  std::string only, replay, save;
  bool list_only = false;
  std::vector<int> sizes;
  app.add_option("--cases", o.cases, "Instances; costly properties take a fixed share of them")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Seed of all draws")->capture_default_str();
  app.add_option("--first", o.first_case, "Number of the first case")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--only", only, "One family (mha_hessian) or one property (mha_hessian.ladder)");
  app.add_option("--max-size", sizes, "Largest n,T,d,H")
      ->delimiter(',')
      ->expected(4)
      ->check(CLI::Range(1, 64));
  app.add_flag("--distribution", o.distribution, "Print what was generated and what was met");
  app.add_option("--save", save,
                 "Folder for counterexamples, the slowest instances and the instance of a crash");
  app.add_option("--replay", replay, "Run the properties of --only on this instance file");
  app.add_flag("--list", list_only, "List the properties");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 64;
  }
  if (list_only) return list();
  if (sizes.size() == 4) o.limit = {sizes[0], sizes[1], sizes[2], sizes[3]};
  o.keep_current = !save.empty();
  o.directory = save.empty() ? "heed-counterexamples" : save;
  const std::vector<Property> properties = selected(only);
  if (properties.empty()) {
    std::cerr << "heed_checks: no property is called " << only << "; see --list\n";
    return 64;
  }
  try {
    bool good = true;
    if (replay.empty()) std::cout << "seed " << o.seed << ", " << o.cases << " cases" << std::endl;
    for (const Property& p : properties) {
      if (!replay.empty() && only.empty() && p.hold_query) continue;  // of other instances
      good = (replay.empty() ? run_property(p, o) : replay_property(p, replay)) && good;
    }
    std::cout << (good ? "all hold" : "some properties FAIL") << std::endl;
    return good ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "heed_checks: " << e.what() << "\n";
    return 3;
  }
}
