// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heed/data/input_error.hpp"
#include "heed/data/instance.hpp"

namespace data_test {

inline const std::filesystem::path folder{HEED_TEST_DATA};

/// The message of the InputError that `action` throws; any other outcome fails the test.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const heed::InputError& error) {
    return error.what();
  }
  FAIL("expected an InputError");
  return {};
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "heed-data-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return file(name);
  }
  std::size_t files() const {
    const std::filesystem::directory_iterator begin(path_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline heed::Matrix<heed::Rational> matrix(const std::vector<std::vector<const char*>>& rows) {
  heed::Matrix<heed::Rational> a(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) a(i, j) = heed::Rational::parse(rows[i].at(j));
  }
  return a;
}

}  // namespace data_test
