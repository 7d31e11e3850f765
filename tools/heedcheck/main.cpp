// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "landscape_instance.hpp"
#include "words.hpp"

namespace {

heedcheck::Answer answer_to_file(const std::string& file, const heedcheck::Expected& expected) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.is_open() || text.fail()) {
    return {file, heedcheck::Exit::unreadable, "the file cannot be read or is empty", {}};
  }
  return heedcheck::answer_to(file, text.str(), expected);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace heedcheck;
  CLI::App app{"Re-checks certificates of the format heed-certificate-1, by integer arithmetic.",
               "heedcheck"};
  app.set_version_flag("--version", "heedcheck " HEEDCHECK_VERSION);
  std::vector<std::string> files;
  Expected expected;
  bool as_json = false;
  app.add_option("FILE", files, "Certificates; the largest exit code counts")->required();
  app.add_option("--sha256", expected.sha256, "The hash that you expect")
      ->check([](const std::string& text) {
        return is_digest(text) ? "" : std::string("expected 64 digits 0-9a-f");
      });
  app.add_option("--problem", expected.problem, "The problem that you expect")
      ->check([](const std::string& text) {
        const bool known =
            text == "fro" || text == "nuc" || text == "fro-eq" || is_landscape_problem(text);
        return known ? "" : std::string("expected fro, nuc, fro-eq or KERNEL:BLOCK[,BLOCK...]");
      });
  app.add_flag("--json", as_json, "One JSON object instead of lines");
  app.footer("Exit codes: 0 valid, 1 invalid, 3 unreadable, 64 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : Exit::usage;
  }
  try {
    std::vector<Answer> answers;
    int worst = Exit::valid;
    for (const std::string& file : files) {
      answers.push_back(answer_to_file(file, expected));
      worst = std::max<int>(worst, answers.back().exit);
      if (!as_json) std::cout << (files.size() > 1 ? file + ": " : "") << lines(answers.back());
    }
    if (as_json) std::cout << json(answers);
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
    return worst;
  } catch (const std::exception& e) {
    std::cerr << "heedcheck: internal error: " << e.what() << "\n";
    return internal_error;
  }
}
