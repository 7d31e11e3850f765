// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "heed/data/read.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;
using data_test::message_of;

namespace {

MhaInstance parse(const std::string& text, const ReadOptions& options = {}) {
  return parse_mha_instance(text, "f.json", options);
}

}  // namespace

TEST_CASE("every way to write a number is read exactly") {
  const MhaInstance instance = parse(R"({"X": [[["0.1", "-22/7", "0x1.8p-3", "6e-31"],
      [3, -4, 0.1, 1e3], [123456789012345678901234567890, 18446744073709551615,
      -9223372036854775808, -0]]], "y": [1]})");
  CHECK(instance.X ==
        std::vector{matrix({
            {"1/10", "-22/7", "3/16", "6e-31"},
            {"3", "-4", "3602879701896397/36028797018963968", "1000"},
            {"123456789012345678901234567890", "18446744073709551615", "-9223372036854775808", "0"},
        })});
  CHECK(instance.loss == Loss::logistic);
  CHECK_FALSE(instance.weights);
  CHECK(instance.notes.empty());
  CHECK(instance.parameters() == 0);
}

TEST_CASE("labels are numbers or texts") {
  const MhaInstance instance =
      parse(R"({"X": [[[1]],[[1]],[[1]],[[1]],[[1]]], "y": [1, "-1", "+1", -1.0, "1"]})");
  CHECK(instance.y == std::vector<int>{1, -1, 1, -1, 1});
}

TEST_CASE("ragged samples share d and the weights have T = max T_i rows") {
  const std::string text =
      R"({"model": "mha", "name": "r", "note": "by hand", "loss": "exponential",
      "X": [[[1, 2]], [[3, 4], [5, 6], [7, 8]], [[9, 10], [11, 12]]], "y": [1, -1, 1],
      "U": [[[1, 0], [0, 1], [2, 0]], [[0, 0], [0, 0], [0, 3]]],
      "W": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]})";
  const MhaInstance instance = parse(text);
  CHECK(instance.samples() == 3);
  CHECK(instance.max_tokens() == 3);
  CHECK(instance.dim() == 2);
  CHECK(instance.heads() == 2);
  CHECK(instance.parameters() == 2 * (3 * 2 + 2 * 2));
  CHECK(instance.name == "r");
  CHECK(instance.origin == "by hand");
  CHECK(instance.loss == Loss::exponential);
  CHECK(instance.X[0] == matrix({{"1", "2"}}));
  CHECK(instance.X[1] == matrix({{"3", "4"}, {"5", "6"}, {"7", "8"}}));
  CHECK(instance.X[2] == matrix({{"9", "10"}, {"11", "12"}}));
  CHECK(instance.weights->U[1] == matrix({{"0", "0"}, {"0", "0"}, {"0", "3"}}));
  CHECK(instance.weights->W[1] == matrix({{"0", "1"}, {"1", "0"}}));
}

TEST_CASE("weights with the rows of a shorter sample are refused") {
  CHECK(message_of([] {
          parse(R"({"X": [[[1]], [[3], [5]]], "y": [1, -1], "U": [[[1]]], "W": [[[1]]]})");
        }) ==
        "f.json: U[0]: expected 2 rows (T = 2), found 1; U has one row for each token of the "
        "longest sample of X");
}

TEST_CASE("the message for a short row names the place, both lengths and the reason") {
  CHECK(message_of([] {
          parse(R"({"X": [[[1,2,3],[1,2,3],[1,2,3]]], "y": [1],
                    "U": [[[1,2,3],[1,2,3],[1,2]]], "W": [[[1,2,3],[1,2,3],[1,2,3]]]})");
        }) ==
        "f.json: U[0][2]: expected 3 numbers (d = 3), found 2; every row of U must have d "
        "entries");
}

TEST_CASE("places inside a spec are named with it") {
  CHECK(message_of([] {
          parse(R"({"format": "mha-fixture-1", "spec": {"X": [[["a"]]], "y": [1]}})");
        }).find("f.json: spec.X[0][0][0]: expected a number") == 0);
  CHECK(message_of([] {
          parse(R"({"format": "mha-fixture-1", "spec": {"X": [[["1"]]], "y": [3]}})");
        }).find("f.json: spec.y[0]: expected +1 or -1, found 3") == 0);
}

TEST_CASE("unknown keys are ignored and noted") {
  const MhaInstance instance =
      parse(R"({"X": [[[1]]], "y": [1], "dps": 30, "comment": {"a": [1]}, "eta\n": 1})");
  CHECK(instance.notes ==
        std::vector<std::string>{"ignored key \"comment\"", "ignored key \"eta\\x0a\""});
}

TEST_CASE("the command line may give the loss but not contradict the file") {
  const std::string silent = R"({"X": [[[1]]], "y": [1]})";
  const std::string logistic = R"({"X": [[[1]]], "y": [1], "loss": "logistic"})";
  ReadOptions options;
  options.loss = Loss::exponential;
  CHECK(parse(silent, options).loss == Loss::exponential);
  CHECK(message_of([&] {
          parse(logistic, options);
        }).find("the file says logistic and the command line says exponential") !=
        std::string::npos);
  options.loss = Loss::logistic;
  CHECK(parse(logistic, options).loss == Loss::logistic);
}

TEST_CASE("the content decides the format, not the name") {
  CHECK(parse_mha_instance(R"({"X": [[[1]]], "y": [1]})", "instance.txt").samples() == 1);
  CHECK(parse_mha_instance(data_test::bytes_of(data_test::folder / "hostile/accepted_fortran.npz"),
                           "x.json")
            .samples() == 2);
}

TEST_CASE("nesting of any depth is refused without harm") {
  const std::string message = message_of([] { parse(R"({"X": )" + std::string(20'000'000, '[')); });
  CHECK(message.find("nested deeper than 64") != std::string::npos);
  CHECK(message.size() < 400);
  CHECK(message_of([] { parse(std::string(1'000'000, '{')); }).size() < 400);
}

TEST_CASE("a file above the limit is refused before it is read") {
  const data_test::TemporaryFolder temporary;
  const std::string path = temporary.write("a.json", std::string(5000, ' '));
  ReadOptions options;
  options.max_bytes = 4999;
  CHECK(message_of([&] {
          read_mha_instance(path, options);
        }).find("larger than the limit of 4999 bytes") != std::string::npos);
}

TEST_CASE("short texts of long numbers count against the limit") {
  std::string row = "\"1e20000\"";
  for (int k = 1; k < 50; ++k) row += ", \"1e-20000\"";
  const std::string text = "{\"X\": [[[" + row + "]]], \"y\": [1]}";
  ReadOptions options;
  options.max_bytes = 100'000;
  CHECK(parse(text).X[0](0, 1) == Rational::parse("1e-20000"));
  CHECK(message_of([&] { parse(text, options); }) ==
        "f.json: the exact numbers need more memory than the limit");
}

TEST_CASE("paths that are not files") {
  const data_test::TemporaryFolder temporary;
  CHECK(message_of([&] {
          read_mha_instance(temporary.file("none.json"));
        }).find("none.json: cannot open: No such file") != std::string::npos);
  CHECK(message_of([&] {
          read_mha_instance(temporary.file("."));
        }).find("expected a file, found a folder") != std::string::npos);
}
