// SPDX-License-Identifier: Apache-2.0
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

const std::string fixture = (data_folder / "fixtures" / "mha_mixed_margin.json").string();

Json without_threads(Json j) {
  j["settings"].erase("threads");
  return j;
}

}  // namespace

TEST_CASE("the same command prints the same bytes") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"verify", "--full", "--json", fixture},
                                             {"curvature", "--full", "--approx", "--json", fixture},
                                             {"verify", fixture},
                                             {"claims", "--json"},
                                             {"generate", "mha", "--weights", "gaussian:1"}}) {
    INFO(arguments.front());
    const Outcome a = heedcert(arguments), b = heedcert(arguments);
    CHECK(a.exit == 0);
    CHECK(a.out == b.out);
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const TemporaryFolder folder;
  const std::string large = folder.path("large.json");
  REQUIRE(heedcert({"generate", "mha", "--n", "12", "--weights", "gaussian:1", "-o", large}).exit ==
          0);
  for (const std::string& file : {fixture, large})
    for (const std::string command : {"verify", "curvature"}) {
      INFO(command << " " << file);
      const Json one = heedcert_json({command, "--full", "--threads", "1", file});
      const Json two = heedcert_json({command, "--full", "--threads", "2", file});
      CHECK(one["settings"]["threads"] == 1);
      CHECK(two["settings"]["threads"] == 2);
      CHECK(without_threads(one) == without_threads(two));
    }
}

TEST_CASE("the seed alone decides what generate makes") {
  const auto make = [](const std::string& seed) {
    return heedcert({"generate", "mha", "--weights", "gaussian:1", "--seed", seed}).out;
  };
  CHECK(make("3") == make("3"));
  CHECK(make("3") != make("4"));
}

TEST_CASE("standard input and a file give the same answers") {
  for (const std::string command : {"verify", "curvature"}) {
    const Json file = heedcert_json({command, "--full", fixture});
    const Json piped = heedcert_json({command, "--full", "-"}, 0, bytes_of(fixture));
    CHECK(file["quantities"] == piped["quantities"]);
    CHECK(file["claims"] == piped["claims"]);
  }
}
