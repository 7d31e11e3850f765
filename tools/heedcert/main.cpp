// SPDX-License-Identifier: Apache-2.0
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
  register_claims(app, run);
  register_generate(app, run);
  register_convert(app, run);
  register_selftest(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? Exit::ok : Exit::usage;
  }
  try {
    return run();
  } catch (const heed::InputError& e) {
    std::cerr << "heedcert: " << e.what() << "\n";
    return Exit::bad_input;
  } catch (const std::exception& e) {
    std::cerr << "heedcert: internal error: " << e.what() << "\n";
    return Exit::internal;
  }
}
