// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "cli/run.hpp"

using namespace cli_test;

namespace {

double approx_number(const Json& j) { return std::stod(j.at("approx").get<std::string>()); }

const Json& row(const Json& result, const std::string& run, const std::string& quantity) {
  for (const Json& r : result.at("rows"))
    if (r.at("run") == run && r.at("quantity") == quantity) return r;
  FAIL("no row " << run << ", " << quantity);
  return result;
}

}  // namespace

TEST_CASE("reproduce kernel.e0: shares of 40 starts within three standard errors") {
  const Json j = heedcert_json({"reproduce", "kernel.e0", "--seeds", "40"});
  CHECK(j["schema"] == "heed-result-1");
  CHECK(j["command"] == "reproduce");
  CHECK(j["status"] == "reproduced");
  CHECK(j["settings"]["seeds"] == 40);
  CHECK(j["rows"].size() == 27);
  for (const Json& r : j["rows"]) CHECK(r["within"] == true);
  // The basin of the certified bad minimum is where runs are trapped.
  CHECK(row(j, "SM1 softmax s = 1", "trapped")["measured"] ==
        row(j, "SM1 softmax s = 1", "start in basin")["measured"]);
  CHECK(approx_number(row(j, "GA1 gaussian s = 0.5", "trapped")["measured"]) == 1);
}

TEST_CASE("reproduce kernel.e1: the exact rates, all seeds") {
  const Outcome o = heedcert({"reproduce", "kernel.e1"});
  CHECK(o.exit == 0);
  CHECK(lines_of(o.out).front() == "reproduced: kernel.e1: 12 of 12 values within tolerance");
  CHECK(holds(o.out, "21814"));
  CHECK(holds(o.out, "63472"));
}

TEST_CASE("reproduce kernel.e6: the run of one seed is that of an independent program") {
  const Json j = heedcert_json({"reproduce", "kernel.e6", "--seeds", "1", "--threads", "2"});
  const Json reference = Json::parse(bytes_of(data_folder / "train" / "kernel_seed0.json"));
  for (const auto& [task, word] :
       {std::pair{"token task", "token-task"}, std::pair{"pathfinder", "pathfinder"}})
    for (const char* kernel : {"softmax", "gaussian", "gaussian/n", "gaussian-normalised"})
      for (const char* t : {"0", "10", "30", "100", "300", "1000"}) {
        const double expected = std::stod(
            reference.at(std::string(word) + " " + kernel)["trajectory"][t].get<std::string>());
        const Json& r =
            row(j, std::string(task) + ", " + kernel, std::string("mean loss, t = ") + t);
        INFO(task << " " << kernel << " " << t);
        // Two digits, as promised; the Gaussian run amplifies rounding errors.
        CHECK(approx_number(r["measured"]) == Approx(expected).epsilon(0.01));
      }
}

TEST_CASE("reproduce kernel.e3 reports; threads do not change a number") {
  const Json one = heedcert_json({"reproduce", "kernel.e3", "--seeds", "1"});
  CHECK(one["status"] == "reported");
  const Json two = heedcert_json({"reproduce", "kernel.e3", "--seeds", "1", "--threads", "3"});
  CHECK(one["rows"] == two["rows"]);
  CHECK(approx_number(row(one, "regression, softmax, seed 0", "lambda_max, t = 0")["measured"]) ==
        Approx(41.9566).epsilon(1e-5));
  CHECK(row(one, "regression, softmax, step 1", "mean loss, t = 1000")["measured"].is_null());
}

TEST_CASE("reproduce writes tables, and a picture of slices") {
  const TemporaryFolder folder;
  const std::string table = folder.path("e1.csv");
  CHECK(heedcert({"reproduce", "kernel.e1", "--seeds", "2", "-o", table}).exit == 0);
  const std::vector<std::string> lines = lines_of(bytes_of(table));
  CHECK(lines.front() == "run,quantity,measured,reference,allowed,standard_error");
  CHECK(lines.size() == 13);
  const Outcome again = heedcert({"reproduce", "kernel.e1", "--seeds", "2", "-o", table});
  CHECK(again.exit == 3);
  CHECK(holds(again.err, "--force"));
  CHECK(heedcert({"reproduce", "kernel.e1", "--seeds", "2", "-o", table, "--force"}).exit == 0);

  const std::string grid = folder.path("s.csv"), picture = folder.path("s.svg");
  const Outcome slices = heedcert({"reproduce", "kernel.slices", "-o", grid, "-o", picture});
  CHECK(slices.exit == 0);
  CHECK(lines_of(bytes_of(grid)).size() == 1 + 4 * 21 * 21);
  const std::string svg = bytes_of(picture);
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.ends_with("</svg>\n"));
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1))
    ++cells;
  CHECK(cells == 1 + 4 * 21 * 21 + 64);
}

TEST_CASE("reproduce: wrong use") {
  CHECK(heedcert({"reproduce"}).exit == 64);
  const Outcome unknown = heedcert({"reproduce", "kernel.e9"});
  CHECK(unknown.exit == 64);
  CHECK(holds(unknown.err, "kernel.e6"));
  CHECK(heedcert({"reproduce", "kernel.e1", "--seeds", "0"}).exit == 64);
  CHECK(heedcert({"reproduce", "kernel.e1", "-o", "x.txt"}).exit == 3);
  const Outcome picture = heedcert({"reproduce", "kernel.e1", "-o", "x.svg"});
  CHECK(picture.exit == 3);
  CHECK(holds(picture.err, "kernel.slices"));
}
