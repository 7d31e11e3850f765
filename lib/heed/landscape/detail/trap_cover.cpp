// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/trap_cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<DoubleBall> as_double_balls(const std::vector<Rational>& v) {
  std::vector<DoubleBall> balls;
  for (const Rational& q : v) balls.emplace_back(q);
  return balls;
}

// Lower bound of g t + a t^2 / 2 over |t| <= r, for every g and a in the balls.
DoubleBall least_of_quadratic(const DoubleBall& g, const DoubleBall& a, const DoubleBall& r) {
  const DoubleBall steep(abs(g).upper()), least(a.lower());
  const bool inner = certainly(positive(least)) && !certainly(less_equal(least * r, steep));
  if (inner) return -square(steep) / (DoubleBall(2) * least);
  return least * square(r) / DoubleBall(2) - steep * r;
}

}  // namespace

// A box of region coordinates: intervals for the coordinates of the group, or a ball where a face
// holds one fixed; the others do not matter and stay in the middle.
struct TrapCover::Cell {
  std::vector<double> lo, hi;
  std::vector<std::optional<DoubleBall>> fixed;
  double bound = 0;     // proved for the cell
  double attained = 0;  // at its midpoint
  std::size_t widest = 0;
  bool met = true;
};

TrapCover::TrapCover(const LandscapeProblem& problem, const TrapRegion& region,
                     const TrapOptions& options)
    : problem_(problem),
      region_(region),
      options_(options),
      inputs_(std::make_shared<const KernelInputs<DoubleBall>>(problem.instance)),
      weights_(weights_as<DoubleBall>(problem.instance.weights)),
      origin_(as_double_balls(region.origin)),
      groups_(trap_groups(problem, region.frame.size() != 0 || region.ball_radius.has_value())) {
  if (region.frame.size() != 0) {
    frame_ = map(region.frame, [](const Rational& q) { return DoubleBall(q); });
    groups_.front().coordinates.clear();
    for (std::size_t k = 0; k < region.dimension(); ++k) groups_.front().coordinates.push_back(k);
  }
  for (std::size_t k = 0; k < region.dimension(); ++k) {
    ends_.emplace_back(DoubleBall(region.lower[k]), DoubleBall(region.upper[k]));
    middle_.emplace_back((region.lower[k] + region.upper[k]) / Rational(2));
  }
}

KernelModel<DoubleBall> TrapCover::at(const std::vector<DoubleBall>& z) const {
  std::vector<DoubleBall> theta = frame_ ? multiply(*frame_, z) : z;
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += origin_[k];
  return KernelModel<DoubleBall>(inputs_, problem_.kernel,
                                 with_flat(weights_, problem_.trained, theta));
}

DoubleBall TrapCover::group_loss(const KernelModel<DoubleBall>& model,
                                 const TrapGroup& group) const {
  DoubleBall sum;
  for (const auto& [i, row] : group.rows) {
    const Matrix<DoubleBall>& R = model.residuals(i);
    for (std::size_t c = 0; c < R.cols(); ++c) sum += square(R(row, c));
  }
  return sum / DoubleBall(2);
}

std::vector<DoubleBall> TrapCover::slope(const KernelModel<DoubleBall>& model,
                                         const TrapGroup& group) const {
  std::vector<DoubleBall> g = flatten(model.gradient(problem_.trained), problem_.trained);
  if (frame_) g = transposed_multiply(*frame_, g);
  std::vector<DoubleBall> part;
  for (const std::size_t k : group.coordinates) part.push_back(g[k]);
  return part;
}

// By the coordinates of the group: of the region if in_frame, otherwise the trained ones.
Matrix<DoubleBall> TrapCover::hessian(const KernelModel<DoubleBall>& model, const TrapGroup& group,
                                      bool in_frame) const {
  const KernelBlocks trained = problem_.trained;
  const KernelWeights<DoubleBall> zero =
      map(model.weights(), [](const DoubleBall&) { return DoubleBall(); });
  const std::size_t P = origin_.size();
  const bool framed = in_frame && frame_;
  std::vector<std::size_t> all(P);
  for (std::size_t k = 0; k < P; ++k) all[k] = k;
  const std::vector<std::size_t>& list = frame_ && !framed ? all : group.coordinates;
  Matrix<DoubleBall> H(list.size(), list.size());
  for (std::size_t c = 0; c < list.size(); ++c) {
    std::vector<DoubleBall> direction(P);
    for (std::size_t k = 0; k < P; ++k)
      direction[k] = framed ? (*frame_)(k, list[c]) : DoubleBall(k == list[c] ? 1 : 0);
    std::vector<DoubleBall> column = flatten(
        model.hessian_vector_product(with_flat(zero, trained, direction), trained), trained);
    if (framed) column = transposed_multiply(*frame_, column);
    for (std::size_t r = c; r < list.size(); ++r) H(r, c) = H(c, r) = column[list[r]];
  }
  return H;
}

TrapCover::Cell TrapCover::whole_region(const TrapGroup& group) const {
  Cell cell;
  for (const std::size_t k : group.coordinates) {
    cell.lo.push_back(ends_[k].first.lower());
    cell.hi.push_back(ends_[k].second.upper());
  }
  cell.fixed.resize(cell.lo.size());
  return cell;
}

std::vector<DoubleBall> TrapCover::middle_of(const Cell& cell) const {
  std::vector<DoubleBall> z;
  for (std::size_t k = 0; k < cell.lo.size(); ++k)
    z.push_back(cell.fixed[k] ? *cell.fixed[k]
                              : DoubleBall(cell.lo[k] + (cell.hi[k] - cell.lo[k]) / 2));
  return z;
}

std::vector<DoubleBall> TrapCover::box_of(const Cell& cell) const {
  std::vector<DoubleBall> z;
  for (std::size_t k = 0; k < cell.lo.size(); ++k)
    z.push_back(cell.fixed[k] ? *cell.fixed[k] : DoubleBall::between(cell.lo[k], cell.hi[k]));
  return z;
}

namespace {

std::vector<DoubleBall> placed(std::vector<DoubleBall> all, const std::vector<std::size_t>& where,
                               const std::vector<DoubleBall>& part) {
  for (std::size_t k = 0; k < where.size(); ++k) all[where[k]] = part[k];
  return all;
}

// Upper bound of |x - m| for x in [lo, hi].
DoubleBall half_width(double lo, double hi, const DoubleBall& m) {
  return DoubleBall(max(DoubleBall(hi) - m, m - DoubleBall(lo)).upper());
}

}  // namespace

// The outermost cells reach beyond the region by a rounding.
bool TrapCover::certainly_inside(const Cell& cell, const std::vector<DoubleBall>& m,
                                 const TrapGroup& group) const {
  for (std::size_t k = 0; k < m.size(); ++k) {
    const auto& [lower, upper] = ends_[group.coordinates[k]];
    if (!cell.fixed[k] &&
        !(certainly(less_equal(lower, m[k])) && certainly(less_equal(m[k], upper))))
      return false;
  }
  return true;
}

bool TrapCover::may_meet(const std::vector<DoubleBall>& box, Part part) const {
  if (!region_.ball_radius) return true;
  DoubleBall squared;
  for (std::size_t k = 0; k < box.size(); ++k) squared += square(box[k] - middle_[k]);
  const DoubleBall limit = square(DoubleBall(*region_.ball_radius));
  return !certainly(less(limit, squared)) &&
         !(part == Part::sphere && certainly(less(squared, limit)));
}

// f at the point of the ball, or of its sphere, that is about nearest to m: says when to stop.
double TrapCover::attained_in_ball(const std::vector<DoubleBall>& m, const TrapGroup& group,
                                   Part part) const {
  double squared = 0;
  for (std::size_t k = 0; k < m.size(); ++k) {
    const double gap = m[k].mid() - middle_[k].mid();
    squared += gap * gap;
  }
  const double factor = DoubleBall(*region_.ball_radius).mid() / std::sqrt(squared);
  if (!(factor < infinity))
    return part == Part::sphere ? infinity : group_loss(at(m), group).upper();
  if (part == Part::region && factor >= 1) return group_loss(at(m), group).upper();
  std::vector<DoubleBall> moved;
  for (std::size_t k = 0; k < m.size(); ++k)
    moved.emplace_back(middle_[k].mid() + factor * (m[k].mid() - middle_[k].mid()));
  return group_loss(at(moved), group).upper();
}

// The larger of the range of f and of its Taylor form of second order around the midpoint.
void TrapCover::evaluate(Cell& cell, const TrapGroup& group, Part part) {
  ++cells_;
  const std::vector<DoubleBall> m = middle_of(cell), box = box_of(cell);
  cell.met = may_meet(box, part);
  if (!cell.met) return;
  const KernelModel<DoubleBall> at_middle = at(placed(middle_, group.coordinates, m)),
                                over_box = at(placed(middle_, group.coordinates, box));
  const DoubleBall value = group_loss(at_middle, group);
  if (region_.ball_radius)
    cell.attained = attained_in_ball(m, group, part);
  else
    cell.attained = certainly_inside(cell, m, group) ? value.upper() : infinity;
  const DoubleBall range = group_loss(over_box, group);
  cell.bound = range.is_finite() ? std::max(0.0, range.lower()) : 0;
  const std::vector<DoubleBall> g = slope(at_middle, group);
  const Matrix<DoubleBall> H = hessian(over_box, group, true);
  DoubleBall taylor = value;
  double most = -1;
  for (std::size_t j = 0; j < m.size(); ++j) {
    if (cell.fixed[j]) continue;
    const DoubleBall r = half_width(cell.lo[j], cell.hi[j], m[j]);
    DoubleBall smear = abs(g[j]);
    taylor += least_of_quadratic(g[j], H(j, j), r);
    for (std::size_t k = 0; k < m.size(); ++k) {
      if (cell.fixed[k]) continue;
      const DoubleBall reach = abs(H(j, k)) * half_width(cell.lo[k], cell.hi[k], m[k]);
      smear += reach;
      if (k < j) taylor -= reach * r;
    }
    const double weight = smear.is_finite() ? (smear * r).upper() : cell.hi[j] - cell.lo[j];
    if (weight > most) {
      most = weight;
      cell.widest = j;
    }
  }
  if (taylor.is_finite()) cell.bound = std::max(cell.bound, taylor.lower());
}

// Best first: the cell of the least bound is cut in two.
CoverBound TrapCover::minimise(std::vector<Cell> cells, const TrapGroup& group, Part part,
                               double tolerance, double enough) {
  const auto later = [](const Cell& a, const Cell& b) { return a.bound > b.bound; };
  std::priority_queue<Cell, std::vector<Cell>, decltype(later)> queue(later);
  double attained = infinity;
  const auto push = [&](Cell cell) {
    evaluate(cell, group, part);
    if (!cell.met) return;
    attained = std::min(attained, cell.attained);
    queue.push(std::move(cell));
  };
  for (Cell& cell : cells) push(std::move(cell));
  for (std::size_t count = 0;; ++count) {
    if (queue.empty()) return {infinity, infinity, true};
    const Cell top = queue.top();
    const bool sharp = attained - top.bound <= tolerance;
    const bool settled = count > options_.cells / 10 && top.bound > enough;
    const double width = top.hi[top.widest] - top.lo[top.widest];
    const double cut = top.lo[top.widest] + width / 2;
    const bool divisible =
        !top.fixed[top.widest] && cut > top.lo[top.widest] && cut < top.hi[top.widest];
    if (sharp || settled || count >= options_.cells || !divisible) {
      // In a ball the points at which f was evaluated lie in it up to rounding only.
      return {top.bound, region_.ball_radius ? infinity : attained, sharp};
    }
    queue.pop();
    for (const bool upper : {false, true}) {
      Cell half = top;
      (upper ? half.lo : half.hi)[top.widest] = cut;
      push(std::move(half));
    }
  }
}

CoverBound TrapCover::infimum(const TrapGroup& group, double tolerance) {
  return minimise({whole_region(group)}, group, Part::region, tolerance, infinity);
}

CoverBound TrapCover::boundary_infimum(const TrapGroup& group, double tolerance, double enough) {
  std::optional<CoverBound> sphere;
  if (region_.ball_radius) {
    sphere = minimise({whole_region(group)}, group, Part::sphere, tolerance, enough);
    bool ball_inside = true;
    for (std::size_t k = 0; k < region_.dimension(); ++k)
      ball_inside =
          ball_inside && Rational(2) * *region_.ball_radius <= region_.upper[k] - region_.lower[k];
    if (ball_inside) return *sphere;
  }
  std::vector<Cell> cells;
  for (std::size_t j = 0; j < group.coordinates.size(); ++j)
    for (const bool upper : {false, true}) {
      Cell face = whole_region(group);
      const std::size_t k = group.coordinates[j];
      face.fixed[j] = DoubleBall(upper ? region_.upper[k] : region_.lower[k]);
      cells.push_back(std::move(face));
    }
  CoverBound faces = minimise(std::move(cells), group, Part::region, tolerance, enough);
  if (sphere) {
    faces.bound = std::min(faces.bound, sphere->bound);
    faces.complete = faces.complete && sphere->complete;
  }
  return faces;
}

CoverBound TrapCover::curvature(const TrapGroup& group, double tolerance) {
  const auto earlier = [](const Cell& a, const Cell& b) { return a.bound < b.bound; };
  std::priority_queue<Cell, std::vector<Cell>, decltype(earlier)> queue(earlier);
  double attained = 0;
  const auto norm_at = [&](const std::vector<DoubleBall>& z) {
    const Matrix<DoubleBall> H = hessian(at(placed(middle_, group.coordinates, z)), group, false);
    return H.rows() == 1 ? abs(H(0, 0)) : extremes(H).norm();
  };
  const auto push = [&](Cell cell) {
    ++cells_;
    if (!may_meet(box_of(cell), Part::region)) return;
    const DoubleBall over = norm_at(box_of(cell));
    cell.bound = over.is_finite() ? over.upper() : infinity;
    attained = std::max(attained, norm_at(middle_of(cell)).lower());
    double most = -1;
    for (std::size_t j = 0; j < cell.lo.size(); ++j)
      if (cell.hi[j] - cell.lo[j] > most) {
        most = cell.hi[j] - cell.lo[j];
        cell.widest = j;
      }
    queue.push(std::move(cell));
  };
  push(whole_region(group));
  for (std::size_t count = 0;; ++count) {
    const Cell top = queue.top();
    const bool sharp = top.bound <= (1 + tolerance) * attained;
    const double cut = top.lo[top.widest] + (top.hi[top.widest] - top.lo[top.widest]) / 2;
    if (sharp || count >= options_.cells || !(cut > top.lo[top.widest]) ||
        !(cut < top.hi[top.widest]))
      return {top.bound, attained, sharp};
    queue.pop();
    for (const bool upper : {false, true}) {
      Cell half = top;
      (upper ? half.lo : half.hi)[top.widest] = cut;
      push(std::move(half));
    }
  }
}

}  // namespace heed::detail
