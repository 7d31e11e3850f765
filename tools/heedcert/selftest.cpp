// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/selftest.hpp"

#include <iostream>
#include <memory>
#include <utility>

#include "command.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

using heed::Ball;

// The second-difference matrix of order 5 has eigenvalues 2 - 2 cos(k pi/6), the ends 2 -+ sqrt 3.
heed::SelfTest eigenvalues() {
  heed::SelfTest t{"eigenvalue enclosures contain known eigenvalues, narrowly", 0, 0};
  for (int bits : {64, 128, 256, 512}) {
    const heed::PrecisionScope scope(bits);
    heed::Matrix<Ball> a(5, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      a(i, i) = Ball(2);
      if (i > 0) a(i, i - 1) = a(i - 1, i) = Ball(-1);
    }
    const int digits = bits / 8;
    const Ball low = heed::enclose_lambda_min(a, digits),
               high = heed::enclose_lambda_max(a, digits);
    t.expect(low.overlaps(Ball(2) - sqrt(Ball(3))) && low.has_relative_digits(digits - 1));
    t.expect(high.overlaps(Ball(2) + sqrt(Ball(3))) && high.has_relative_digits(digits - 1));
  }
  return t;
}

int run_selftest(const CommonOptions& o) {
  std::vector<heed::SelfTest> tests = heed::numeric_selftest(o.seed);
  tests.push_back(eigenvalues());
  for (heed::SelfTest& t : heed::environment_selftest(o.seed)) tests.push_back(std::move(t));
  std::size_t failures = 0;
  for (const heed::SelfTest& t : tests) failures += t.failures;
  const int status = failures == 0 ? Exit::ok : Exit::internal;
  if (o.json) {
    Json j = result_object("selftest", o, {});
    j["status"] = failures == 0 ? "ok" : "failed";
    j["quantities"] = Json::object();
    j["claims"] = Json::array();
    j["notes"] = Json::array();
    j["checks"] = Json::array();
    for (const heed::SelfTest& t : tests)
      j["checks"].push_back({{"name", t.name}, {"cases", t.cases}, {"failures", t.failures}});
    print_json(j);
    return status;
  }
  std::cout << (failures == 0 ? "ok" : "FAILED") << ": containment on this machine and build\n";
  for (const heed::SelfTest& t : tests)
    std::cout << "  " << t.name << ": " << t.cases << " cases, " << t.failures << " failures\n";
  return status;
}

}  // namespace

void register_selftest(CLI::App& app, Run& run) {
  auto o = std::make_shared<CommonOptions>();
  CLI::App* sub = app.add_subcommand("selftest", "re-check containment on this machine");
  add_output_options(*sub, *o);
  sub->footer("Example:\n  heedcert selftest");
  sub->callback([&run, o] { run = [o] { return run_selftest(*o); }; });
}

}  // namespace heedcert
