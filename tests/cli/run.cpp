// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern char** environ;

namespace cli_test {

namespace {

Outcome run(const std::string& program, const std::vector<std::string>& arguments,
            const std::string& input, const std::string& output) {
  // Files instead of pipes: whatever the process writes, nobody has to read along.
  const TemporaryFolder folder;
  const std::string in = folder.write("in", input);
  const std::string out = output.empty() ? folder.path("out") : output;
  const std::string err = folder.path("err");
  posix_spawn_file_actions_t actions;
  REQUIRE(posix_spawn_file_actions_init(&actions) == 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(failure == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  Outcome outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (output.empty()) outcome.out = bytes_of(out);
  outcome.err = bytes_of(err);
  return outcome;
}

}  // namespace

Outcome heedcert(const std::vector<std::string>& arguments, const std::string& input,
                 const std::string& output) {
  return run(HEED_HEEDCERT, arguments, input, output);
}

Outcome heedcheck(const std::vector<std::string>& arguments) {
  return run(HEED_HEEDCHECK, arguments, "", "");
}

Json parse_object(const Outcome& outcome) {
  INFO("exit " << outcome.exit << ", stderr: " << outcome.err);
  Json parsed = Json::parse(outcome.out, nullptr, false);
  REQUIRE_FALSE(parsed.is_discarded());
  REQUIRE(parsed.is_object());
  return parsed;
}

Json heedcert_json(std::vector<std::string> arguments, int exit, const std::string& input) {
  arguments.push_back("--json");
  const Outcome outcome = heedcert(arguments, input);
  INFO("exit " << outcome.exit << ", stderr: " << outcome.err);
  CHECK(outcome.exit == exit);
  CHECK(outcome.err.empty());
  return parse_object(outcome);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "heed-cli-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string TemporaryFolder::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path_ / name, std::ios::binary) << bytes;
  return path(name);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::filesystem::path> fixture_files(const std::string& model) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder / "fixtures")) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(model + "_", 0) == 0 && entry.path().extension() == ".json")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  return files;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace cli_test
