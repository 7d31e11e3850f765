// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checks/support/certified.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/landscape/analyse.hpp"
#include "heed/landscape/trap.hpp"
#include "heed/landscape/trap_ball.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::checks {
namespace {

constexpr int high_bits = 768;

std::string at(const LandscapeProblem& p, const PointReport& r) {
  return p.trained.to_string() + ", " + to_string(r.kind) + ": ";
}

bool is_minimum(PointKind kind) {
  return kind == PointKind::strict_minimum || kind == PointKind::minimum_modulo_gauge ||
         kind == PointKind::minimum_in_slice;
}

// The point itself, by Newton iterations at a high precision; it must lie in the box.
std::vector<Rational> exact_point(const LandscapeProblem& p, const PointReport& r) {
  if (r.box.radius.sign() == 0) return r.box.centre;
  const auto point = approx::refine(p, r.box.centre, r.box.frozen, 150);
  require(point.has_value(), at(p, r) + "Newton iterations do not converge");
  for (std::size_t k = 0; k < point->size(); ++k)
    require(abs((*point)[k] - r.box.centre[k]) <= r.box.radius,
            at(p, r) + "they leave the certified box");
  return *point;
}

// |r| = |r - 0| <= (|J| + L_J R) t* along the segment to the zero; and the zero is close.
void check_zero(const LandscapeProblem& p, const PointReport& r) {
  const PrecisionScope scope(high_bits);
  const KernelModel<Ball> model = LandscapeModel(p).at(r.box.centre);
  std::vector<Ball> residual;
  for (std::size_t i = 0; i < p.instance.samples(); ++i)
    for (const Ball& x : model.residuals(i).entries()) residual.push_back(x);
  const Ball J = sqrt_nonnegative(lambda_max(model.jacobian_gram(p.trained))),
             most = (J + r.zero_loss->L_J * r.zero_loss->R) * r.zero_loss->radius;
  require(!certainly(less(most, sqrt_nonnegative(squared_norm(residual)))),
          at(p, r) + "no zero is that close");
  require(certainly(less(r.zero_loss->radius, Ball(0.01))), at(p, r) + "a distant zero");
}

// All values with the spectrum of the Hessian by all trained coordinates.
void check_point(const LandscapeProblem& p, const PointReport& r, Tally& tally) {
  const PrecisionScope scope(high_bits);
  const std::vector<Rational> point = exact_point(p, r);
  const KernelModel<Ball> model = LandscapeModel(p).at(point);
  require(model.loss().overlaps(r.loss), at(p, r) + "loss");
  const Ball tiny = power_of_ten(-110);
  for (const Ball& g : flatten(model.gradient(p.trained), p.trained))
    require(certainly(less(abs(g), tiny)), at(p, r) + "the gradient is " + text(g));
  const std::vector<Ball> whole = symmetric_eigenvalues(model.hessian(p.trained));
  const std::vector<Ball> free =
      symmetric_eigenvalues(free_hessian(model, p.trained, r.box.free_indices()));
  const Ball noise = power_of_ten(-60);
  const auto negative_count = [&](const std::vector<Ball>& values) {
    return static_cast<std::size_t>(std::count_if(
        values.begin(), values.end(), [&](const Ball& x) { return certainly(less(x, -noise)); }));
  };
  if (is_minimum(r.kind))
    require(certainly(positive(free.front())), at(p, r) + "least eigenvalue " + text(free.front()));
  if (r.kind == PointKind::strict_minimum || r.kind == PointKind::minimum_modulo_gauge) {
    require(certainly(less(-noise, whole.front())),
            at(p, r) + "least eigenvalue of all " + text(whole.front()));
    // Not lower around it.
    for (int side : {-1, 1}) {
      std::vector<Rational> moved = point;
      for (std::size_t k = 0; k < moved.size(); ++k)
        moved[k] +=
            Rational(side * (static_cast<int>(k * k) % 7 - 3)) * Rational::power_of_two(-40);
      require(!certainly(less(LandscapeModel(p).at(moved).loss(), model.loss())),
              at(p, r) + "a lower point nearby");
    }
  }
  if (r.kind == PointKind::saddle || r.kind == PointKind::not_minimum)
    require(negative_count(free) > 0, at(p, r) + "no negative eigenvalue");
  if (r.curvature.index.verdict.kind == VerdictKind::proved) {
    require(negative_count(free) == r.curvature.index.index, at(p, r) + "index");
    if (!r.curvature.minimum.gauged || r.curvature.minimum.of_all)
      require(negative_count(whole) == r.curvature.index.index, at(p, r) + "index of all");
  }
  if (r.curvature.minimum.least.is_finite() && r.kind != PointKind::unknown)
    require(r.curvature.minimum.least.overlaps(free.front()), at(p, r) + "enclosed eigenvalue");
  if (r.non_global && r.non_global->verdict.kind == VerdictKind::proved) {
    require(certainly(less(LandscapeModel(p).at(flatten(r.non_global->witness, p.trained)).loss(),
                           model.loss())),
            at(p, r) + "the witness is not lower");
    ++tally["non-global"];
  }
}

// Boxes whose only zero lies outside are not certified.
void check_shifted(const LandscapeProblem& p, const PointReport& r) {
  PointBox shifted = r.box;
  const std::size_t k = shifted.free_indices().back();
  shifted.centre[k] += shifted.radius * Rational(21, 10);
  require(certify_stationary(p, shifted).verdict.kind != VerdictKind::proved,
          at(p, r) + "certified next to its place");
}

void points(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) {
    ++tally["numbers of extreme size"];
    return;
  }
  LandscapeOptions options;
  options.search.starts = 5;
  options.search.iterations = 40;
  options.search.most = 3;
  options.max_bits = 256;
  for (const LandscapeProblem& p : landscape_problems(k, 8)) {
    for (const PointReport& r : analyse(p, options).points) {
      ++tally[to_string(r.kind)];
      if (r.kind == PointKind::unknown) continue;
      if (r.kind == PointKind::near_zero_loss) {
        check_zero(p, r);
        continue;
      }
      check_point(p, r, tally);
      if (r.box.radius.sign() > 0) check_shifted(p, r);
      if (r.exact) ++tally["exact"];
      if (!r.box.frozen.empty()) ++tally["gauged"];
    }
  }
}

void flat(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const PrecisionScope scope(320);
  for (const LandscapeProblem& p : landscape_problems(k, 40)) {
    const PointBox point{p.start(), Rational(0), {}};
    const KernelModel<Ball> model = LandscapeModel(p).at(point.centre);
    const std::vector<Ball> g = flatten(model.gradient(p.trained), p.trained);
    const Ball loss = model.loss();
    const auto frozen = approx_gauge(p, point.centre);
    for (const auto& list : {std::vector<std::size_t>{}, frozen})
      for (const FlatFamily& f : flat_families(p, {point.centre, Rational(0), list}))
        for (const auto& t : f.directions) {
          const Ball along = dot(g, t);
          require(along.contains_zero(),
                  p.trained.to_string() + ", " + f.name + ": " + text(along));
          ++tally["directions"];
        }
    for (const auto& z : fixed_flat_space(p)) {
      std::vector<Rational> moved = point.centre;
      for (std::size_t j = 0; j < moved.size(); ++j) moved[j] += Rational(2, 3) * z[j];
      require_overlap("f along a fixed direction", LandscapeModel(p).at(moved).loss(), loss);
      ++tally["fixed directions"];
    }
  }
}

// Bounds of f and of its Hessian at points of the region and of its faces.
void check_bounds(const LandscapeProblem& p, const std::vector<Rational>& origin,
                  const TrapRegion& region, const TrapResult& trap) {
  const PrecisionScope scope(192);
  const LandscapeModel landscape(p);
  const std::size_t n = origin.size();
  for (int k = 0; k <= 8; ++k)
    for (std::size_t face = 0; face <= 2 * n; ++face) {
      std::vector<Rational> point = origin;
      for (std::size_t j = 0; j < n; ++j) {
        const int part = face == 2 * j       ? 0
                         : face == 2 * j + 1 ? 8
                                             : (k * (2 * static_cast<int>(j) + 1)) % 9;
        point[j] += region.lower[j] + (region.upper[j] - region.lower[j]) * Rational(part, 8);
      }
      const KernelModel<Ball> model = landscape.at(point);
      const Ball& bound = face < 2 * n ? trap.boundary_loss : trap.region_loss;
      require(!certainly(less(model.loss(), bound)), "f below its bound, " + text(model.loss()));
      require(!certainly(less(trap.curvature, extremes(model.hessian(p.trained)).norm())),
              "the Hessian exceeds its bound");
    }
}

// Small boxes around minima: every step of gradient descent stays inside, at the bounds proved.
void traps(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  LandscapeOptions options;
  options.search.starts = 6;
  options.search.most = 2;
  options.max_bits = 128;
  TrapOptions cover;
  cover.cells = 1000;
  for (const LandscapeProblem& p : landscape_problems(k, 3)) {
    for (const PointReport& r : analyse(p, options).points) {
      if (r.kind != PointKind::strict_minimum) continue;
      const std::size_t n = p.parameters();
      const TrapRegion region{r.box.centre,
                              {},
                              std::vector<Rational>(n, Rational(-1, 16)),
                              std::vector<Rational>(n, Rational(1, 8)),
                              {}};
      std::vector<Rational> start = r.box.centre;
      start[0] += Rational(1, 32);
      const TrapResult trap = certify_trap(p, region, start, {}, cover);
      ++tally[std::string("trap ") + to_string(trap.verdict.kind)];
      if (trap.verdict.kind != VerdictKind::proved) continue;
      const PrecisionScope scope(192);
      const LandscapeModel landscape(p);
      check_bounds(p, r.box.centre, region, trap);
      const Ball eta = trap.step_limit * Ball(0.9375);
      std::vector<Ball> theta;
      for (const Rational& x : start) theta.emplace_back(x);
      for (int t = 0; t < 20; ++t) {
        const KernelModel<Ball> model = landscape.at(theta);
        require(certainly(less_equal(trap.region_loss, model.loss())), "loss below inf over B");
        require(certainly(less_equal(model.loss().lower(), trap.start_loss.upper())), "loss rises");
        const auto g = flatten(model.gradient(p.trained), p.trained);
        for (std::size_t j = 0; j < n; ++j) {
          theta[j] = (theta[j] - eta * g[j]).midpoint();
          const Ball z = theta[j] - Ball(r.box.centre[j]);
          require(certainly(less(Ball(-1) / 16, z)) && certainly(less(z, Ball(1) / 8)),
                  "gradient descent leaves the trap");
        }
      }
    }
  }
}

// Directions of length 1, up to rounding inward: axes, diagonals and others.
std::vector<std::vector<Ball>> directions(std::size_t n) {
  std::vector<std::vector<Ball>> list;
  std::uint64_t state = 7;
  for (std::size_t k = 0; k < n + 12; ++k) {
    std::vector<Ball> u(n);
    for (std::size_t j = 0; j < n; ++j) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto part = static_cast<int>((state >> 40) % 41) - 20;
      u[j] = k < n ? Ball(j == k ? 1 : 0) : Ball(k < n + 4 ? (part % 2 == 0 ? 1 : -1) : part);
    }
    const Ball size = sqrt_nonnegative(squared_norm(u));
    if (!certainly(positive(size))) continue;
    for (Ball& x : u) x = (x / size).midpoint() * Ball(Rational(1000000, 1000001));
    list.push_back(std::move(u));
  }
  return list;
}

std::vector<Ball> moved(const std::vector<Rational>& centre, const std::vector<Ball>& u,
                        const Ball& length) {
  std::vector<Ball> theta;
  for (std::size_t k = 0; k < centre.size(); ++k)
    theta.push_back((Ball(centre[k]) + u[k] * length).midpoint());
  return theta;
}

// The widest ball around each minimum: its bounds hold at points of it, and every descent from its
// starts stays inside, with steps up to the limit.
void balls(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  LandscapeOptions options;
  options.search.starts = 5;
  options.search.most = 2;
  options.max_bits = 128;
  options.traps = false;
  for (const LandscapeProblem& p : landscape_problems(k, 30)) {
    for (const PointReport& r : analyse(p, options).points) {
      if (r.kind != PointKind::strict_minimum) continue;
      const TrapBall trap = widest_trap(p, r.box);
      ++tally[std::string("ball ") + to_string(trap.verdict.kind)];
      if (trap.verdict.kind != VerdictKind::proved) continue;
      if (p.parameters() >= 10) ++tally["of 10 coordinates or more"];
      const PrecisionScope scope(256);
      const LandscapeModel landscape(p);
      const Ball radius(trap.radius), rho(trap.start_radius), inside = radius * radius;
      std::size_t number = 0;
      for (const std::vector<Ball>& u : directions(p.parameters())) {
        const std::string where = at(p, r) + "direction " + std::to_string(number);
        for (const int part : {1, 7, 8}) {
          const KernelModel<Ball> model =
              landscape.at(moved(trap.centre, u, radius * Ball(part) / Ball(8)));
          require(!certainly(less(model.loss(), trap.region_loss)),
                  where + ": below the bound of the ball");
          // A millionth inside of the boundary.
          const Ball rise = model.loss() - trap.region_loss,
                     needed = (trap.boundary_loss - trap.region_loss) * Ball(0.99999);
          require(part != 8 || !certainly(less(rise, needed)),
                  where + ": below the bound of the boundary");
          if (number % 8 == 0) {
            const Extremes<Ball> ends = extremes(model.hessian(p.trained));
            require(!certainly(less(trap.curvature, ends.norm())), where + ": |Hessian|");
            require(!certainly(less(ends.least, trap.least_curvature)),
                    where + ": least curvature");
          }
        }
        std::vector<Ball> theta = moved(trap.centre, u, rho);
        const Ball eta = trap.step_limit * Ball(1 + static_cast<int>(number * 5 % 16)) / Ball(17);
        Ball before = trap.start_loss;
        for (int t = 0; t < 8; ++t) {
          const KernelModel<Ball> model = landscape.at(theta);
          require(!certainly(less(before, model.loss())), where + ": the loss rises");
          before = model.loss();
          const auto g = flatten(model.gradient(p.trained), p.trained);
          Ball distance;
          for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = (theta[j] - eta * g[j]).midpoint();
            distance += square(theta[j] - Ball(trap.centre[j]));
          }
          require(certainly(less(distance, inside)), where + ": descent leaves the ball");
        }
        ++number;
      }
      if (trap.one_minimum) ++tally["balls with one stationary point"];
    }
  }
}

// Few parameters: generic instances have isolated stationary points then.
DrawnKernel draw_small(Source& source, const SizeLimit&) {
  return draw_kernel_instance(source, {3, 4, 3, 2});
}

// Up to 30 coordinates, fewer than residuals: isolated minima.
DrawnKernel draw_wide(Source& source, const SizeLimit&) {
  const auto matrix = [&](std::size_t rows, std::size_t cols, int size) {
    Matrix<Rational> m(rows, cols);
    for (Rational& x : m.entries()) x = Rational(source.between(-size, size), 16);
    return m;
  };
  const std::size_t N = 3 + source.index(2), n = 3 + source.index(2), D = 2 + source.index(6),
                    d = 1 + source.index(2), p = 1 + source.index(2);
  KernelInstance k;
  for (std::size_t i = 0; i < N; ++i) {
    k.X.push_back(matrix(n, D, 24));
    k.Y.push_back(matrix(n, p, 32));
  }
  k.readout = token_readout(n);
  k.beta = {Rational(1, source.between(1, 3)), false};
  k.kernel = source.weighted<AttentionKernel>({{2, AttentionKernel::softmax},
                                               {2, AttentionKernel::gaussian},
                                               {1, AttentionKernel::gaussian_over_n},
                                               {1, AttentionKernel::gaussian_normalised}});
  k.weights = {{matrix(D, d, 16)}, {matrix(D, d, 16)}, {matrix(D, 1, 24)}, {matrix(1, p, 24)}};
  return {std::move(k), {"tokens:wide"}};
}

// Half integers, more tokens than dimensions: coupled tokens, isolated minima of W_Q and W_K.
DrawnKernel draw_coupled(Source& source, const SizeLimit&) {
  const auto matrix = [&](std::size_t rows, std::size_t cols) {
    Matrix<Rational> m(rows, cols);
    for (Rational& x : m.entries()) x = Rational(source.between(-6, 6), 2);
    return m;
  };
  const std::size_t N = 1 + source.index(2), n = 2 + source.index(3), D = 1 + source.index(2);
  KernelInstance k;
  for (std::size_t i = 0; i < N; ++i) {
    k.X.push_back(matrix(n, D));
    k.Y.push_back(matrix(n, 1));
  }
  k.readout = token_readout(n);
  k.beta = {Rational(1, source.between(1, 4)), false};
  k.kernel = source.weighted<AttentionKernel>({{2, AttentionKernel::softmax},
                                               {2, AttentionKernel::gaussian},
                                               {1, AttentionKernel::gaussian_over_n},
                                               {1, AttentionKernel::gaussian_normalised}});
  k.weights = {{matrix(D, 1)}, {matrix(D, 1)}, {matrix(D, 1)}, {matrix(1, 1)}};
  return {std::move(k), {"tokens:coupled"}};
}

}  // namespace

std::vector<Property> landscape_properties() {
  return {
      kernel_property("landscape.points",
                      "certified points are what they are said to be, and nothing next to them",
                      150, points, draw_small),
      kernel_property("landscape.coupled", "the same for coupled tokens", 100, points,
                      draw_coupled),
      kernel_property("landscape.flat", "gradients are orthogonal to flat directions", 500, flat),
      kernel_property("landscape.traps", "gradient descent stays in a trap", 40, traps,
                      draw_coupled),
      kernel_property("landscape.balls",
                      "gradient descent from every start of a ball stays around its minimum", 10,
                      balls, draw_wide),
      kernel_property("landscape.coupled_balls", "the same in few coupled coordinates", 40, balls,
                      draw_coupled)};
}

}  // namespace heed::checks
