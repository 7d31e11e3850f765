// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "heed/data/read.hpp"
#include "support.hpp"

using namespace heed;
using data_test::message_of;

namespace {

QueryInstance parse_query(const std::string& text, const ReadOptions& options = {}) {
  return std::get<QueryInstance>(parse_instance(text, "file.json", options));
}

std::string with(const std::string& fields) {
  const std::string inputs =
      R"({"model": "attsvm", "X": [[[1, 0], ["1/3", "0x1p-1"]], [[0, 2]]], "y": [1, "-1"])";
  return inputs + (fields.empty() ? "" : ", ") + fields + "}";
}

const Rational third(1, 3);

}  // namespace

TEST_CASE("attsvm: every reference file is read with its points") {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data_test::folder / "fixtures")) {
    const std::string stem = entry.path().stem().string();
    if (stem.rfind("attsvm_", 0) != 0) continue;
    INFO(stem);
    names.insert(stem);
    const auto instance = std::get<QueryInstance>(read_instance(entry.path().string()));
    CHECK("attsvm_" + instance.name == stem);
    CHECK(instance.selected_given);
    CHECK(instance.selected.size() == instance.inputs());
    CHECK(instance.y.size() == instance.inputs());
    CHECK(instance.v);
    CHECK_FALSE(instance.self);
    for (const QueryPoint& p : instance.points) {
      CHECK(p.weights.W.rows() == instance.dim());
      CHECK(p.direction);
    }
    const bool evaluated = stem.find("traj") == std::string::npos &&
                           stem.find("_08_") == std::string::npos &&
                           stem.find("_15_") == std::string::npos;
    CHECK(instance.points.size() == (evaluated ? 6u : 0u));
  }
  CHECK(names.size() == 17);
}

TEST_CASE("attsvm: heads of the reference files") {
  const auto read = [](const std::string& name) {
    const auto path = data_test::folder / "fixtures" / ("attsvm_" + name + ".json");
    return std::get<QueryInstance>(read_instance(path.string()));
  };
  CHECK(std::get<QuadraticHead>(read("12_equal_scores_lambda_head").points[0].head).lambda ==
        third);
  const auto relu = std::get<ReluHead>(read("13_relu_head").points[0].head);
  CHECK(relu.V.rows() == relu.w.size());
}

TEST_CASE("attsvm: fields, exact numbers, defaults") {
  const QueryInstance a =
      parse_query(with(R"("v": [3, 0], "W": [[1, 2], [3, 4]], "loss": "corr")"));
  CHECK(a.self);
  CHECK(a.Z(0, 0) == Rational(1));
  CHECK(a.Z(1, 1) == Rational(2));
  CHECK(a.X[0](1, 0) == third);
  CHECK(a.selected == std::vector<std::vector<std::size_t>>{{0}, {0}});
  CHECK_FALSE(a.selected_given);
  REQUIRE(a.points.size() == 1);
  CHECK(a.points[0].loss == QueryLoss::correlation);
  CHECK(a.points[0].weights.W(1, 0) == Rational(3));

  const QueryInstance b =
      parse_query(with(R"("Z": [[1, 1], [0, 1]], "selected": [[1, 0], 0], "v": [1, 1],
                          "K": [[1], [2]], "Q": [[3], [5]])"));
  CHECK_FALSE(b.self);
  CHECK(b.selected[0] == std::vector<std::size_t>{1, 0});
  CHECK(b.points[0].weights.W(1, 1) == Rational(10));
  CHECK(b.points[0].weights.K);

  ReadOptions options;
  options.query_loss = QueryLoss::exponential;
  CHECK(parse_query(with(R"("v": [1, 0], "W": [[1, 2], [3, 4]])"), options).points[0].loss ==
        QueryLoss::exponential);
}

TEST_CASE("attsvm: errors say where and what to do") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {with(""), {"selected: missing", "expected a token for each input, or v"}},
      {with(R"("v": [0, 0])"), {"X[0]: tokens 0 and 1 tie", "`selected`", "input 0"}},
      {with(R"("v": [1])"), {"v: expected 2 numbers (d = 2), found 1"}},
      {with(R"("selected": [2, 0])"),
       {"selected[0]: expected a zero-based token, 0 to 1, found 2"}},
      {with(R"("selected": [0.0, 0])"), {"selected[0]: expected a zero-based token"}},
      {with(R"("selected": [[0, 0], 0])"), {"selected[0][1]: token 0 appears twice"}},
      {with(R"("selected": [[], 0])"), {"selected[0]: expected at least one token"}},
      {with(R"("selected": [0])"), {"selected: expected 2 tokens (n = 2), found 1"}},
      {with(R"("selected": [0, 0], "Z": [[1, 2]])"), {"Z: expected 2 rows (n = 2), found 1"}},
      {with(R"("selected": [0, 0], "W": [[1, 2]], "v": [1, 1])"), {"W: expected 2 rows (d = 2)"}},
      {with(R"("selected": [0, 0], "W": [[1, 2], [1, 2]])"), {"v: missing", "linear"}},
      {with(R"("v": [1, 0], "K": [[1], [2]])"), {"W: expected either W", "both K and Q"}},
      {with(R"("v": [1, 0], "K": [[1], [2]], "Q": [[1, 2], [1, 2]])"), {"Q: expected 1 columns"}},
      {with(R"("v": [1, 0], "W": [[1, 2], [3, 4]], "loss": "hinge")"),
       {"loss: expected logistic, exponential or correlation, found \"hinge\""}},
      {with(R"("v": [1, 0], "W": [[1, 2], [3, 4]], "head": {"type": "relu"})"),
       {"head.V: missing for a head of type relu"}},
      {with(R"("v": [1, 0], "W": [[1, 2], [3, 4]], "head": {"type": "deep"})"),
       {"head: expected type linear, relu or lambda, found \"deep\""}},
      {with(R"("v": [1, 0], "W": [[1, 2], [3, 4]], "head": {"type": "lambda"})"),
       {"head.lambda: missing"}},
      {with(R"("v": [1, 0], "loss_evals": [{"loss": "exp"}])"),
       {"loss_evals[0].W: expected either W"}},
      {R"({"model": "attsvm", "X": [[[1]]], "v": [1]})", {"y: missing"}},
      {R"({"model": "rows"})", {"F: missing; expected the m x P rows"}},
      {R"({"F": [[1, 2], [3]]})", {"F[1]: expected 2 numbers"}},
      {R"({"F": []})", {"F: expected at least one row"}},
      {R"({"F": [[1], [2]], "y": [1]})", {"y: expected 2 labels, found 1"}},
      {R"({"model": "kernel"})", {"X: missing; expected the N x n x D tokens"}},
  };
  for (const auto& [text, words] : cases) {
    INFO(text);
    const std::string message = message_of([&text = text] { parse_instance(text, "file.json"); });
    CHECK(message.rfind("file.json: ", 0) == 0);
    for (const std::string& word : words) CHECK_THAT(message, Catch::Contains(word));
  }
}

TEST_CASE("rows: labels multiply the rows") {
  const auto rows = std::get<RowsInstance>(
      parse_instance(R"({"F": [[1, "1/3"], [2, 0]], "y": [1, -1], "extra": 1})", "file.json"));
  CHECK(rows.F(0, 1) == third);
  CHECK(rows.F(1, 0) == Rational(-2));
  CHECK(rows.notes == std::vector<std::string>{"ignored key \"extra\""});
}
