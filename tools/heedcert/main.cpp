// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <iostream>

#include "command.hpp"
#include "heed/data/input_error.hpp"
#include "heed/version.hpp"

int main(int argc, char** argv) {
  using namespace heedcert;
  CLI::App app{"Heedcert: proved inequalities for attention layers.", "heedcert"};
  app.set_version_flag("--version", std::string("heedcert ") + heed::version);
  app.require_subcommand(1);
  app.footer("heedcert COMMAND --help shows the options and an example of each command.");
  Run run;
  register_verify(app, run);
  register_curvature(app, run);
  register_margin(app, run);
  register_certify(app, run);
  register_claims(app, run);
  register_generate(app, run);
  register_convert(app, run);
  register_reproduce(app, run);
  register_selftest(app, run);
  // CLI11 would only say that a subcommand is required.
  const std::vector<CLI::App*> known = app.get_subcommands([](CLI::App*) { return true; });
  const auto is_named = [&](const CLI::App* sub) { return sub->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(known.begin(), known.end(), is_named)) {
    std::cerr << "heedcert: expected a command, found \"" << argv[1] << "\"; known are";
    for (const CLI::App* sub : known) std::cerr << " " << sub->get_name();
    std::cerr << " (heedcert --help)\n";
    return Exit::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? Exit::ok : Exit::usage;
  }
  try {
    const int status = run();
    if (!std::cout.flush()) {
      std::cerr << "heedcert: cannot write the result to standard output\n";
      return Exit::internal;
    }
    return status;
  } catch (const heed::InputError& e) {
    std::cerr << "heedcert: " << e.what() << "\n";
    return Exit::bad_input;
  } catch (const std::exception& e) {
    std::cerr << "heedcert: internal error: " << e.what() << "\n";
    return Exit::internal;
  }
}
