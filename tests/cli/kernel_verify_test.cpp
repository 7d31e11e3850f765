// SPDX-License-Identifier: Apache-2.0
#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

std::string fixture(const std::string& name) {
  for (const auto& path : fixture_files("kernel"))
    if (path.filename().string() == name) return path.string();
  return name;
}

}  // namespace

TEST_CASE("verify on model kernel: claims, identities and quantities name their kernel") {
  const std::string file = fixture("kernel_05_underflow.json");
  const Json j = heedcert_json({"verify", file});
  CHECK(j.at("status") == "proved");
  for (const char* kernel : {"softmax", "gaussian"}) {
    const Json& q = j.at("quantities").at(kernel);
    CHECK(q.at("not_stationary") == "proved");
    CHECK(q.at("underflow_in_double") == true);
    std::size_t claims = 0, identities = 0;
    for (const Json& c : j.at("claims")) {
      CHECK(c.at("verdict") != "refuted");
      claims += c.at("kernel") == kernel ? 1 : 0;
    }
    for (const Json& i : j.at("identities")) identities += i.at("kernel") == kernel ? 1 : 0;
    CHECK(claims == 42);
    CHECK(identities == 7);
    for (const char* block : {"W_Q", "W_K", "W_V", "W_O", "all"}) {
      CHECK(q.at("pl").at(block).contains("mu"));
      CHECK(q.at("pl").at(block).contains("L"));
    }
  }
  const std::string lo =
      j.at("quantities").at("gaussian").at("block_gradient_norm_squared").at("W_Q").at("lo");
  CHECK(lo.substr(0, 12) == "2.1610619772");
  CHECK(lo.substr(lo.find('e')) == "e-17367");
}

TEST_CASE("verify --kernel: one kernel, and a heading that names it") {
  const std::string file = fixture("kernel_01_generic.json");
  const Json one = heedcert_json({"verify", "--kernel", "gaussian/n", file});
  CHECK(one.at("quantities").size() == 1);
  CHECK(one.at("quantities").contains("gaussian/n"));
  for (const Json& c : one.at("claims")) CHECK(c.at("kernel") == "gaussian/n");
  const auto text = heedcert({"verify", file});
  CHECK(text.exit == 0);
  CHECK(text.out.find(file + ", softmax: ") != std::string::npos);
  CHECK(text.out.find(file + ", gaussian: ") != std::string::npos);
  CHECK(text.out.find("kernel.pl_block") != std::string::npos);
  CHECK(heedcert({"explain", "kernel.pl_query_only"}).exit == 0);
}
