// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npy_write.hpp"
#include "heed/data/read.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::message_of;

TEST_CASE("a direction is a list, an object or an npy vector") {
  const std::vector<Rational> expected = {Rational(1L, 3), Rational(-2), Rational(0.1)};
  CHECK(parse_direction(R"(["1/3", -2, 0.1])", "d.json", 3) == expected);
  CHECK(parse_direction(R"({"direction": ["1/3", "-2", 0.1], "x": 1})", "d.json", 3) == expected);
  const std::vector<double> values{0.25, -2, 0.1};
  CHECK(parse_direction(detail::npy_bytes({3}, values), "d.npy", 3) ==
        std::vector<Rational>{Rational(1L, 4), Rational(-2), Rational(0.1)});
}

TEST_CASE("directions that do not fit are refused with both lengths") {
  CHECK(message_of([] {
          parse_direction("[1, 2]", "d.json", 3);
        }).find("d.json: direction: expected 3 numbers (P = H (T d + d^2)") == 0);
  CHECK(message_of([] { parse_direction("[1, 2, null]", "d.json", 3); }) ==
        "d.json: direction[2]: expected a number, found null");
  CHECK(message_of([] {
          parse_direction("{\"a\": 1}", "d.json", 3);
        }).find("expected a list of numbers or {\"direction\": [...]}, found an object") !=
        std::string::npos);
  CHECK(message_of([] {
          parse_direction(detail::npy_bytes({2, 2}, std::vector<double>(4)), "d.npy", 4);
        }).find("one axis, found float64 of shape (2, 2)") != std::string::npos);
  CHECK(message_of([] {
          parse_direction(detail::npy_bytes("abc"), "d.npy", 3);
        }).find("found text of shape ()") != std::string::npos);
  CHECK(message_of([] { parse_direction("", "d.json", 3); }).find("empty") != std::string::npos);
}

TEST_CASE("a direction is read from a file") {
  const data_test::TemporaryFolder temporary;
  const std::string path = temporary.write("d.json", "[\"0x1p-1\"]");
  CHECK(read_direction(path, 1) == std::vector<Rational>{Rational(1L, 2)});
}
