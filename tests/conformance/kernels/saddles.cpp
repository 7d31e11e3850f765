// SPDX-License-Identifier: Apache-2.0
#include "saddles.hpp"

#include <cfenv>
#include <cmath>
#include <tuple>
#include <vector>

#include "unit/linalg/double_saddle.hpp"
#include "unit/linalg/exact_claims.hpp"

namespace conformance {

using heed::FastEigenvalue;
using heed::InertiaCount;
using heed::PointSaddle;

heed::SelfTest check_saddles(const heed::FloatEnvironment& environment) {
  heed::SelfTest t{std::string(environment.name) + ": saddles", 0, 0};
  heed::test::Random random = heed::test::Random::fixed(1);
  std::size_t sharp = 0, counts_made = 0;
  constexpr int rounds = 12;
  for (int round = 0; round < rounds; ++round) {
    const double unit = std::ldexp(1.0, static_cast<int>(random.integer(-500, 500)));
    const auto a = heed::test::random_double_saddle(random, 3, 3, random.integer(0, 4), unit,
                                                    std::sqrt(unit) * random.uniform(0.01, 3));
    const std::vector<double> shifts{random.uniform(-4, 4), -1, random.uniform(-1e-6, 0)};
    const PointSaddle point = a.point();
    std::vector<InertiaCount> counts;
    const auto [least, largest] = [&] {
      const heed::FloatEnvironmentScope scope(environment);
      const PointSaddle p = a.point();
      const heed::FastInertia inertia(p);
      for (const double s : shifts) counts.push_back(inertia.count(s));
      return std::tuple(heed::fast_lambda_min(p), heed::fast_lambda_max(p));
    }();
    const heed::Matrix<heed::Rational> dense = a.exact();
    t.expect(heed::test::ends_hold(least, dense, true));
    t.expect(heed::test::ends_hold(largest, dense, false));
    for (const InertiaCount& c : counts) {
      t.expect(heed::test::count_holds(c, dense, point.exponent()));
      ++counts_made;
      sharp += c.lower_error < 1e-9 ? 1 : 0;
    }
    const double norm = std::ldexp(point.norm_bound(), point.exponent());
    t.expect(least.upper - least.lower <= 1e-4 * norm);
    t.expect(largest.upper - largest.lower <= 1e-4 * norm);
  }
  t.expect(2 * sharp > counts_made);
  return t;
}

}  // namespace conformance
