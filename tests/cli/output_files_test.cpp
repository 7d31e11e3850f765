// SPDX-License-Identifier: Apache-2.0
#include "cli/instances.hpp"
#include "cli/run.hpp"
#include "heed/data/read.hpp"

using namespace cli_test;

namespace {

void check_refused(const Outcome& o, const std::string& name) {
  INFO("exit " << o.exit << ", stderr: " << o.err);
  CHECK(o.exit == 3);
  CHECK(o.out.empty());
  CHECK(holds(o.err, name));
}

}  // namespace

TEST_CASE("an existing file is replaced only with --force, and no partial file is left") {
  const TemporaryFolder folder;
  const std::string source = folder.write("source.json", small_instance().text());
  const std::string out = folder.write("out.json", "precious");
  const std::vector<std::vector<std::string>> writers = {{"generate", "mha", "--n", "2", "-o", out},
                                                         {"convert", source, "-o", out}};
  for (std::vector<std::string> arguments : writers) {
    check_refused(heedcert(arguments), out);
    CHECK(bytes_of(out) == "precious");
    arguments.push_back("--force");
    const Outcome forced = heedcert(arguments);
    CHECK(forced.exit == 0);
    CHECK(holds(forced.out, out));
    CHECK(bytes_of(out) != "precious");
    folder.write("out.json", "precious");
  }
  CHECK(folder.names() == std::vector<std::string>{"out.json", "source.json"});
}

TEST_CASE("a file that cannot be written leaves nothing behind") {
  const TemporaryFolder folder;
  const std::string source = folder.write("source.json", small_instance().text());
  check_refused(heedcert({"convert", source, "-o", folder.path("no/such/x.json")}),
                "no/such/x.json");
  check_refused(heedcert({"convert", source, "-o", folder.path("x.txt")}), "x.txt");
  check_refused(heedcert({"generate", "mha", "-o", folder.path("x")}), folder.path("x"));
  // 1/3 is not a double: npz cannot hold it.
  const Outcome o = heedcert({"convert", source, "-o", folder.path("x.npz")});
  check_refused(o, "x.npz");
  CHECK(holds(o.err, "U"));
  CHECK(folder.names() == std::vector<std::string>{"source.json"});
}

TEST_CASE("a file can be converted onto itself with --force") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", small_instance().text());
  CHECK(heedcert({"convert", file, "-o", file, "--force"}).exit == 0);
  const heed::MhaInstance a = heed::parse_mha_instance(small_instance().text(), "text");
  CHECK(same_numbers(a, heed::read_mha_instance(file)));
}

TEST_CASE("convert keeps every number on the way json -> npz -> json") {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> instances = {
      {"--weights", "gaussian:0.5", "--heads", "3"},
      {"--data", "unit", "--weights", "zero"},
      {"--data", "mixture", "--noise", "0.1", "--weights", "none"},
      {"--tokens", "1", "--dim", "1", "--n", "1", "--weights", "gaussian:1", "--heads", "1"}};
  for (const std::vector<std::string>& options : instances) {
    std::vector<std::string> arguments{"generate", "mha", "-o", folder.path("a.json"), "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    REQUIRE(heedcert(arguments).exit == 0);
    const auto convert = [&](const std::string& from, const std::string& to) {
      const Outcome o = heedcert({"convert", folder.path(from), "-o", folder.path(to), "--force"});
      INFO(o.err);
      REQUIRE(o.exit == 0);
    };
    convert("a.json", "b.npz");
    convert("b.npz", "c.json");
    convert("c.json", "d.npz");
    const heed::MhaInstance a = heed::read_mha_instance(folder.path("a.json"));
    CHECK(same_numbers(a, heed::read_mha_instance(folder.path("b.npz"))));
    CHECK(same_numbers(a, heed::read_mha_instance(folder.path("c.json"))));
    CHECK(bytes_of(folder.path("b.npz")) == bytes_of(folder.path("d.npz")));
    // Without -o the same JSON goes to stdout.
    CHECK(heedcert({"convert", folder.path("b.npz")}).out == bytes_of(folder.path("c.json")));
  }
}

TEST_CASE("convert keeps the exact fractions and shapes of handwritten files") {
  const TemporaryFolder folder;
  for (const Written& w : {small_instance(), ragged_instance(), ragged_instance("exponential")}) {
    const std::string file = folder.write("in.json", w.text());
    const Outcome o = heedcert({"convert", file});
    REQUIRE(o.exit == 0);
    CHECK(same_numbers(heed::read_mha_instance(file), heed::parse_mha_instance(o.out, "out")));
  }
}

TEST_CASE("json and npz of the same instance give the same answers") {
  const TemporaryFolder folder;
  const std::string json = folder.path("a.json"), npz = folder.path("a.npz");
  REQUIRE(heedcert({"generate", "mha", "--n", "3", "--weights", "gaussian:1", "-o", json}).exit ==
          0);
  REQUIRE(heedcert({"convert", json, "-o", npz}).exit == 0);
  CHECK(heedcert_json({"curvature", "--full", json})["quantities"] ==
        heedcert_json({"curvature", "--full", npz})["quantities"]);
  CHECK(heedcert_json({"verify", "--full", json})["claims"] ==
        heedcert_json({"verify", "--full", npz})["claims"]);
}

TEST_CASE("a result that cannot be written to stdout is no success") {
  const std::string file = (data_folder / "fixtures" / "mha_base.json").string();
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"verify", file},
                                             {"verify", "--json", file},
                                             {"curvature", file},
                                             {"generate", "mha"}}) {
    INFO(arguments[0]);
    const Outcome o = heedcert(arguments, "", "/dev/full");
    CHECK(o.exit != 0);
    CHECK_FALSE(o.err.empty());
  }
}

TEST_CASE("a file name of any bytes reaches the report") {
  const TemporaryFolder folder;
  for (const std::string name :
       {"with space.json", "quo\"te.json", "caf\xc3\xa9.json", "bad\xff.json"}) {
    INFO(name);
    const std::string file = folder.write(name, small_instance().text());
    CHECK(heedcert({"verify", file}).exit == 0);
    CHECK(heedcert_json({"verify", file})["status"] == "proved");
  }
}

TEST_CASE("what the reader ignores is said, in JSON and to people") {
  Json j = Json::parse(small_instance().text());
  j.erase("loss");
  j["Loss"] = "exponential";
  for (const std::string command : {"verify", "curvature"}) {
    INFO(command);
    CHECK(holds(heedcert_json({command, "-"}, 0, j.dump())["notes"].dump(), "Loss"));
    const Outcome o = heedcert({command, "-"}, j.dump());
    CHECK(holds(o.out + o.err, "ignored key \"Loss\""));
  }
  CHECK(holds(heedcert({"convert", "-"}, j.dump()).err, "ignored key \"Loss\""));
}
