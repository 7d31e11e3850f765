// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "heed/data/atomic_file.hpp"
#include "heed/data/input_bytes.hpp"
#include "heed/data/sha256.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::bytes_of;
using data_test::message_of;

TEST_CASE("SHA-256 agrees with the published examples") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  const std::string expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  CHECK(sha256_hex(million) == expected);
  const data_test::TemporaryFolder temporary;
  CHECK(sha256_of_file(temporary.write("a", million)) == expected);
  CHECK(message_of([&] { sha256_of_file(temporary.file("none")); }).find("cannot open") !=
        std::string::npos);
}

TEST_CASE("all bytes of a file are read") {
  const data_test::TemporaryFolder temporary;
  std::string bytes;
  for (int k = 0; k < 200'000; ++k) bytes += static_cast<char>(k % 251);
  CHECK(read_input_bytes(temporary.write("a", bytes)) == bytes);
  CHECK(read_input_bytes(temporary.write("b", "")).empty());
  CHECK(read_input_bytes(temporary.file("a"), 200'000).size() == 200'000);
  CHECK(message_of([&] {
          read_input_bytes(temporary.file("a"), 199'999);
        }).find("limit of 199999 bytes") != std::string::npos);
  CHECK(message_of([] { read_input_bytes("/dev/zero", 100'000); }).find("larger than") !=
        std::string::npos);
  CHECK(input_label("-") == "<stdin>");
}

TEST_CASE("an output file is replaced only on demand and never left in part") {
  const data_test::TemporaryFolder temporary;
  const std::string path = temporary.file("out.json");
  write_file_atomically(path, "first");
  CHECK(bytes_of(path) == "first");
  CHECK(message_of([&] { write_file_atomically(path, "second"); }) ==
        path + ": the file exists; nothing is overwritten without --force");
  CHECK(bytes_of(path) == "first");
  write_file_atomically(path, "third", Overwrite::allow);
  CHECK(bytes_of(path) == "third");
  CHECK(temporary.files() == 1);
}

TEST_CASE("a new output file has the usual permissions") {
  const data_test::TemporaryFolder temporary;
  const std::string path = temporary.file("out.json");
  const mode_t mask = ::umask(027);
  write_file_atomically(path, "x");
  ::umask(mask);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
}

TEST_CASE("output that cannot be written is an input error") {
  const data_test::TemporaryFolder temporary;
  CHECK(message_of([&] {
          write_file_atomically(temporary.file("none/out.json"), "x");
        }).find("cannot write: No such file or directory") != std::string::npos);
  CHECK(message_of([&] {
          write_file_atomically(temporary.file("."), "x", Overwrite::allow);
        }).find("found a folder") != std::string::npos);
  CHECK(temporary.files() == 0);
}
