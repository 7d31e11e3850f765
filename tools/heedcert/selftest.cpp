// SPDX-License-Identifier: Apache-2.0
#include <cfenv>
#include <iostream>
#include <memory>
#include <random>

#include "command.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/numeric/logistic.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using heed::Rational;

struct Check {
  std::string name;
  std::size_t cases = 0, failures = 0;
  void expect(bool ok) {
    ++cases;
    failures += ok ? 0 : 1;
  }
};

Rational random_rational(std::mt19937_64& r) {
  const auto part = [&] { return static_cast<long>(r() >> 20) - (1L << 43); };
  long q = part();
  if (q == 0) q = 1;
  return Rational(part(), q) * Rational::power_of_two(static_cast<long>(r() % 200) - 100);
}

// Ball arithmetic against exact rational arithmetic: two implementations that share nothing but GMP.
Check arithmetic(std::mt19937_64& r) {
  Check c{"ball arithmetic contains the exact rational result", 0, 0};
  for (int k = 0; k < 2000; ++k) {
    const heed::PrecisionScope scope(24 + static_cast<int>(r() % 200));
    const Rational a = random_rational(r), b = random_rational(r) + Rational(1, 3);
    c.expect((Ball(a) + Ball(b)).contains(a + b));
    c.expect((Ball(a) - Ball(b)).contains(a - b));
    c.expect((Ball(a) * Ball(b)).contains(a * b));
    if (b.sign() != 0) c.expect((Ball(a) / Ball(b)).contains(a / b));
    c.expect(sqrt(Ball(a) * Ball(a)).overlaps(abs(Ball(a))));
  }
  return c;
}

Check functional_equations(std::mt19937_64& r) {
  Check c{"elementary functions satisfy their equations, narrowly", 0, 0};
  for (int k = 0; k < 500; ++k) {
    const heed::PrecisionScope scope(64 + static_cast<int>(r() % 200));
    const Ball x = Ball(static_cast<double>(static_cast<long>(r() >> 11)) * 0x1p-47);
    const Ball one = exp(x) * exp(-x);
    c.expect(one.contains(Rational(1)) && one.has_relative_digits(12));
    c.expect(log(exp(x)).contains(x.midpoint()));
    c.expect((heed::Logistic<Ball>::value(x) - heed::Logistic<Ball>::value(-x) + x).contains_zero());
    c.expect((heed::Logistic<Ball>::probability(x) -
              heed::one_minus_exp_neg(heed::Logistic<Ball>::value(x)))
                 .contains_zero());
  }
  return c;
}

// The second-difference matrix of order n has eigenvalues 2 - 2 cos(k pi/(n+1)); for n = 5: 2 -+ sqrt 3.
Check eigenvalues() {
  Check c{"eigenvalue enclosures contain known eigenvalues, narrowly", 0, 0};
  for (int bits : {64, 128, 256, 512}) {
    const heed::PrecisionScope scope(bits);
    heed::Matrix<Ball> a(5, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      a(i, i) = Ball(2);
      if (i > 0) a(i, i - 1) = a(i - 1, i) = Ball(-1);
    }
    const int digits = bits / 8;
    const Ball low = heed::enclose_lambda_min(a, digits), high = heed::enclose_lambda_max(a, digits);
    c.expect(low.overlaps(Ball(2) - sqrt(Ball(3))) && low.has_relative_digits(digits - 1));
    c.expect(high.overlaps(Ball(2) + sqrt(Ball(3))) && high.has_relative_digits(digits - 1));
  }
  return c;
}

Check machine() {
  Check c{"double arithmetic is IEEE 754, rounding to nearest", 0, 0};
  c.expect(std::fegetround() == FE_TONEAREST);
  volatile double one = 1, tiny = 0x1p-60, least = 0x1p-1074;
  const double sum = one + tiny;
  c.expect(sum == 1);
  c.expect((one - sum) + tiny == 0x1p-60);
  c.expect(least / 2 == 0 && least != 0);
  volatile double x = 41, y = 0.1;
  c.expect(Ball(Rational(41, 10)).contains(Rational(41, 10)) &&
           Ball(static_cast<double>(x * y)).is_exact());
  return c;
}

int run_selftest(const CommonOptions& o) {
  std::mt19937_64 r(o.seed);
  const std::vector<Check> checks{machine(), arithmetic(r), functional_equations(r), eigenvalues()};
  std::size_t failures = 0;
  for (const Check& c : checks) failures += c.failures;
  const int status = failures == 0 ? Exit::ok : Exit::internal;
  if (o.json) {
    Json j = result_object("selftest", o, {});
    j["status"] = failures == 0 ? "ok" : "failed";
    j["quantities"] = Json::object();
    j["claims"] = Json::array();
    j["notes"] = Json::array();
    j["checks"] = Json::array();
    for (const Check& c : checks)
      j["checks"].push_back({{"name", c.name}, {"cases", c.cases}, {"failures", c.failures}});
    std::cout << j.dump(1) << "\n";
    return status;
  }
  std::cout << (failures == 0 ? "ok" : "FAILED") << ": containment on this machine and build\n";
  for (const Check& c : checks)
    std::cout << "  " << c.name << ": " << c.cases << " cases, " << c.failures << " failures\n";
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
