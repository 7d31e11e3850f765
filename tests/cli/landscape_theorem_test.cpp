// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

using namespace cli_test;

namespace {

struct Written {
  Outcome outcome;
  std::string file;
};

class Certifier {
 public:
  Written operator()(const std::string& instance, std::vector<std::string> options) const {
    const std::string file = folder_.path("c.json");
    std::vector<std::string> all{"certify", "landscape", instance, "-o", file, "--force"};
    all.insert(all.end(), options.begin(), options.end());
    return {heedcert(all), file};
  }
  std::string named(const std::string& name) const {
    const std::string path = folder_.path(name + ".json");
    CHECK(heedcert({"generate", "kernel", "--name", name, "-o", path, "--force"}).exit == 0);
    return path;
  }
  // PAIR with queries and keys of dimension 2 and targets that are exceeded.
  std::string plane() const {
    Json j = Json::parse(bytes_of(named("PAIR")));
    j["W_Q"] = Json::parse(R"([[["0", "0.5"], ["1", "0.75"]]])");
    j["W_K"] = Json::parse(R"([[["0", "0"], ["1", "0"]]])");
    j["Y"] = Json::parse(R"([[["1"], ["0.5"]]])");
    return folder_.write("plane.json", j.dump());
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

// What heedcheck prints of a certificate that must be valid.
std::string checked(const Written& w) {
  INFO(w.outcome.out << w.outcome.err);
  CHECK(w.outcome.exit == 0);
  const std::size_t at = w.outcome.out.find("--sha256 ");
  REQUIRE(at != std::string::npos);
  const Outcome answer = heedcheck({"--sha256", w.outcome.out.substr(at + 9, 64), w.file});
  INFO(answer.out);
  CHECK(answer.exit == 0);
  return answer.out;
}

Json claim_of(const Json& result, const std::string& id) {
  for (const Json& claim : result.at("claims"))
    if (claim.at("id") == id) return claim;
  FAIL("no claim " << id);
  return {};
}

}  // namespace

TEST_CASE("certify landscape --claim: every theorem, re-checked") {
  const Certifier certify;
  const std::string sm1 =
      checked(certify(certify.named("SM1"), {"--kernel", "softmax", "--claim", "complete_1d"}));
  CHECK(holds(sm1, "\nclaim: complete_1d, bad_minimum\n"));
  CHECK(holds(sm1, "local minima, counted in queries: 243, global ones: 32\n"));
  CHECK(holds(sm1, "\ninfimum: 0\n"));
  CHECK(holds(
      checked(certify(certify.named("GA1"), {"--kernel", "softmax", "--claim", "complete_1d"})),
      "\nclaim: complete_1d, benign\n"));
  CHECK(holds(
      checked(certify(certify.named("PAIR"), {"--kernel", "softmax", "--claim", "lojasiewicz"})),
      "every stationary point of f as a function of W_Q is a global minimum\n"));
  const std::string overshoot =
      checked(certify(certify.plane(), {"--kernel", "gaussian", "--claim", "overshoot"}));
  CHECK(holds(overshoot, "\nclaim: overshoot\n"));
  CHECK(holds(overshoot, "\nrate: at least 1.40625e-1\n"));  // (3/4)^2 / 4 < (1/2)^2
  const std::string fixture = (data_folder / "fixtures/kernel_01_generic.json").string();
  for (const char* kernel : {"softmax", "gaussian", "gaussian/n", "gaussian-normalised"}) {
    const std::string pl =
        checked(certify(fixture, {"--kernel", kernel, "--claim", "pl", "--blocks", "W_V"}));
    CHECK(holds(pl, std::string("\nproblem: ") + kernel + ":W_V\n"));
    CHECK(holds(pl, "\nclaim: pl\n"));
  }
}

TEST_CASE("certify landscape --claim: what does not apply is not written") {
  const Certifier certify;
  const auto undecided = [&](const std::string& instance, std::vector<std::string> options,
                             const char* reason) {
    const Written w = certify(instance, std::move(options));
    INFO(w.outcome.out << w.outcome.err);
    CHECK(w.outcome.exit == 2);
    CHECK(holds(w.outcome.out + w.outcome.err, reason));
    CHECK(holds(w.outcome.out + w.outcome.err, "no certificate was written"));
  };
  const std::string pair = certify.named("PAIR"), plane = certify.plane();
  undecided(pair, {"--kernel", "softmax", "--claim", "pl", "--blocks", "W_Q"},
            "it does not apply to training of W_Q");
  undecided(pair, {"--kernel", "softmax", "--claim", "pl"}, "it does not apply");
  undecided(pair, {"--kernel", "softmax", "--claim", "pl", "--blocks", "W_V,W_O"},
            "neither W_V alone nor W_O alone is trained");
  undecided(pair, {"--kernel", "softmax", "--claim", "pl", "--blocks", "W_O"}, "rank");
  undecided(plane, {"--kernel", "gaussian", "--claim", "complete_1d"}, "d > 1");
  undecided(pair, {"--kernel", "softmax", "--claim", "complete_1d", "--blocks", "W_K"},
            "W_Q alone must be trained");
  undecided(pair, {"--kernel", "softmax", "--claim", "overshoot"}, "the kernel is normalised");
  undecided(pair, {"--kernel", "gaussian", "--claim", "lojasiewicz"}, "");
  undecided(certify.named("SM1"), {"--kernel", "softmax", "--claim", "lojasiewicz"}, "");
  undecided(pair, {"--kernel", "softmax", "--claim", "lojasiewicz", "--blocks", "all"},
            "it does not apply to training of");
}

TEST_CASE("certify landscape --claim: zero_loss and init about a centre") {
  const Certifier certify;
  const std::string pair = certify.named("PAIR");
  // W_V = 3/2 for both tokens: f = 0, whatever the attention.
  const std::string centre = certify.folder().write("values.json", R"(["3/2", "3/2"])");
  const auto with = [&](const char* claim) {
    return certify(
        pair, {"--kernel", "softmax", "--blocks", "W_V", "--claim", claim, "--centre", centre});
  };
  CHECK(with("zero_loss").outcome.exit == 2);  // W_Q = 0: both rows of S agree
  CHECK(holds(with("init").outcome.out, "undecided"));
}

TEST_CASE("traps: options that belong together") {
  const Certifier certify;
  const std::string sm1 = certify.named("SM1");
  const auto landscape = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"landscape", sm1, "--kernel", "softmax", "--starts", "1"});
    return heedcert(options);
  };
  CHECK(landscape({"--eta", "1"}).exit == 64);
  CHECK(landscape({"--start", "0"}).exit == 64);
  const Outcome outcome = landscape({"--trap", "auto", "--start", "0"});
  CHECK(outcome.exit == 3);
  CHECK(holds(outcome.err, "every start near the point"));
}

TEST_CASE("certify landscape --claim: wrong use") {
  const Certifier certify;
  const std::string pair = certify.named("PAIR");
  CHECK(certify(pair, {"--kernel", "softmax", "--claim", "global"}).outcome.exit == 64);
  CHECK(certify(pair, {"--kernel", "softmax", "--claim", ""}).outcome.exit == 64);
  CHECK(certify(pair, {"--kernel", "relu", "--claim", "pl"}).outcome.exit != 0);
  // Options that it would not heed.
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--trap", "1"}, {"--radius", "1"}, {"--point"}}) {
    std::vector<std::string> all{"--kernel", "softmax", "--claim", "complete_1d"};
    all.insert(all.end(), other.begin(), other.end());
    CHECK(certify(pair, all).outcome.exit == 64);
  }
  const std::string centre = certify.folder().write("centre.json", "[0, 0]");
  for (const char* claim : {"complete_1d", "lojasiewicz", "pl"}) {
    const Outcome outcome =
        certify(pair, {"--kernel", "softmax", "--claim", claim, "--centre", centre}).outcome;
    CHECK(outcome.exit == 3);
    CHECK(holds(outcome.err, "is about all points"));
  }
  const std::string unnamed = (data_folder / "fixtures/kernel_06_softmax_bad_min.json").string();
  const Outcome outcome = certify(unnamed, {"--claim", "complete_1d"}).outcome;
  CHECK(outcome.exit == 3);
  CHECK(holds(outcome.err, "name it with --kernel"));
}

TEST_CASE("landscape: theorems among the claims") {
  const Certifier certify;
  const auto verdict = [](const Json& result, const std::string& id, const std::string& theorem,
                          const std::string& expected) {
    const Json claim = claim_of(result, id);
    CHECK(claim.at("theorem") == theorem);
    CHECK(claim.at("verdict") == expected);
    CHECK((claim.at("reason") == "") == (expected == "proved"));
  };
  const auto landscape = [](const std::string& file, const char* kernel, const char* blocks) {
    const Outcome outcome =
        heedcert({"landscape", file, "--kernel", kernel, "--blocks", blocks, "--json"});
    CHECK(outcome.exit <= 2);
    return parse_object(outcome);
  };
  const Json pair = landscape(certify.named("PAIR"), "softmax", "W_Q");
  verdict(pair, "landscape.lojasiewicz", "kernel.softmax_q_only.lojasiewicz", "proved");
  verdict(pair, "landscape.overshoot", "kernel.gauss_q_only.overshoot", "not_applicable");
  const Json plane = landscape(certify.plane(), "gaussian", "W_Q");
  verdict(plane, "landscape.lojasiewicz", "kernel.softmax_q_only.lojasiewicz", "not_applicable");
  verdict(plane, "landscape.overshoot", "kernel.gauss_q_only.overshoot", "proved");
  const std::string fixture = (data_folder / "fixtures/kernel_01_generic.json").string();
  verdict(landscape(fixture, "softmax", "W_V"), "landscape.pl", "kernel.pl_value_only", "proved");
  verdict(landscape(certify.named("PAIR"), "softmax", "W_O"), "landscape.pl", "kernel.pl_block",
          "not_applicable");
}
