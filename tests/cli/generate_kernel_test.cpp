// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

using namespace cli_test;

TEST_CASE("generate kernel --name | curvature: the named saddle") {
  const Outcome made = heedcert({"generate", "kernel", "--name", "J1"});
  REQUIRE(made.exit == 0);
  const Json j = Json::parse(made.out);
  CHECK(j["model"] == "kernel");
  CHECK(j["kernel"] == "softmax");
  CHECK(heedcert({"curvature", "-", "--json"}, made.out).exit == 0);
}

TEST_CASE("generate kernel: every kind of data gives an instance that curvature reads") {
  for (const char* data : {"token-task", "pathfinder", "gaussian"}) {
    INFO(data);
    const Outcome made = heedcert({"generate", "kernel", "--data", data, "--n", "2", "--heads", "1",
                                   "--key-dim", "2", "--value-dim", "1", "--seed", "5"});
    REQUIRE(made.exit == 0);
    const Json j = Json::parse(made.out);
    CHECK(j["X"].size() == 2);
    CHECK(j["W_Q"].size() == 1);
    CHECK(j["readout"] == (std::string(data) == "gaussian" ? "token" : "pooled"));
    CHECK(made.out == heedcert({"generate", "kernel", "--data", data, "--n", "2", "--heads", "1",
                                "--key-dim", "2", "--value-dim", "1", "--seed", "5"})
                          .out);
    CHECK(heedcert({"curvature", "-", "--json", "--digits", "6"}, made.out).exit == 0);
  }
}

TEST_CASE("generate kernel: the data and weights of a reference run") {
  const Outcome made = heedcert({"generate", "kernel", "--data", "token-task", "--n", "32",
                                 "--seed", "5000", "--weight-seed", "7000", "--kernel", "softmax"});
  const Json c = heedcert_json({"curvature", "-", "--digits", "6"}, 0, made.out);
  const Json reference = Json::parse(bytes_of(data_folder / "train" / "kernel_seed0.json"));
  const double loss =
      32 * std::stod(reference["token-task softmax"]["trajectory"]["0"].get<std::string>());
  CHECK(holds(c.dump(), std::to_string(loss).substr(0, 6)));
}

TEST_CASE("generate kernel: wrong use") {
  const Outcome name = heedcert({"generate", "kernel", "--name", "SM2"});
  CHECK(name.exit == 3);
  CHECK(holds(name.err, "SM1, GA1, PAIR"));
  const Outcome data = heedcert({"generate", "kernel", "--data", "unit"});
  CHECK(data.exit == 3);
  CHECK(holds(data.err, "token-task"));
  CHECK(heedcert({"generate", "mha", "--name", "J1"}).exit == 64);
  CHECK(heedcert({"generate", "kernel", "--weights", "zero"}).exit == 64);
  CHECK(heedcert({"generate", "kernel", "--data", "pathfinder", "--dim", "4"}).exit == 3);
  CHECK(heedcert({"generate", "kernel", "--data", "token-task", "--tokens", "2"}).exit == 3);
}
