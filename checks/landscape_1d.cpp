// SPDX-License-Identifier: Apache-2.0
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/token_problems.hpp"
#include "heed/landscape/complete_1d.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::checks {
namespace {

std::string at(const TokenProblem& p) { return std::string(kernel_word(p.kernel)) + ": "; }

int sign_of(const Ball& x) {
  if (certainly(positive(x))) return 1;
  return certainly(negative(x)) ? -1 : 0;
}

// The sign of g' that the kind of a listed point promises on its left and right.
int sign_left(CriticalKind kind, int right) {
  return kind == CriticalKind::inflection ? right : -right;
}

// Signs of g' at `count` places of the gap between two points agree; 0 if none is decided.
int constant_sign(const TokenProblem& p, const Ball& a, const Ball& b, int count, Tally& tally) {
  int seen = 0;
  for (int k = 0; k < count; ++k) {
    Ball q = a + (b - a) * Ball(Rational(2 * k + 1, 2 * count));
    approx::collapse(q);
    const int sign = sign_of(textbook_loss_slope(p, q));
    if (sign == 0) continue;
    require(seen == 0 || sign == seen, at(p) + "a critical point is missing near " + text(q));
    seen = sign;
    ++tally["points between"];
  }
  return seen;
}

// Beyond the last critical point, at distances 2^-20 .. 2^6.
int constant_sign_beyond(const TokenProblem& p, const Ball& end, int direction, Tally& tally) {
  int seen = 0;
  for (int k = -20; k <= 6; ++k) {
    Ball q = end + ldexp(Ball(direction), k);
    approx::collapse(q);
    const int sign = sign_of(textbook_loss_slope(p, q));
    if (sign == 0) continue;
    require(seen == 0 || sign == seen, at(p) + "a critical point is missing beyond " + text(end));
    seen = sign;
    ++tally["points beyond"];
  }
  return seen;
}

void check_point(const TokenProblem& p, const CriticalPoint& c, const Ball& infimum) {
  require(c.q.is_finite(), at(p) + "q is not finite");
  const Ball q = c.q.midpoint();
  // The point lies within the radius of q, so its values within the range of these.
  const TextbookToken value = textbook_token(p, c.q);
  require_overlap(at(p) + "phi at " + text(q), c.phi, value.phi);
  require_overlap(at(p) + "g at " + text(q), c.loss, ldexp(square(value.residual), -1));
  require_overlap(at(p) + "phi''", c.curvature, value.second);
  const Ball& vanishes = c.kind == CriticalKind::global_minimum ? value.residual : value.first;
  require(vanishes.contains_zero(), at(p) + "no zero at " + text(q));
  require(!certainly(less(c.loss, infimum)), at(p) + "a loss below the infimum");
  if (certainly(c.global)) require_overlap(at(p) + "global loss", c.loss, infimum);
  require_narrow(at(p) + "q", c.q, 15);
}

void check_landscape(const TokenProblem& p, const Landscape1d& r, Tally& tally) {
  ++tally[at(p) + to_string(r.status)];
  const PrecisionScope scope(512);
  if (r.status == LandscapeStatus::constant) {
    for (const int q : {-3, 0, 1, 40})
      require(textbook_token(p, Ball(q)).first.contains_zero(), at(p) + "phi is not constant");
    return;
  }
  require(r.status != LandscapeStatus::undecided, at(p) + "undecided: " + r.reason);
  for (const CriticalPoint& c : r.points) check_point(p, c, r.infimum);
  if (!r.lists_all()) return;
  tally[at(p) + "critical points"] += static_cast<long>(r.points.size());
  if (r.points.empty()) {
    const int left = constant_sign_beyond(p, Ball(0), -1, tally);
    const int right = constant_sign_beyond(p, Ball(0), 1, tally);
    require(left * right >= 0, at(p) + "a critical point is missing");
    return;
  }
  int before = constant_sign_beyond(p, r.points.front().q.lower(), -1, tally);
  for (std::size_t k = 0; k < r.points.size(); ++k) {
    const bool last = k + 1 == r.points.size();
    const Ball end = r.points[k].q.upper();
    const int after = last ? constant_sign_beyond(p, end, 1, tally)
                           : constant_sign(p, end, r.points[k + 1].q.lower(), 24, tally);
    const CriticalKind kind = r.points[k].kind;
    require(before * after == 0 || before == sign_left(kind, after),
            at(p) + "a critical point is missing beside " + text(end));
    if (r.points[k].is_minimum())
      require(after >= 0 && before <= 0, at(p) + "no minimum at " + text(end));
    if (kind == CriticalKind::maximum)
      require(after <= 0 && before >= 0, at(p) + "no maximum at " + text(end));
    before = after;
  }
}

void zeros(const MhaInstance& m, Tally& tally) {
  for (const AttentionKernel kernel : attention_kernels) {
    const TokenProblem p = token_problem_of(m, kernel);
    const Landscape1d r = complete_1d(p);
    check_landscape(p, r, tally);
    if (r.attained == Ternary::certainly_false) ++tally[at(p) + "not attained"];
    if (certainly_not(r.globally_benign())) ++tally[at(p) + "bad minimum"];
  }
}

// Scan in double on a grid that knows nothing of the result: every change of sign that rounding
// does not explain has its critical point.
void scan(const MhaInstance& m, Tally& tally) {
  constexpr int steps = 2000;
  for (const AttentionKernel kernel : attention_kernels) {
    const TokenProblem p = token_problem_of(m, kernel);
    const Landscape1d r = complete_1d(p);
    if (!r.lists_all()) continue;
    const ScannedToken token(p);
    double last_q = 0, last = 0;
    for (int k = 0; k <= steps; ++k) {
      const double q = -12 + 24 * (k + 0.37) / steps;
      const double slope = token.loss_slope(q);
      if (std::abs(slope) < 1e-9) continue;
      if (last * slope < 0) {
        bool found = false;
        for (const CriticalPoint& c : r.points) {
          const double at = approx::to_double(c.q);
          found = found || (at >= last_q && at <= q);
        }
        require(found, at(p) + "no critical point in " + std::to_string(last_q) + " .. " +
                           std::to_string(q));
        ++tally["changes of sign in double"];
      }
      last_q = q;
      last = slope;
    }
    const double infimum = approx::to_double(r.infimum);
    for (int k = 0; k <= steps; k += 20)
      require(token.loss(-12 + 24 * (k + 0.37) / steps) >= infimum - 1e-9 * (1 + infimum),
              at(p) + "a loss below the infimum");
  }
}

void three_keys(const MhaInstance& m, Tally& tally) {
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian_normalised}) {
    const TokenProblem p = token_problem_of(with_few_keys(m, 3), kernel);
    const Landscape1d r = complete_1d(p);
    for (const CriticalPoint& c : r.points) {
      const bool above = c.kind == CriticalKind::local_minimum;
      if (!above) continue;
      ++tally["minima with phi != y"];
      require(!certainly_not(c.global), at(p) + "a bad minimum at " + text(c.q));
    }
    if (r.status == LandscapeStatus::complete) ++tally["complete"];
  }
}

void routes(const MhaInstance& m, Tally& tally) {
  const TokenProblem p = token_problem_of(m, AttentionKernel::softmax);
  Landscape1dOptions options;
  options.route = LandscapeRoute::interval;
  const Landscape1d interval = complete_1d(p, options);
  if (interval.status == LandscapeStatus::constant) return;
  Landscape1dOptions sturm;
  sturm.sturm_degree = 90;
  const Landscape1d exact = complete_1d(p, sturm);
  if (exact.route != LandscapeRoute::sturm) {
    ++tally["degree too large"];
    return;
  }
  require(interval.status == exact.status, "status of the two routes");
  require(exact.lists_all(), "the exact route leaves a place");
  ++tally[to_string(exact.status)];
  require_overlap("infimum", exact.infimum, interval.infimum);
  if (!interval.lists_all()) {
    for (const Ball& place : interval.places) {
      bool near = false;
      for (const CriticalPoint& c : exact.points)
        near = near || (c.multiplicity > 1 && c.q.overlaps(place));
      require(near, "a place without a multiple zero at " + text(place));
    }
    return;
  }
  require(interval.points.size() == exact.points.size(), "number of critical points");
  for (std::size_t k = 0; k < exact.points.size(); ++k) {
    const CriticalPoint &a = exact.points[k], &b = interval.points[k];
    require(a.kind == b.kind && a.global == b.global, "kind of the two routes");
    require_overlap("q", a.q, b.q);
    require_overlap("phi", a.phi, b.phi);
    require_overlap("g", a.loss, b.loss);
    require_overlap("phi''", a.curvature, b.curvature);
  }
}

// q -> -q with the keys; a shift of the keys shifts q (Gaussian) or changes nothing (softmax).
void symmetries(const MhaInstance& m, Tally& tally) {
  for (const AttentionKernel kernel : attention_kernels) {
    const TokenProblem p = token_problem_of(m, kernel);
    const Rational shift = kernel == AttentionKernel::softmax ? Rational() : Rational(5, 8);
    TokenProblem moved = p;
    for (Rational& key : moved.keys)
      key = (kernel == AttentionKernel::softmax ? Rational(3, 4) : shift) - key;
    const Landscape1d a = complete_1d(p), b = complete_1d(moved);
    if (!a.lists_all() || !b.lists_all()) continue;
    require(a.points.size() == b.points.size(), at(p) + "number of critical points");
    for (std::size_t k = 0; k < a.points.size(); ++k) {
      const CriticalPoint &x = a.points[k], &y = b.points[a.points.size() - 1 - k];
      require(x.kind == y.kind, at(p) + "kind");
      require_overlap(at(p) + "q", Ball(shift) - x.q, y.q);
      require_overlap(at(p) + "g", x.loss, y.loss);
      ++tally["points"];
    }
    require_overlap(at(p) + "infimum", a.infimum, b.infimum);
  }
}

}  // namespace

std::vector<Property> landscape_1d_properties() {
  return {{"landscape_1d.zeros",
           "every critical point is a zero of g', g' keeps its sign between and beyond them",
           draw_token_problem,
           100,
           zeros,
           {}},
          {"landscape_1d.scan",
           "a scan in double finds no critical point that is not listed",
           draw_token_problem,
           200,
           scan,
           {}},
          {"landscape_1d.three_keys",
           "normalised kernels with at most three keys have no bad minimum",
           draw_token_problem,
           500,
           three_keys,
           {}},
          {"landscape_1d.routes",
           "Sturm's sequences and intervals find the same points",
           draw_token_problem,
           300,
           routes,
           {}},
          {"landscape_1d.symmetries",
           "reflected and shifted keys",
           draw_token_problem,
           200,
           symmetries,
           {}}};
}

}  // namespace heed::checks
