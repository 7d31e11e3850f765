// SPDX-License-Identifier: Apache-2.0
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

// Refused: code 3, nothing on stdout, one message that names the file (or option).
void check_refused(const Outcome& o, const std::string& name, const std::string& words = "") {
  INFO("exit " << o.exit << ", stderr: " << o.err);
  CHECK(o.exit == 3);
  CHECK(o.out.empty());
  CHECK(o.err.rfind("heedcert: ", 0) == 0);
  CHECK(holds(o.err, name));
  CHECK(holds(o.err, words));
  CHECK(lines_of(o.err).size() == 1);
  CHECK(o.err.size() < 900);
}

const std::string fixture = (data_folder / "fixtures" / "mha_base.json").string();

}  // namespace

TEST_CASE("every damaged file is refused by every command that reads one") {
  std::size_t refused = 0;
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder / "hostile")) {
    const std::string name = entry.path().filename().string(), file = entry.path().string();
    if (entry.path().extension() == ".py") continue;
    INFO(name);
    if (name.rfind("accepted_", 0) == 0) {
      CHECK(heedcert({"convert", file}).exit == 0);
      continue;
    }
    // One of the commands in turn: they share the reader.
    const std::vector<std::vector<std::string>> commands = {
        {"verify", file},
        {"curvature", "--json", file},
        {"convert", file, "-o", folder.path("never.json")}};
    check_refused(heedcert(commands[refused % commands.size()]), file);
    ++refused;
  }
  CHECK(refused > 100);
  CHECK(folder.names().empty());
}

TEST_CASE("a missing file, a folder and an empty input are refused") {
  const TemporaryFolder folder;
  const std::string missing = folder.path("missing.json");
  for (const std::string command : {"verify", "curvature", "convert"}) {
    INFO(command);
    check_refused(heedcert({command, missing}), missing, "No such file");
    check_refused(heedcert({command, folder.path(".")}), folder.path("."), "folder");
    check_refused(heedcert({command, "-"}), "<stdin>", "empty");
  }
  check_refused(heedcert({"verify", fixture, missing, "--json"}), missing);
}

TEST_CASE("an instance without weights is refused with what to do") {
  const TemporaryFolder folder;
  Written bare = small_instance();
  bare.U.clear();
  const std::string file = folder.write("bare.json", bare.text());
  for (const std::string command : {"verify", "curvature"}) {
    const Outcome o = heedcert({command, file});
    check_refused(o, file, "missing U / W");
    CHECK(holds(o.err, "--weights"));
  }
  const Outcome added = heedcert(
      {"convert", file, "--weights", "gaussian:1", "--heads", "2", "-o", folder.path("with.json")});
  CHECK(added.exit == 0);
  CHECK(heedcert({"verify", folder.path("with.json")}).exit == 0);
}

TEST_CASE("a direction must fit") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", small_instance().text());  // P = 8
  const auto curvature = [&](const std::string& direction) {
    return heedcert({"curvature", file, "--direction", direction});
  };
  const std::string good = folder.write("v.json", R"(["1/3", 0, 0, 1, 0, 0, 0, "0x1p-3"])");
  CHECK(curvature(good).exit == 0);
  CHECK(heedcert_json({"curvature", file, "--direction", good})["quantities"]["hvp"].size() == 8);
  const std::string short_one = folder.write("short.json", "[1, 2]");
  check_refused(curvature(short_one), short_one, "8");
  const std::string words = folder.write("words.json", R"(["a", 0, 0, 1, 0, 0, 0, 0])");
  check_refused(curvature(words), words, "\"a\"");
  check_refused(curvature(folder.path("none.json")), folder.path("none.json"));
}

TEST_CASE("a loss on the command line may not contradict the file") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", small_instance().text());
  check_refused(heedcert({"verify", file, "--loss", "exponential"}), file, "loss");
  CHECK(heedcert({"verify", file, "--loss", "logistic"}).exit == 0);
}

TEST_CASE("impossible data models are refused by name") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"attsvm", "--data", "mixture"}, "--data"},
      {{"attsvm", "--weights", "one-step:1"}, "--weights"},
      {{"attsvm", "--data", "all-support", "--dim", "2", "--n", "3"}, "dim"},
      {{"mha", "--n", "0"}, "n"},
      {{"mha", "--tokens", "0"}, "tokens"},
      {{"mha", "--dim", "0"}, "dim"},
      {{"mha", "--n", "100000000", "--tokens", "1000"}, "at most"},
      {{"mha", "--weights", "zero", "--heads", "0"}, "heads"},
      {{"mha", "--weights", "gaussian"}, "gaussian:SD"},
      {{"mha", "--weights", "one-step:x"}, "one-step"},
      {{"mha", "--scale", "nan"}, "scale"},
      {{"mha", "--data", "mixture", "--zeta", "1/3"}, "zeta"},
      {{"mha", "--data", "mixture", "--zeta", "half"}, "--zeta"},
      {{"mha", "--data", "mixture", "--strength", "0"}, "strength"},
      {{"mha", "--data", "mixture", "--dim", "3", "--nuisances", "2"}, "dim"},
      {{"mha", "--data", "unit", "--scale", "2"}, "scale"},
  };
  for (const auto& [arguments, word] : cases) {
    std::vector<std::string> all{"generate"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    check_refused(heedcert(all), word, "expected");
  }
}
