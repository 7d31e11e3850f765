// SPDX-License-Identifier: Apache-2.0
#include "checks/support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "checks/support/property.hpp"
#include "checks/support/weights.hpp"
#include "heed/attention/mha.hpp"
#include "heed/numeric/format.hpp"

namespace heed::checks {

void fail(const std::string& message) { throw Failure(message); }

void require(bool condition, const std::string& message) {
  if (!condition) fail(message);
}

std::string text(const Ball& x) {
  return approx_digits(x, 17) + " +/- " + approx_digits(x.radius(), 3);
}

void require_overlap(const std::string& what, const Ball& a, const Ball& b) {
  if (!a.is_finite() || !b.is_finite()) return;
  if (!a.overlaps(b)) fail(what + ": disjoint enclosures " + text(a) + " and " + text(b));
}

void require_overlap(const std::string& what, const std::vector<Ball>& a,
                     const std::vector<Ball>& b) {
  require(a.size() == b.size(), what + ": lengths differ");
  for (std::size_t k = 0; k < a.size(); ++k)
    require_overlap(what + "[" + std::to_string(k) + "]", a[k], b[k]);
}

void require_overlap(const std::string& what, const Matrix<Ball>& a, const Matrix<Ball>& b) {
  require(a.rows() == b.rows() && a.cols() == b.cols(), what + ": shapes differ");
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      require_overlap(what + "[" + std::to_string(i) + "," + std::to_string(j) + "]", a(i, j),
                      b(i, j));
}

void require_narrow(const std::string& what, const Ball& x, int digits) {
  require(x.is_finite(), what + ": not finite");
  if (x.is_exact() || x.contains_zero()) return;
  require(x.has_relative_digits(digits), what + ": wide enclosure " + text(x));
}

void require_narrow(const std::string& what, const std::vector<Ball>& x, int digits) {
  for (std::size_t k = 0; k < x.size(); ++k)
    require_narrow(what + "[" + std::to_string(k) + "]", x[k], digits);
}

void require_close(const std::string& what, double approximate, const Ball& x, const Ball& scale,
                   double tolerance) {
  const Ball allowed = Ball(tolerance) * abs(scale) + Ball(0x1p-1000);
  if (certainly(less_equal(abs(Ball(approximate) - x), allowed))) return;
  std::ostringstream message;
  message.precision(17);
  message << what << ": double " << approximate << " is far from " << text(x) << " (scale "
          << text(scale) << ")";
  fail(message.str());
}

bool is_tame(const MhaInstance& m) {
  const auto tame = [](const Matrix<Rational>& t) {
    return std::all_of(t.entries().begin(), t.entries().end(), [](const Rational& q) {
      const double size = std::fabs(q.nearest_double());
      return q.sign() == 0 ||
             (size >= 0x1p-12 && size <= 0x1p12 && Rational(q.nearest_double()) == q);
    });
  };
  const auto all = [&](const auto& group) { return std::all_of(group.begin(), group.end(), tame); };
  if (!all(m.X) || !all(m.weights->U) || !all(m.weights->W) || largest_gap(m) > Rational(60))
    return false;
  const MhaModel<Ball> model(mha_inputs<Ball>(m));
  return std::all_of(model.phi().begin(), model.phi().end(),
                     [](const Ball& phi) { return certainly(less_equal(abs(phi), Ball(600))); });
}

std::vector<Rational> test_direction(std::size_t parameters) {
  std::vector<Rational> v;
  for (std::size_t k = 0; k < parameters; ++k)
    v.emplace_back(static_cast<long>((k * 37 + 11) % 19) - 9, 8L);
  return v;
}

std::vector<Ball> to_balls(const std::vector<Rational>& v) {
  std::vector<Ball> b;
  for (const Rational& q : v) b.emplace_back(q);
  return b;
}

}  // namespace heed::checks
