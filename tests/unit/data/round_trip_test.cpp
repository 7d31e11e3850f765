// SPDX-License-Identifier: Apache-2.0
#include "heed/data/generate.hpp"
#include "heed/data/read.hpp"
#include "heed/data/write.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;
using data_test::message_of;

namespace {

MhaInstance through_json(const MhaInstance& instance) {
  return parse_mha_instance(to_json(instance), "f.json");
}

MhaInstance through_npz(const MhaInstance& instance) {
  return parse_mha_instance(to_npz(instance, "f.npz"), "f.npz");
}

void check_same(const MhaInstance& a, const MhaInstance& b) {
  CHECK(same_numbers(a, b));
  CHECK(a.name == b.name);
  CHECK(a.origin == b.origin);
}

MhaInstance ragged() {
  MhaInstance instance;
  instance.name = "\"ragged\" \xc3\xbc\n";
  instance.loss = Loss::exponential;
  instance.X = {matrix({{"0.5", "-2"}}), matrix({{"0x1.921fb54442d18p+1", "0"}, {"3", "1e22"}})};
  instance.y = {-1, 1};
  instance.weights =
      MhaWeights{{matrix({{"1", "2"}, {"3", "4"}})}, {matrix({{"5", "6"}, {"7", "8"}})}};
  return instance;
}

}  // namespace

TEST_CASE("reference files survive json and npz, except where a double is too short") {
  std::size_t in_npz = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_test::folder / "fixtures")) {
    if (entry.path().stem().string().rfind("mha_", 0) != 0) continue;
    INFO(entry.path().string());
    const MhaInstance instance = read_mha_instance(entry.path().string());
    check_same(instance, through_json(instance));
    try {
      check_same(instance, through_json(through_npz(through_json(instance))));
      ++in_npz;
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK(message.find("is not exactly a double") != std::string::npos);
    }
  }
  CHECK(in_npz >= 5);
}

TEST_CASE("ragged instances survive both formats") {
  check_same(ragged(), through_json(ragged()));
  check_same(ragged(), through_npz(ragged()));
}

TEST_CASE("generated instances survive both formats") {
  TokenSpec spec;
  spec.samples = 5;
  MhaInstance instance = generate_gaussian_tokens(spec);
  check_same(instance, through_npz(through_json(instance)));
  set_weights(instance, parse_weight_spec("gaussian:0.3"), 3, 7);
  check_same(instance, through_json(through_npz(instance)));
}

TEST_CASE("doubles at the ends of the range survive npz") {
  MhaInstance instance = ragged();
  instance.X[0](0, 0) = Rational::power_of_two(-1074);
  instance.X[0](0, 1) = Rational(1.7976931348623157e308);
  check_same(instance, through_npz(instance));
  check_same(instance, through_json(instance));
}

TEST_CASE("npz refuses the first number that is not a double, by name") {
  MhaInstance instance = ragged();
  instance.weights->W[0](1, 0) = Rational(1L, 3);
  CHECK(message_of([&] { to_npz(instance, "out.npz"); }) ==
        "out.npz: W[0][1][0]: 1/3 is not exactly a double, which is what npz holds; write .json "
        "instead, which keeps every number exact");
  instance.X[1](1, 0) = Rational::parse("0.1");
  CHECK(message_of([&] { to_npz(instance, "out.npz"); }).find("out.npz: X_1[1][0]: 0.1 is not") ==
        0);
  instance.X[1](1, 0) = Rational::power_of_two(1024);
  CHECK(message_of([&] { to_npz(instance, "out.npz"); }).find("X_1[1][0]") != std::string::npos);
  instance.X[1](1, 0) = Rational::power_of_two(-1075);
  CHECK(message_of([&] { to_npz(instance, "out.npz"); }).find("X_1[1][0]") != std::string::npos);
}

TEST_CASE("equal instances give equal bytes, with a fixed date") {
  const std::string bytes = to_npz(ragged(), "a");
  CHECK(bytes == to_npz(ragged(), "b"));
  // Time and date of the first record: midnight, 1980-01-01.
  CHECK(bytes.substr(10, 4) == std::string("\x00\x00\x21\x00", 4));
}

TEST_CASE("json has one token in a line") {
  MhaInstance instance = ragged();
  instance.name = "r";
  instance.weights.reset();
  CHECK(to_json(instance) == R"({
  "format": "heed-instance-1",
  "model": "mha",
  "name": "r",
  "loss": "exponential",
  "y": [-1, 1],
  "X": [
    [
      ["0.5", "-2"]
    ],
    [
      ["0x3243f6a8885a3p-48", "0"],
      ["3", "10000000000000000000000"]
    ]
  ]
}
)");
}

TEST_CASE("the text of a number is exact and short") {
  CHECK(exact_text(Rational(1L, 3)) == "1/3");
  CHECK(exact_text(Rational(-5L, 8)) == "-0.625");
  CHECK(exact_text(Rational(0)) == "0");
  CHECK(exact_text(Rational::power_of_two(-200)) == "0x1p-200");
  CHECK(exact_text(-Rational::power_of_two(300)) == "-0x1p300");
  for (const char* text : {"0x1.fffffffffffffp1023", "-0x1p-1074", "0x123456789abcdefp-70", "1e30",
                           "-1e-300", "0x7p5000", "355/113", "0x1p-80000", "0x3p79000"}) {
    const Rational value = Rational::parse(text);
    INFO(text);
    CHECK(exact_text(value).size() < 700);
    CHECK(Rational::parse(exact_text(value)) == value);
  }
}

TEST_CASE("numbers that could not be read back are refused") {
  MhaInstance instance = ragged();
  instance.X[1](0, 1) = Rational::parse("1e-19999") / Rational(7);
  CHECK(message_of([&] { to_json(instance); }).find("X[1][0][1]: needs more than 20000") == 0);
}

TEST_CASE("the ending of the name chooses the format") {
  const data_test::TemporaryFolder temporary;
  for (const char* name : {"a.json", "a.npz"}) {
    const std::string path = temporary.file(name);
    write_instance(ragged(), path);
    check_same(ragged(), read_mha_instance(path));
    CHECK(message_of([&] { write_instance(ragged(), path); }).find("--force") != std::string::npos);
    write_instance(ragged(), path, Overwrite::allow);
  }
  CHECK(message_of([&] {
          write_instance(ragged(), temporary.file("a.csv"));
        }).find(".json or .npz") != std::string::npos);
  CHECK(temporary.files() == 2);
}

TEST_CASE("query instances and rows survive json and npz") {
  const auto check_query = [](const QueryInstance& instance) {
    const auto back = std::get<QueryInstance>(parse_instance(to_json(instance), "f.json"));
    CHECK(same_numbers(instance, back));
    CHECK(instance.origin == back.origin);
    CHECK(same_numbers(instance,
                       std::get<QueryInstance>(parse_instance(to_npz(instance, "f"), "f.npz"))));
  };
  QueryInstance query;
  query.origin = "ragged, a tie, factors";
  query.X = {matrix({{"1", "0.5"}, {"0", "3"}, {"2", "2"}}), matrix({{"4", "4"}})};
  query.Z = matrix({{"1", "0"}, {"0x1.8p-3", "1"}});
  query.y = {1, -1};
  query.v = std::vector<Rational>{Rational(1), Rational(-2)};
  query.selected = {{2, 0}, {0}};
  query.selected_given = true;
  check_query(query);
  QueryPoint point;
  point.loss = QueryLoss::correlation;
  point.weights.K = matrix({{"1"}, {"2"}});
  point.weights.Q = matrix({{"3"}, {"-1"}});
  point.weights.W = matrix({{"3", "-1"}, {"6", "-2"}});
  query.points = {point};
  check_query(query);
  query.points[0].weights = {matrix({{"3", "-1"}, {"6", "7"}}), {}, {}};
  query.points[0].direction = matrix({{"1", "1"}, {"0", "0.25"}});
  query.points[0].head = ReluHead{matrix({{"1", "0"}, {"2", "2"}, {"0", "1"}}),
                                  {Rational(1), Rational(2), Rational(3)}};
  check_query(query);
  query.points[0].head = QuadraticHead{Rational(1, 4)};
  check_query(query);

  query.points.push_back(point);
  CHECK_THAT(message_of([&] { to_json(query); }), Catch::Contains("at most one"));

  RowsInstance rows;
  rows.F = matrix({{"1", "2", "-0.5"}, {"0", "0", "7"}});
  CHECK(same_numbers(rows, std::get<RowsInstance>(parse_instance(to_json(rows), "f.json"))));
  CHECK(same_numbers(rows, std::get<RowsInstance>(parse_instance(to_npz(rows, "f"), "f.npz"))));
}
