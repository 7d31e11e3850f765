// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/search.hpp"

#include <algorithm>
#include <cmath>

#include "heed/data/detail/random.hpp"
#include "heed/landscape/detail/double_descent.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/non_global.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::approx {
namespace {

// Of starts, two at a time: small basins lie near the origin, plateaus far from it.
constexpr double spreads[] = {1, 0.5, 2};
constexpr double no_loss = 1e-20;  // of a witness: lower ones are not looked for

// Operations of one Newton step: the Hessian by products, and its eigenvectors.
double work_of_step(const LandscapeProblem& problem) {
  const KernelInstance& in = problem.instance;
  const double P = static_cast<double>(problem.parameters()),
               tokens = static_cast<double>(in.samples() * in.heads() * in.tokens()),
               width = static_cast<double>(in.tokens() + in.dim()) *
                       static_cast<double>(in.key_dim() + in.value_dim());
  return 20 * P * P * P + 20 * P * tokens * width;
}

// Newton steps of one start: no more than the work that is left pays for, but some.
int affordable(int iterations, double left, double step_work) {
  constexpr double least = 20;
  return static_cast<int>(std::min<double>(iterations, std::max(least, left / step_work)));
}

std::vector<double> random_point(detail::Random& random, std::size_t size, double spread) {
  std::vector<double> point(size);
  for (double& x : point) x = random.normal(spread);
  return point;
}

// What all points of an orbit share: attention, products W_V W_O as outputs before the read-out.
std::vector<double> invariants_of(const KernelModel<double>& model) {
  std::vector<double> all;
  for (std::size_t i = 0; i < model.inputs().samples(); ++i) {
    for (std::size_t h = 0; h < model.heads(); ++h)
      all.insert(all.end(), model.attention(i, h).entries().begin(),
                 model.attention(i, h).entries().end());
    all.insert(all.end(), model.outputs(i).entries().begin(), model.outputs(i).entries().end());
  }
  return all;
}

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::fabs(a[k] - b[k]) <= 1e-6 * (1 + std::fabs(a[k])))) return false;
  return true;
}

}  // namespace

std::vector<Candidate> find_candidates(const LandscapeProblem& problem,
                                       const SearchOptions& options, SearchStatistics& statistics) {
  const DoubleLandscape landscape(problem);
  detail::Random random(options.seed, detail::Stream::weights);
  std::vector<Candidate> found;
  const double step_work = work_of_step(problem);
  // Where few starts can be made they go to minima, and to zeros of the loss first.
  const bool few = step_work * options.iterations > options.work / 8;
  double work = 0;
  for (int k = 0; k <= options.starts && work <= options.work; ++k) {
    std::vector<double> start;
    if (k == 0)
      for (const Rational& q : problem.start()) start.push_back(q.nearest_double());
    else
      start = random_point(random, landscape.size(),
                           options.spread * spreads[static_cast<std::size_t>(k / 2) % 3]);
    ++statistics.starts;
    const int steps = affordable(options.iterations, options.work - work, step_work);
    const NewtonAim aim = few          ? NewtonAim::zero
                          : k % 2 == 0 ? NewtonAim::any_index
                                       : NewtonAim::minimum;
    const NewtonEnd end = damped_newton(landscape, start, aim, steps);
    work += step_work * end.iterations;
    if (!end.converged) {
      ++statistics.diverged;
      continue;
    }
    ++statistics.converged;
    const KernelModel<double> model = landscape.at(end.point);
    if (model.underflow()) {
      ++statistics.underflow;
      continue;
    }
    Candidate candidate{end.point, end.loss, end.gradient_norm, invariants_of(model), 1};
    const auto same = std::find_if(found.begin(), found.end(), [&](const Candidate& c) {
      return close(c.invariants, candidate.invariants);
    });
    if (same != found.end())
      ++same->hits;
    else
      found.push_back(std::move(candidate));
  }
  statistics.distinct = found.size();
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.loss < b.loss; });
  if (found.size() > options.most) found.resize(options.most);
  return found;
}

std::optional<std::vector<Rational>> refine(const LandscapeProblem& problem,
                                            std::vector<Rational> centre,
                                            const std::vector<std::size_t>& frozen, int digits) {
  constexpr int steps = 60;
  constexpr long largest_step = 40;  // exponent; a candidate was close to start with
  const std::vector<std::size_t> free = PointBox{centre, Rational(0), frozen}.free_indices();
  if (free.empty()) return std::nullopt;
  const int bits = static_cast<int>(std::ceil(digits * 3.33)) + 96;
  const PrecisionScope precision(bits);
  const LandscapeModel landscape(problem);
  const Ball aim = power_of_ten(-(digits + 3));
  for (int k = 0; k < steps; ++k) {
    const KernelModel<Ball> model = landscape.at(centre);
    const auto mid = [](const Ball& x) { return x.midpoint(); };
    const Matrix<Ball> H = map(free_hessian(model, problem.trained, free), mid);
    std::vector<Ball> g = free_gradient(model, problem.trained, free);
    for (Ball& x : g) x = x.midpoint();
    if (!detail::is_finite(H) || !detail::is_finite(g)) return std::nullopt;
    const Ldlt<Ball> factors(H);
    if (factors.zero() != 0) return std::nullopt;
    const std::vector<Ball> step = factors.solve(g);
    bool tiny = true;
    for (std::size_t j = 0; j < free.size(); ++j) {
      const auto by = detail::approx_midpoint(step[j]);
      if (!by || approx::exponent(step[j]) > largest_step) return std::nullopt;
      centre[free[j]] = detail::round_binary(centre[free[j]] - *by, bits);
      tiny = tiny && approx::less(abs(step[j]), aim);
    }
    if (!tiny) continue;
    for (const std::size_t j : free) centre[j] = detail::round_decimal(centre[j], digits);
    return centre;
  }
  return std::nullopt;
}

std::vector<Rational> low_point(const LandscapeProblem& problem, std::uint64_t seed, int starts,
                                const std::vector<Candidate>& candidates, int bits) {
  constexpr int iterations = 300;
  const DoubleLandscape landscape(problem);
  detail::Random random(seed, detail::Stream::rotation);
  std::vector<double> best;
  for (const Rational& q : problem.start()) best.push_back(q.nearest_double());
  double least = landscape.loss(best), work = 0;
  for (const Candidate& c : candidates)
    if (c.loss < least) {
      least = c.loss;
      best = c.point;
    }
  const double most = SearchOptions{}.work, step_work = work_of_step(problem);
  for (int k = 0; k < starts && least > no_loss && work <= most; ++k) {
    const NewtonEnd end =
        damped_newton(landscape, random_point(random, landscape.size(), k % 3 == 0 ? 0.5 : 2),
                      NewtonAim::zero, affordable(iterations, most - work, step_work));
    work += step_work * end.iterations;
    if (end.loss < least) {
      least = end.loss;
      best = end.point;
    }
  }
  std::vector<Rational> rounded;
  for (const double x : best) rounded.push_back(detail::round_binary(Rational(x), bits));
  return rounded;
}

}  // namespace heed::approx
