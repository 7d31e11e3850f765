// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/ray_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/landscape/detail/trap_groups.hpp"
#include "heed/linalg/product.hpp"

namespace heed::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The ends of B, of the box around it for a ball.
std::vector<Rational> ends(const TrapRegion& region, const std::vector<Rational>& centre,
                           bool upper) {
  std::vector<Rational> list;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    if (region.ball_radius)
      list.push_back(upper ? centre[k] + *region.ball_radius : centre[k] - *region.ball_radius);
    else
      list.push_back(region.origin[k] + (upper ? region.upper[k] : region.lower[k]));
  }
  return list;
}

// A little more than x, x >= 0.
double above(double x) { return x * (1 + 0x1p-50) + 0x1p-1000; }

class IntervalCurvature : public RayCurvature {
 public:
  IntervalCurvature(const LandscapeProblem& problem, const TrapRegion& region,
                    const std::vector<Rational>& centre, std::size_t k, const FlatBasis& flat)
      : problem_(problem),
        inputs_(std::make_shared<const KernelInputs<DoubleBall>>(problem.instance)),
        weights_(weights_as<DoubleBall>(problem.instance.weights)),
        flat_(flat),
        centre_(centre),
        lower_(ends(region, centre, false)),
        upper_(ends(region, centre, true)) {
    const bool separate = is_separate(problem);
    const auto count = static_cast<long>(k);
    for (long i = 1; i <= count; ++i) {
      const Rational from(i - 1, count), to(i, count);
      CurvatureRange r{};
      if (separate) {
        const CurvatureRange left = over_cells(lower_, from, to),
                             right = over_cells(upper_, from, to);
        r = {std::min(left.least, right.least), std::max(left.most, right.most)};
        if (i > 1)
          r = {std::min(r.least, ranges_.back().least), std::max(r.most, ranges_.back().most)};
      } else {
        r = over_copy(to);
      }
      ranges_.push_back(r);
      if (!std::isfinite(r.least)) break;
    }
    finite_ = std::isfinite(ranges_.back().least) && std::isfinite(ranges_.back().most);
  }

  double mean() const override {
    const auto k = static_cast<long>(ranges_.size());
    Ball sum;
    for (long i = 1; finite_ && i <= k; ++i) {
      const Rational from(k - i + 1, k), to(k - i, k);
      sum += Ball(at(i).least) * Ball(from * from - to * to);
    }
    return finite_ ? DoubleBall(sum).lower() : -infinity;
  }

  double plain_mean() const override {
    const auto k = static_cast<long>(ranges_.size());
    Ball sum;
    for (long i = 1; finite_ && i <= k; ++i) sum += Ball(at(i).least) / Ball(k);
    return finite_ ? DoubleBall(sum).lower() : -infinity;
  }

  CurvatureRange whole() const override {
    return finite_ ? ranges_.back() : CurvatureRange{-infinity, infinity};
  }
  double least_within(double s) const override { return finite_ ? holding(s).least : -infinity; }
  double most_mean_within(double s) const override { return finite_ ? holding(s).most : infinity; }

 private:
  const CurvatureRange& at(long i) const { return ranges_[static_cast<std::size_t>(i - 1)]; }

  // The first copy of B that holds c + s (B - c).
  const CurvatureRange& holding(double s) const {
    const auto k = static_cast<long>(ranges_.size());
    long i = 1;
    while (i < k && Rational(i, k) < Rational(s)) ++i;
    return at(i);
  }

  std::vector<Rational> place(const std::vector<Rational>& end, const Rational& s) const {
    std::vector<Rational> theta;
    for (std::size_t k = 0; k < centre_.size(); ++k)
      theta.push_back(centre_[k] + s * (end[k] - centre_[k]));
    return theta;
  }

  CurvatureRange over_copy(const Rational& s) const {
    const std::vector<Rational> a = place(lower_, s), b = place(upper_, s);
    std::vector<DoubleBall> theta;
    for (std::size_t k = 0; k < a.size(); ++k)
      theta.push_back(DoubleBall::between(DoubleBall(a[k]).lower(), DoubleBall(b[k]).upper()));
    const KernelModel<DoubleBall> model(inputs_, problem_.kernel,
                                        with_flat(weights_, problem_.trained, theta));
    return curvature_range(model.hessian(problem_.trained), flat_);
  }

  // Every coordinate from part s to part t of the way from the centre to this end. The Hessian is
  // diagonal, each entry a function of its own coordinate.
  CurvatureRange over_cells(const std::vector<Rational>& end, const Rational& s,
                            const Rational& t) const {
    std::vector<Rational> half;
    const Rational part = (t - s) / Rational(2);
    for (std::size_t k = 0; k < centre_.size(); ++k)
      half.push_back(abs(part * (end[k] - centre_[k])));
    const std::vector<Rational> middle = place(end, (s + t) / Rational(2));
    return diagonal_curvature(problem_, middle, half);
  }

  const LandscapeProblem& problem_;
  std::shared_ptr<const KernelInputs<DoubleBall>> inputs_;
  KernelWeights<DoubleBall> weights_;
  FlatBasis flat_;
  std::vector<Rational> centre_, lower_, upper_;
  std::vector<CurvatureRange> ranges_;
  bool finite_ = false;
};

FormDomain domain_of(const TrapRegion& region, const std::vector<Rational>& centre) {
  if (region.ball_radius) return FormDomain::ball(centre.size(), *region.ball_radius);
  const auto lower = ends(region, centre, false), upper = ends(region, centre, true);
  std::vector<Rational> half;
  for (std::size_t k = 0; k < centre.size(); ++k)
    half.push_back(std::max(centre[k] - lower[k], upper[k] - centre[k]));
  return FormDomain::box(half);
}

class SeriesCurvature : public RayCurvature {
 public:
  SeriesCurvature(const LandscapeProblem& problem, const TrapRegion& region,
                  const std::vector<Rational>& centre, const FlatBasis& flat)
      : series_(problem, centre, domain_of(region, centre)), flat_(flat) {}

  double mean() const override { return series_.least(above(1.0 / 3), above(1.0 / 6), flat_); }
  double plain_mean() const override { return series_.least(0.5, above(1.0 / 3), flat_); }
  CurvatureRange whole() const override { return {series_.least(1, 1, flat_), series_.most(1, 1)}; }
  double least_within(double s) const override { return series_.least(s, above(s * s), flat_); }
  double most_mean_within(double s) const override {
    return series_.most(above(s / 3), above(s * s / 6));
  }

 private:
  HessianSeries series_;
  FlatBasis flat_;
};

}  // namespace

std::unique_ptr<RayCurvature> interval_curvature(const LandscapeProblem& problem,
                                                 const TrapRegion& region,
                                                 const std::vector<Rational>& centre, std::size_t k,
                                                 const FlatBasis& flat) {
  return std::make_unique<IntervalCurvature>(problem, region, centre, k, flat);
}

std::unique_ptr<RayCurvature> series_curvature(const LandscapeProblem& problem,
                                               const TrapRegion& region,
                                               const std::vector<Rational>& centre,
                                               const FlatBasis& flat) {
  return std::make_unique<SeriesCurvature>(problem, region, centre, flat);
}

bool is_separate(const LandscapeProblem& problem) {
  for (const TrapGroup& group : trap_groups(problem, false))
    if (group.coordinates.size() != 1) return false;
  return true;
}

std::size_t growing_cells(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                          const Rational& step, std::size_t most) {
  const std::vector<Rational> half(centre.size(), step / Rational(2));
  double slope = 0, least = infinity;
  for (std::size_t i = 0; i < most; ++i) {
    for (const int side : {1, -1}) {
      std::vector<Rational> middle = centre;
      for (Rational& x : middle) x += step * Rational(side * (2 * static_cast<long>(i) + 1), 2);
      least = std::min(least, diagonal_curvature(problem, middle, half).least);
    }
    slope += least;
    if (!(slope > 0)) return i;
  }
  return most;
}

CurvatureBounds curvature_bounds(const LandscapeProblem& problem,
                                 const std::vector<Rational>& centre, const Rational& inner,
                                 const RayCurvature& curvature) {
  CurvatureBounds b;
  const KernelModel<Ball> model = LandscapeModel(problem).at(centre);
  b.centre_loss = model.loss();
  const std::vector<Ball> g = flatten(model.gradient(problem.trained), problem.trained);
  b.slope = sqrt_nonnegative(squared_norm(g)).upper();
  const double m = curvature.mean();
  if (!(m > 0 && m < infinity) || !b.centre_loss.is_finite()) return b;
  const Ball delta(inner), mean(m);
  b.applies = certainly(less(b.slope, delta * mean));
  if (!b.applies) return b;
  b.region = (b.centre_loss - square(b.slope) / (Ball(2) * mean)).lower();
  b.boundary = (b.centre_loss - b.slope * delta + mean * square(delta) / Ball(2)).lower();
  const double a = curvature.plain_mean();
  if (!(a > 0 && a < infinity)) return b;
  // Stationary points lie within slope / a of the centre.
  const double s = DoubleBall(b.slope / (Ball(a) * delta)).upper();
  b.one_minimum = s < 1 && curvature.least_within(std::max(s, 0x1p-500)) > 0;
  return b;
}

}  // namespace heed::detail
