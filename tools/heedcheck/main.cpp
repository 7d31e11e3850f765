// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "words.hpp"

namespace {

constexpr int internal_error = 4;

heedcheck::Answer answer_to_file(const std::string& file, const heedcheck::Expected& expected) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad() || !in.is_open()) {
    heedcheck::Answer answer;
    answer.file = file;
    answer.reason = "the file cannot be read";
    return answer;
  }
  return heedcheck::answer_to(file, text, expected);
}

std::string check_digest(const std::string& text) {
  const bool good =
      text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? "" : "expected 64 digits 0-9a-f";
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
  app.add_option("--sha256", expected.sha256, "The hash that you expect")->check(check_digest);
  app.add_option("--problem", expected.problem, "The problem that you expect")
      ->check(CLI::IsMember({"fro", "nuc", "fro-eq"}));
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
      const Answer& answer = answers.back();
      worst = std::max<int>(worst, answer.exit);
      if (as_json) continue;
      std::cout << (files.size() > 1 ? file + ": " : "") << lines(answer);
    }
    if (as_json) std::cout << json(answers);
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
    return worst;
  } catch (const std::exception& e) {
    std::cerr << "heedcheck: internal error: " << e.what() << "\n";
    return internal_error;
  }
}
