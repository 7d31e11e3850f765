// SPDX-License-Identifier: Apache-2.0
#include "landscape_ball.hpp"

#include <algorithm>

#include "landscape_spectrum.hpp"

namespace heedcheck {
namespace {

constexpr std::size_t most_scales = 1000;

// The Hessian over c + s (B - c).
SpectrumBounds spectrum_over(const Model<Interval>& model, const CurvatureTrap& trap,
                             const mpq_class& s) {
  std::vector<Interval> theta;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < trap.centre.size(); ++k) {
    const mpq_class& c = trap.centre[k];
    theta.push_back(Interval::between(Interval(mpq_class(c + s * (trap.lower[k] - c))).lo(),
                                      Interval(mpq_class(c + s * (trap.upper[k] - c))).hi()));
    all.push_back(k);
  }
  return spectrum_bounds(symmetric_matrix(model.loss(theta, all, model.all()).second, all.size()));
}

void require_in_region(const CurvatureTrap& trap) {
  mpq_class squared;
  for (std::size_t k = 0; k < trap.centre.size(); ++k) {
    require_proof(trap.lower[k] < trap.centre[k] && trap.centre[k] < trap.upper[k],
                  "trap: the centre is not inside B");
    if (trap.start_radius) continue;
    const mpq_class& x = trap.theta_0[k];
    require_proof(trap.lower[k] <= x && x <= trap.upper[k], "trap: theta_0 is not in B");
    squared += square(mpq_class(x - trap.centre[k]));
  }
  if (!trap.radius) return;
  require_proof(
      trap.start_radius ? *trap.start_radius <= *trap.radius
                        : squared <= *trap.radius * *trap.radius,
      trap.start_radius ? "trap: start_radius is larger than radius" : "trap: theta_0 is not in B");
}

}  // namespace

mpq_class CurvatureTrap::inner() const {
  mpq_class least = upper[0] - centre[0];
  for (std::size_t k = 0; k < centre.size(); ++k) {
    least = std::min<mpq_class>({least, upper[k] - centre[k], centre[k] - lower[k]});
  }
  return least;
}

bool is_by_curvature(const Value& trap) { return trap.find("scales") != nullptr; }

CurvatureTrap read_curvature_trap(const Value& value, const Layer& layer) {
  const bool ball = value.find("radius") != nullptr,
             starts = ball && value.find("start_radius") != nullptr;
  std::vector<std::string_view> must = {"centre", "eta", "scales",
                                        starts ? "start_radius" : "theta_0"};
  if (ball) {
    must.push_back("radius");
  } else {
    must.insert(must.end(), {"lower", "upper"});
  }
  require_fields(value, must, {}, "trap");
  const std::size_t P = layer.coordinates();
  const auto read = [&](const char* name) {
    return rationals(array(value.at(name), P, std::string("trap.") + name));
  };
  CurvatureTrap trap;
  trap.centre = read("centre");
  if (ball) {
    trap.radius = positive_part(value, "radius");
    for (const mpq_class& c : trap.centre) {
      trap.lower.emplace_back(c - *trap.radius);
      trap.upper.emplace_back(c + *trap.radius);
    }
  } else {
    trap.lower = read("lower");
    trap.upper = read("upper");
  }
  if (starts) {
    trap.start_radius = positive_part(value, "start_radius");
  } else {
    trap.theta_0 = read("theta_0");
  }
  trap.eta = positive_part(value, "eta");
  trap.scales =
      static_cast<std::size_t>(integer_of(value.at("scales"), 1, most_scales, "trap.scales"));
  return trap;
}

CurvatureTrapBounds prove_curvature_trap(const Model<Interval>& model, const CurvatureTrap& trap) {
  require_in_region(trap);
  std::vector<std::size_t> all(trap.centre.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const std::vector<Interval> centre(trap.centre.begin(), trap.centre.end());
  const Jet<Interval> f = model.loss(centre, all, model.all());
  Interval squared;
  for (const Interval& g : f.first) squared += square(g);
  const mpq_class slope = square_root(squared).upper(), delta = trap.inner();

  // The means m and a, and the bound of the Hessian on the smallest copy that holds the starts.
  const mpz_class count(trap.scales);
  mpq_class mean, plain, first, most_at_starts = -1;
  SpectrumBounds whole;
  for (std::size_t i = 1; i <= trap.scales; ++i) {
    mpq_class s(mpz_class(i), count), from(mpz_class(trap.scales - i + 1), count);
    s.canonicalize();
    from.canonicalize();
    whole = spectrum_over(model, trap, s);
    mean += whole.least * (from * from - (1 - s) * (1 - s));
    plain += whole.least / count;
    if (i == 1) first = whole.least;
    if (trap.start_radius && most_at_starts < 0 && *trap.start_radius <= s * *trap.radius) {
      most_at_starts = std::max<mpq_class>(whole.most, 0);
    }
  }
  require_proof(mean > 0 && slope < delta * mean,
                "trap: f is not proved to grow from the centre to the boundary of B");
  require_proof(trap.eta * std::max<mpq_class>(-whole.least, whole.most) < 2,
                "trap: eta |Hess f| < 2 is not proved on B");
  CurvatureTrapBounds bounds;
  bounds.boundary_lo = f.value.lower() - slope * delta + mean * delta * delta / 2;
  bounds.region_lo = f.value.lower() - slope * slope / (2 * mean);
  if (trap.start_radius) {
    const mpq_class& rho = *trap.start_radius;
    bounds.start_hi = f.value.upper() + slope * rho + most_at_starts * rho * rho / 2;
  } else {
    const std::vector<Interval> start(trap.theta_0.begin(), trap.theta_0.end());
    bounds.start_hi = model.loss(start, {}, model.all()).value.upper();
  }
  require_proof(bounds.start_hi < bounds.boundary_lo,
                "trap: f is not proved to exceed its values at the start on the boundary of B");
  bounds.one_minimum = first > 0 && slope * count < delta * plain;
  return bounds;
}

}  // namespace heedcheck
