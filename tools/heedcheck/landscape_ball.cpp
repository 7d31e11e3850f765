// SPDX-License-Identifier: Apache-2.0
#include "landscape_ball.hpp"

#include <algorithm>

#include "landscape_groups.hpp"
#include "landscape_series.hpp"

namespace heedcheck {
namespace {

constexpr std::size_t most_scales = 1000;

// What is known of the Hessian on B and along the rays from the centre c, v = theta - c.
struct Rays {
  mpq_class mean;            // <v, M(v) v> >= mean |v|^2, M(v) = int 2 (1 - t) Hess f(c + t v) dt
  mpq_class norm;            // |Hess f| <= norm on B
  mpq_class most_at_starts;  // <v, M(v) v> <= most_at_starts |v|^2 for the starts; >= 0
  bool one_minimum = false;  // corollary 3
};

// The Hessian over c + s (B - c).
SpectrumBounds over_copy(const Model<Interval>& model, const CurvatureTrap& trap,
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

// The Hessian where every coordinate is between parts s < t of the way from c to an end of B: it is
// diagonal, each entry a function of its own coordinate.
SpectrumBounds over_cells(const Model<Form>& model, const std::vector<Group>& groups,
                          const CurvatureTrap& trap, const mpq_class& s, const mpq_class& t) {
  std::optional<SpectrumBounds> all;
  for (const Group& group : groups) {
    const std::size_t k = group.coordinates.front();
    for (const mpq_class& end : {trap.lower[k], trap.upper[k]}) {
      Rationals theta = trap.centre;
      theta[k] += (s + t) / 2 * (end - trap.centre[k]);
      const mpq_class half = abs((t - s) / 2 * (end - trap.centre[k]));
      const SpectrumBounds here = second_derivative(model, theta, k, group.residuals, half);
      if (!all) all = here;
      all->least = std::min(all->least, here.least);
      all->most = std::max(all->most, here.most);
    }
  }
  return *all;
}

bool is_separate(const std::vector<Group>& groups, std::size_t coordinates) {
  const auto single = [](const Group& group) { return group.coordinates.size() == 1; };
  return groups.size() == coordinates && std::all_of(groups.begin(), groups.end(), single);
}

Rays by_copies(const Layer& layer, const Model<Interval>& model, const CurvatureTrap& trap,
               const mpq_class& slope) {
  const std::vector<Group> groups = groups_of(layer);
  const bool separate = is_separate(groups, trap.centre.size());
  const Model<Form> forms(layer, Form(beta_of(layer)));
  const mpz_class count(trap.scales);
  Rays rays;
  mpq_class plain, first;
  SpectrumBounds whole;
  bool starts_met = !trap.start_radius;
  for (std::size_t i = 1; i <= trap.scales; ++i) {
    mpq_class t(mpz_class(i), count), s(mpz_class(i - 1), count);
    t.canonicalize();
    s.canonicalize();
    SpectrumBounds here =
        separate ? over_cells(forms, groups, trap, s, t) : over_copy(model, trap, t);
    if (separate && i > 1) {
      here.least = std::min(here.least, whole.least);
      here.most = std::max(here.most, whole.most);
    }
    whole = here;
    if (i == 1) first = whole.least;
    rays.mean += whole.least * ((1 - s) * (1 - s) - (1 - t) * (1 - t));
    plain += whole.least / count;
    if (!starts_met && *trap.start_radius <= t * *trap.radius) {
      starts_met = true;
      rays.most_at_starts = std::max<mpq_class>(whole.most, 0);
    }
  }
  rays.norm = std::max<mpq_class>(-whole.least, whole.most);
  rays.one_minimum = first > 0 && slope * count < trap.inner() * plain;
  return rays;
}

Rays by_series(const Layer& layer, const CurvatureTrap& trap, const mpq_class& slope) {
  FormDomain domain{trap.radius.has_value(), {}};
  for (std::size_t k = 0; k < trap.centre.size(); ++k) {
    const mpq_class half =
        std::max<mpq_class>(trap.upper[k] - trap.centre[k], trap.centre[k] - trap.lower[k]);
    domain.half.push_back(Interval(half).hi());
  }
  const Model<Form> forms(layer, Form(beta_of(layer)));
  const HessianSeries series(forms, trap.centre, std::move(domain));
  Rays rays;
  rays.mean = series.least(mpq_class(1, 3), mpq_class(1, 6));
  const SpectrumBounds whole = series.plain_bounds(1, 1);
  rays.norm = std::max<mpq_class>(-whole.least, whole.most);
  if (trap.start_radius) {
    const mpq_class s = *trap.start_radius / *trap.radius;
    rays.most_at_starts = std::max<mpq_class>(series.plain_bounds(s / 3, s * s / 6).most, 0);
  }
  if (rays.mean <= 0) return rays;
  // a = mean / 64: stationary points lie within the part s of B.
  const mpq_class a = rays.mean / 64, s = slope / (a * trap.inner());
  rays.one_minimum =
      s < 1 && series.is_above(a, mpq_class(1, 2), mpq_class(1, 3)) && series.is_above(0, s, s * s);
  return rays;
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
      static_cast<std::size_t>(integer_of(value.at("scales"), 0, most_scales, "trap.scales"));
  return trap;
}

CurvatureTrapBounds prove_curvature_trap(const Layer& layer, const Model<Interval>& model,
                                         const CurvatureTrap& trap) {
  require_in_region(trap);
  std::vector<std::size_t> all(trap.centre.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const std::vector<Interval> centre(trap.centre.begin(), trap.centre.end());
  const Jet<Interval> f = model.loss(centre, all, model.all());
  Interval squared;
  for (const Interval& g : f.first) squared += square(g);
  const mpq_class slope = square_root(squared).upper(), delta = trap.inner();
  const Rays rays =
      trap.scales == 0 ? by_series(layer, trap, slope) : by_copies(layer, model, trap, slope);
  require_proof(rays.mean > 0 && slope < delta * rays.mean,
                "trap: f is not proved to grow from the centre to the boundary of B");
  require_proof(trap.eta * rays.norm < 2, "trap: eta |Hess f| < 2 is not proved on B");
  CurvatureTrapBounds bounds;
  bounds.boundary_lo = f.value.lower() - slope * delta + rays.mean * delta * delta / 2;
  bounds.region_lo = f.value.lower() - slope * slope / (2 * rays.mean);
  if (trap.start_radius) {
    const mpq_class& rho = *trap.start_radius;
    bounds.start_hi = f.value.upper() + slope * rho + rays.most_at_starts * rho * rho / 2;
  } else {
    const std::vector<Interval> start(trap.theta_0.begin(), trap.theta_0.end());
    bounds.start_hi = model.loss(start, {}, model.all()).value.upper();
  }
  require_proof(bounds.start_hi < bounds.boundary_lo,
                "trap: f is not proved to exceed its values at the start on the boundary of B");
  bounds.one_minimum = rays.one_minimum;
  return bounds;
}

}  // namespace heedcheck
