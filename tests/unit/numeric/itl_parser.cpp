// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "unit/numeric/itl.hpp"

using heed::test::ItlCase;
using heed::test::parse_itl;
using Kind = heed::test::ItlValue::Kind;

TEST_CASE("Cases of the interval test language are read") {
  const std::vector<ItlCase> cases = parse_itl(
      "/* a comment\n over lines */\n"
      "testcase one {\n"
      "  add [1.0,2.0]_com [-infinity, -0X1.8P+1]_dac = [entire]; // the end\n"
      "  b-textToInterval \"[ 1; = ]\" = [empty] signal UndefinedOperation;\n"
      "}\n"
      "testcase two {\n"
      "  dot_nearest {1.0, NaN} {0x1p104, -1.0} = NaN;\n"
      "  subset [nai] [0.1,0.1] = false;\n"
      "}\n");
  REQUIRE(cases.size() == 4);
  CHECK(cases[0].operation == "add");
  CHECK(cases[0].line == 4);
  REQUIRE(cases[0].in.size() == 2);
  CHECK(cases[0].in[0].bounded());
  CHECK(cases[0].in[0].hi == 2.0);
  CHECK_FALSE(cases[0].in[1].bounded());
  CHECK(cases[0].in[1].lo == -HUGE_VAL);
  CHECK(cases[0].in[1].hi == -3.0);
  CHECK(cases[0].out.at(0).hi == HUGE_VAL);
  CHECK(cases[1].in.at(0).text == "[ 1; = ]");
  REQUIRE(cases[1].out.size() == 1);
  CHECK(cases[1].out[0].kind == Kind::empty);
  CHECK(cases[2].in.at(1).numbers == std::vector<double>{0x1p104, -1.0});
  CHECK(std::isnan(cases[2].in[0].numbers.at(1)));
  CHECK(cases[2].out.at(0).kind == Kind::number);
  CHECK(cases[3].in.at(0).kind == Kind::nai);
  CHECK(cases[3].in.at(1).singleton());
  CHECK(cases[3].in[1].lo == 0.1);
  CHECK(cases[3].out.at(0).text == "false");
}

TEST_CASE("What is not the interval test language is refused with its line") {
  for (const char* text :
       {"testcase a {\n add [1.0,2.0] = [1.0;\n}\n", "testcase a {\n add [1.0,2.x] = [empty];\n}\n",
        "testcase a {\n add [1.0,2.0] = [empty]", "\nfile a {}\n", "\n/* open",
        "testcase a {\n add {1.0 2.0} = 3.0;\n}\n"}) {
    INFO(text);
    try {
      parse_itl(text);
      FAIL_CHECK("accepted");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).substr(0, 7) == "line 2:");
    }
  }
}
