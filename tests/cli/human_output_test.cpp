// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cli/human_number.hpp"
#include "cli/instances.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

/// A table: two or more spaces separate the columns, which start below their titles.
struct Table {
  std::string id;
  std::vector<std::size_t> starts;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::size_t> starts_of(const std::string& line) {
  std::vector<std::size_t> starts;
  for (std::size_t k = 2; k < line.size(); ++k)
    if (line[k] != ' ' && line[k - 1] == ' ' && line[k - 2] == ' ') starts.push_back(k);
  return starts;
}

std::vector<std::string> cells_of(const std::string& line, const std::vector<std::size_t>& starts) {
  std::vector<std::string> cells;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : line.size();
    std::string cell = line.substr(starts[k], end - starts[k]);
    cell.resize(cell.find_last_not_of(' ') + 1);
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Table> tables_of(const std::string& text) {
  std::vector<Table> tables;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t k = 1; k < lines.size(); ++k) {
    if (lines[k].rfind("  rung ", 0) != 0) continue;
    Table t{lines[k - 1].substr(0, lines[k - 1].find(':')), starts_of(lines[k]), {}};
    for (++k; k < lines.size() && !lines[k].empty(); ++k) {
      INFO(lines[k]);
      CHECK(starts_of(lines[k]) == t.starts);
      t.rows.push_back(cells_of(lines[k], t.starts));
    }
    tables.push_back(t);
  }
  return tables;
}

const Json& claim_of(const Json& j, const std::string& id, const std::string& rung) {
  for (const Json& c : j["claims"])
    if (c["id"] == id && c["rung"] == rung) return c;
  FAIL("no such rung: " + id + " " + rung);
  return j;
}

bool inside(const Enclosure& a, const Enclosure& b) { return b.lo <= a.lo && a.hi <= b.hi; }

// Every printed digit must be right. `sharp` has far more digits and lies inside, except where a
// tiny radius is printed (`0.5 +/- 1e-154`).
void check_number(const std::string& text, const Json& sharp, int digits) {
  INFO(text << " against " << sharp.dump());
  const Enclosure printed = printed_number(text), exact = enclosure_of(sharp);
  CHECK((inside(exact, printed) || inside(printed, exact)));
  CHECK(narrow(printed, digits));
}

// `name = number` pairs of a line, separated by a comma and two spaces or followed by a remark.
std::vector<std::pair<std::string, std::string>> assignments_of(std::string line) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t at = 0; (at = line.find(",  ")) != std::string::npos;) line.replace(at, 3, "\n");
  for (const std::string& piece : lines_of(line)) {
    const std::size_t equals = piece.find(" = ");
    if (equals == std::string::npos) continue;
    const std::string value = piece.substr(equals + 3);
    pairs.emplace_back(piece.substr(0, equals), value.substr(0, value.find("  ")));
  }
  return pairs;
}

}  // namespace

TEST_CASE("verify prints the verdict first, then aligned tables with certain digits") {
  for (const auto& path : fixture_files()) {
    INFO(path.filename().string());
    const Outcome o = heedcert({"verify", path.string()});
    REQUIRE(o.exit == 0);
    CHECK(o.err.empty());
    CHECK(o.out.rfind("proved: " + path.string() + ": ", 0) == 0);
    const Json j = heedcert_json({"verify", "--digits", "40", path.string()});
    const std::vector<Table> tables = tables_of(o.out);
    CHECK(tables.size() >= 7);
    std::size_t rows = 0;
    for (const Table& t : tables)
      for (const std::vector<std::string>& cells : t.rows) {
        REQUIRE(cells.size() == 5);
        INFO(t.id << " " << cells[0]);
        const Json& claim = claim_of(j, t.id, cells[0]);
        check_number(cells[1], claim["lhs"], 8);
        check_number(cells[2], claim["rhs"], 8);
        const std::string verdict = claim["equality"] == true ? "equality" : claim["verdict"];
        CHECK(cells[4].rfind(verdict, 0) == 0);
        ++rows;
      }
    std::size_t shown = 0;
    for (const Json& c : j["claims"]) shown += c["verdict"] != "not_applicable" ? 1 : 0;
    CHECK(rows == shown);
  }
}

TEST_CASE("the counts of the first line are the counts of the claims") {
  for (const auto& path : fixture_files()) {
    const std::string first = lines_of(heedcert({"verify", path.string()}).out).at(0);
    INFO(first);
    std::map<std::string, int> n;
    const Json report = heedcert_json({"verify", path.string()});
    for (const Json& c : report["claims"])
      ++n[c["equality"] == true ? "equality" : c["verdict"].get<std::string>()];
    CHECK(holds(first, ": " + std::to_string(n["proved"]) + " inequalities proved"));
    CHECK(holds(first, " " + std::to_string(n["refuted"]) + " refuted"));
    CHECK(holds(first, " " + std::to_string(n["equality"]) + " equalit"));
    CHECK(holds(first, " " + std::to_string(n["undecided"]) + " undecided"));
    CHECK(holds(first, " " + std::to_string(n["not_applicable"]) + " not applicable"));
  }
}

TEST_CASE("verify --all lists the rungs that are not applicable, with the reason") {
  const std::string file = (data_folder / "fixtures" / "mha_base.json").string();
  CHECK_FALSE(holds(heedcert({"verify", file}).out, "loss.exponential"));
  const Outcome all = heedcert({"verify", file, "--all"});
  CHECK(all.exit == 0);
  CHECK(holds(all.out, "loss.exponential"));
  CHECK(holds(all.out, "the loss is logistic"));
}

TEST_CASE("curvature prints lambda_min first, every digit certain") {
  for (const auto& path : fixture_files()) {
    INFO(path.filename().string());
    const Json q =
        heedcert_json({"curvature", "--full", "--digits", "40", path.string()})["quantities"];
    const Outcome o = heedcert({"curvature", path.string()});
    REQUIRE(o.exit == 0);
    CHECK(o.out.rfind("lambda_min = ", 0) == 0);
    std::size_t found = 0, head = 0;
    for (const std::string& line : lines_of(o.out)) {
      INFO(line);
      if (line.rfind("  head ", 0) == 0) {
        const std::string value = line.substr(line.find("  ", 2) + 2);
        check_number(value, q["block_min_eigenvalues"].at(head++), 12);
      }
      if (line.rfind("n = ", 0) == 0) continue;
      for (const auto& [name, value] : assignments_of(line)) {
        check_number(value, q.at(name), 12);
        ++found;
      }
    }
    CHECK(found == 7);
    CHECK(head == q["block_min_eigenvalues"].size());
  }
}

TEST_CASE("curvature --digits 40 prints 40 certain digits") {
  const std::string file = (data_folder / "fixtures" / "mha_base.json").string();
  const Json q = heedcert_json({"curvature", "--digits", "60", file})["quantities"];
  const std::string first = lines_of(heedcert({"curvature", "--digits", "40", file}).out).at(0);
  check_number(first.substr(std::string("lambda_min = ").size()), q["lambda_min"], 37);
}

TEST_CASE("generate and convert say what they wrote") {
  const TemporaryFolder folder;
  const std::string out = folder.path("a.json");
  const Outcome o =
      heedcert({"generate", "mha", "--n", "3", "--tokens", "2", "--dim", "5", "-o", out});
  CHECK(o.exit == 0);
  CHECK(o.err.empty());
  CHECK(holds(lines_of(o.out).at(0), out));
  for (const char* size : {"n = 3", "T = 2", "d = 5"}) CHECK(holds(o.out, size));
}

TEST_CASE("nothing about progress reaches a stderr that is no terminal") {
  const std::string file = (data_folder / "fixtures" / "mha_saturated.json").string();
  CHECK(heedcert({"verify", file}).err.empty());
  CHECK(heedcert({"curvature", file}).err.empty());
}
