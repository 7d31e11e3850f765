// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "heed/data/read.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;

namespace {

struct Shape {
  std::size_t samples, tokens, dim, heads;
};

const std::map<std::string, Shape> shapes = {
    {"mha_base", {3, 3, 2, 2}},
    {"mha_d1", {3, 3, 1, 2}},
    {"mha_dm1_onestep", {6, 4, 4, 2}},
    {"mha_duplicate_tokens", {2, 4, 2, 1}},
    {"mha_false_violation_hess", {2, 2, 2, 1}},
    {"mha_false_violation_wc", {1, 2, 1, 2}},
    {"mha_h1", {2, 2, 3, 1}},
    {"mha_mixed_margin", {4, 2, 2, 3}},
    {"mha_n1", {1, 2, 2, 2}},
    {"mha_near_tie", {2, 2, 2, 1}},
    {"mha_nonseparable", {3, 2, 2, 1}},
    {"mha_saturated", {2, 3, 2, 1}},
    {"mha_t1", {3, 1, 2, 2}},
    {"mha_theta0", {3, 3, 2, 1}},
    {"mha_tight_cross", {1, 2, 1, 1}},
    {"mha_tight_third", {1, 2, 1, 1}},
};

}  // namespace

TEST_CASE("every reference file is read with its shapes") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_test::folder / "fixtures")) {
    const std::string stem = entry.path().stem().string();
    if (stem.rfind("mha_", 0) != 0) continue;
    ++files;
    INFO(stem);
    REQUIRE(shapes.count(stem) == 1);
    const Shape& shape = shapes.at(stem);
    const MhaInstance instance = read_mha_instance(entry.path().string());
    CHECK("mha_" + instance.name == stem);
    CHECK(instance.samples() == shape.samples);
    CHECK(instance.max_tokens() == shape.tokens);
    CHECK(instance.dim() == shape.dim);
    CHECK(instance.heads() == shape.heads);
    CHECK(instance.loss == Loss::logistic);
    CHECK(instance.y.size() == shape.samples);
    REQUIRE(instance.weights);
    CHECK(instance.weights->U[0].rows() == shape.tokens);
    CHECK(instance.weights->W[0].rows() == shape.dim);
    CHECK(instance.notes.empty());
  }
  CHECK(files == shapes.size());
}

TEST_CASE("numbers of the base reference file are the written fractions") {
  const MhaInstance base =
      read_mha_instance((data_test::folder / "fixtures/mha_base.json").string());
  CHECK(base.X[2] == matrix({{"7/8", "-4/8"}, {"1/8", "12/8"}, {"-4/8", "2/8"}}));
  CHECK(base.y == std::vector<int>{1, -1, 1});
  CHECK(base.weights->U[1] == matrix({{"11/8", "6/8"}, {"3/8", "11/8"}, {"0", "-6/8"}}));
  CHECK(base.weights->W[0] == matrix({{"2/8", "6/8"}, {"6/8", "5/8"}}));
}

TEST_CASE("decimals with many digits stay exact") {
  const MhaInstance tie =
      read_mha_instance((data_test::folder / "fixtures/mha_near_tie.json").string());
  CHECK(tie.weights->W[0] == matrix({{"1e-30", "-3e-31"}, {"2e-30", "0"}}));
}
