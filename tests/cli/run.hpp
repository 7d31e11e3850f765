// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cli_test {

/// Keeps the order of keys, as the command prints them.
using Json = nlohmann::ordered_json;

inline const std::filesystem::path data_folder{HEED_TEST_DATA};

/// A finished process. `exit` is 128 plus the signal if a signal ended it.
struct Outcome {
  int exit = -1;
  std::string out, err;
};

/// Runs heedcert with these arguments and this text on standard input. With `output`, stdout goes
/// to that path and is not read back.
Outcome heedcert(const std::vector<std::string>& arguments, const std::string& input = "",
                 const std::string& output = "");

/// Runs heedcheck with these arguments.
Outcome heedcheck(const std::vector<std::string>& arguments);

/// The one JSON object that a command printed; anything around it fails the test.
Json parse_object(const Outcome& outcome);

/// heedcert with --json, which must end with `exit`.
Json heedcert_json(std::vector<std::string> arguments, int exit = 0, const std::string& input = "");

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::filesystem::path& path);

/// Paths of the reference instances of a model (mha, attsvm); the test fails if there is none.
std::vector<std::filesystem::path> fixture_files(const std::string& model = "mha");

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cli_test
