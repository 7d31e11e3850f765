// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/enclosure.hpp"
#include "cli/run.hpp"
#include "heed/data/read.hpp"
#include "heed/data/write.hpp"

using namespace cli_test;

namespace {

void round_to_double(heed::Matrix<Rational>& m) {
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j) m(i, j) = Rational(m(i, j).nearest_double());
}

heed::MhaInstance rounded(heed::MhaInstance instance) {
  for (auto& x : instance.X) round_to_double(x);
  for (auto& u : instance.weights->U) round_to_double(u);
  for (auto& w : instance.weights->W) round_to_double(w);
  return instance;
}

}  // namespace

TEST_CASE("the fast gradient agrees with the exact one at the rounded inputs") {
  const TemporaryFolder folder;
  for (const auto& path : fixture_files()) {
    const std::string name = path.stem().string();
    const std::string file = folder.write(
        name + ".json", heed::to_json(rounded(heed::read_mha_instance(path.string()))));
    const Json fast = heedcert_json({"curvature", "--approx", path.string()})["quantities"];
    const Json exact = heedcert_json({"curvature", "--full", "--digits", "25", file})["quantities"];
    const Json &approx = fast["gradient_approx"], &gradient = exact["gradient"];
    REQUIRE(approx.size() == gradient.size());
    Rational largest;
    for (const Json& g : gradient) largest = std::max(largest, magnitude(enclosure_of(g)));
    const Rational floor = std::max(largest * ten_to_minus(16), ten_to_minus(300));
    Rational worst;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      const Enclosure e = enclosure_of(gradient[k]);
      const Rational value = (e.lo + e.hi) * Rational(1, 2);
      const Rational printed = Rational::parse(approx[k]["approx"].get<std::string>());
      const Rational error = abs(printed - value);
      if (abs(value) > floor) worst = std::max(worst, error / abs(value));
      INFO(name << " entry " << k << ": " << approx[k] << " against " << gradient[k]);
      CHECK(error <= ten_to_minus(12) * std::max(abs(value), floor));
    }
    INFO(name << ": largest relative error " << worst.nearest_double());
    CHECK(worst <= ten_to_minus(12));
  }
}
