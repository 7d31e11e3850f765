// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "heed/data/read.hpp"

using namespace heed;

namespace {

struct Reference {
  std::string name, file;
  Rational gamma;
  bool separable = false;
};

std::vector<Reference> references() {
  std::vector<Reference> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEED_TEST_DATA) + "/fixtures")) {
    const std::string stem = entry.path().stem().string();
    if (stem.rfind("mha_", 0) != 0) continue;
    std::ifstream in(entry.path());
    const nlohmann::json file = nlohmann::json::parse(in);
    if (!file.contains("results") || !file["results"].contains("ntk")) continue;
    const nlohmann::json& ntk = file["results"]["ntk"];
    all.push_back({stem, entry.path().string(),
                   Rational::parse(ntk["gamma_upper"].get<std::string>()),
                   ntk["separable"].get<bool>()});
  }
  return all;
}

Rational sum_of(const std::vector<Rational>& alpha) {
  Rational sum;
  for (const Rational& x : alpha) sum += x;
  return sum;
}

/// Stored values are rounded to 50 digits: the enclosure must meet gamma (1 +- 1e-48).
bool meets(const KernelMargin& m, const Rational& gamma) {
  const Ball stored = Ball(gamma) + Ball::symmetric(Ball(gamma * Rational::parse("1e-48")));
  return m.gamma().overlaps(stored);
}

}  // namespace

TEST_CASE("the NTK margin of every reference file is enclosed to 12 and to 40 digits") {
  const std::vector<Reference> all = references();
  REQUIRE(all.size() == 16);
  for (const Reference& r : all) {
    INFO(r.name);
    const MhaInstance instance = read_mha_instance(r.file);
    for (const int digits : {12, 40}) {
      Budget budget;
      budget.digits = digits;
      const NtkEnclosure found = enclose_ntk_margin(instance, budget);
      const PrecisionScope scope(512);
      const KernelMargin& m = found.margin.bounds;
      CHECK(!found.budget_ended);
      CHECK(meets(m, r.gamma));
      CHECK(m.separable() == r.separable);
      CHECK(m.not_separable() == !r.separable);
      CHECK(sum_of(m.alpha) == Rational(1));
      CHECK((r.gamma.sign() == 0 || m.gamma().has_relative_digits(digits)));
    }
  }
}
