// SPDX-License-Identifier: Apache-2.0
#include "landscape_trap.hpp"

#include <algorithm>
#include <queue>

#include "landscape_groups.hpp"
#include "landscape_matrix.hpp"

namespace heedcheck {
namespace {

using Box = std::vector<Interval>;

// A lower bound of g t + a t^2 / 2 over |t| <= r, for every g and a in the intervals; r is one number.
// With s = |t|: at least -|g| s + a s^2 / 2, which is least at s = |g| / a if that is positive and not
// beyond r, and at s = r if the function is concave or falls all the way.
Interval least_of_quadratic(const Interval& g, const Interval& a, const Interval& r) {
  const Interval half(mpq_class(1, 2)), most = g.magnitude();
  const Interval steep = Interval::between(most.hi(), most.hi()),
                 least = Interval::between(a.lo(), a.lo());
  const bool falls_all_the_way = (least * r).hi() <= steep.lo();
  if (is_positive(least) && !falls_all_the_way) {
    return -(half * square(steep) * reciprocal(least));
  }
  return half * least * square(r) - steep * r;
}

// The work on one trap: boxes of all coordinates are covered by cells.
class Cover {
 public:
  Cover(const Model<Interval>& model, const Trap& trap) : model_(model), trap_(trap) {}

  // A lower bound of the group's part of f over the box.
  mpz_class infimum(const Group& group, const Box& box) {
    const mpz_class tolerance = Interval(trap_.tolerance).lo();
    const auto later = [](const Cell& a, const Cell& b) { return a.bound > b.bound; };
    std::priority_queue<Cell, std::vector<Cell>, decltype(later)> queue(later);
    mpz_class reached = -1;  // f at the midpoints, at most; -1: none yet
    const auto push = [&](Box part) {
      mpz_class at_middle;
      Cell cell{std::move(part), 0};
      cell.bound = bound(group, cell.box, at_middle);
      if (reached < 0 || at_middle < reached) reached = at_middle;
      queue.push(std::move(cell));
    };
    push(box);
    while (queue.top().bound < reached - tolerance) {
      const Cell worst = queue.top();
      queue.pop();
      for (Box& half : halves(group, worst.box)) push(std::move(half));
    }
    return queue.top().bound;
  }

  // eta |Hess| < 2 all over the box, for the group's part of f.
  void prove_steps(const Group& group, const Box& box) {
    std::vector<Box> open{box};
    while (!open.empty()) {
      const Box cell = std::move(open.back());
      open.pop_back();
      count();
      if (has_short_steps(group, cell)) continue;
      require_proof(has_short_steps(group, middle(group, cell)),
                    "trap: eta |Hess f| < 2 is not proved on B");
      for (Box& half : halves(group, cell)) open.push_back(std::move(half));
    }
  }

 private:
  struct Cell {
    Box box;
    mpz_class bound;
  };

  void count() {
    require_proof(used_ < trap_.cells,
                  "trap: more than " + std::to_string(trap_.cells) + " cells are needed");
    ++used_;
  }

  Jet<Interval> evaluate(const Group& group, const Box& box) const {
    return model_.loss(box, group.coordinates, group.residuals);
  }

  // Whether both 2 / eta I - H and 2 / eta I + H are proved positive definite.
  bool has_short_steps(const Group& group, const Box& cell) const {
    const std::size_t order = group.coordinates.size();
    const Interval limit(mpq_class(2 / trap_.eta));
    IntervalMatrix above = symmetric_matrix(evaluate(group, cell).second, order), below = above;
    for (Interval& x : above.entries) x = -x;
    for (std::size_t k = 0; k < order; ++k) {
      above.at(k, k) += limit;
      below.at(k, k) += limit;
    }
    return is_positive_definite(above) && is_positive_definite(below);
  }

  static Box middle(const Group& group, Box cell) {
    for (const std::size_t k : group.coordinates) {
      const mpz_class m = (cell[k].lo() + cell[k].hi()) / 2;
      cell[k] = Interval::between(m, m);
    }
    return cell;
  }

  // f >= f(m) + sum_j q_j - sum_{j<k} |H_jk| r_j r_k, and f >= f(cell).
  mpz_class bound(const Group& group, const Box& cell, mpz_class& at_middle) {
    count();
    const Box m = middle(group, cell);
    std::vector<Interval> r;
    for (const std::size_t k : group.coordinates) {
      const mpz_class half =
          std::max<mpz_class>(cell[k].hi() - m[k].lo(), m[k].lo() - cell[k].lo());
      r.push_back(Interval::between(half, half));
    }
    const Jet<Interval> f = evaluate(group, m), over = evaluate(group, cell);
    Interval lower = f.value;
    for (std::size_t j = 0; j < r.size(); ++j) {
      lower += least_of_quadratic(f.first[j], over.second[triangle(j, j)], r[j]);
      for (std::size_t k = 0; k < j; ++k) {
        lower -= over.second[triangle(j, k)].magnitude() * (r[j] * r[k]);
      }
    }
    at_middle = f.value.hi();
    return std::max(lower.lo(), over.value.lo());
  }

  // The cell cut across its widest side.
  std::vector<Box> halves(const Group& group, const Box& cell) const {
    require_proof(!group.coordinates.empty(), "trap: the tolerance is below the precision");
    std::size_t widest = group.coordinates.front();
    for (const std::size_t k : group.coordinates) {
      if (cell[k].hi() - cell[k].lo() > cell[widest].hi() - cell[widest].lo()) widest = k;
    }
    const Interval& side = cell[widest];
    const mpz_class cut = (side.lo() + side.hi()) / 2;
    require_proof(side.lo() < cut && cut < side.hi(), "trap: a cell cannot be cut any more");
    std::vector<Box> two{cell, cell};
    two[0][widest] = Interval::between(side.lo(), cut);
    two[1][widest] = Interval::between(cut, side.hi());
    return two;
  }

  const Model<Interval>& model_;
  const Trap& trap_;
  std::size_t used_ = 0;
};

mpq_class as_number(const mpz_class& units) { return Interval::between(units, units).lower(); }

}  // namespace

mpq_class positive_part(const Value& trap, const char* name) {
  const Fraction x = fraction(trap.at(name), std::string("trap.") + name);
  require_form(x.num > 0, std::string("trap.") + name + " is not positive");
  mpq_class number(x.num, x.den);
  number.canonicalize();
  return number;
}

Trap read_trap(const Value& value, const Layer& layer) {
  require_fields(value, {"lower", "upper", "theta_0", "eta", "tolerance", "cells"}, {}, "trap");
  const std::size_t P = layer.coordinates();
  Trap trap;
  trap.lower = rationals(array(value.at("lower"), P, "trap.lower"));
  trap.upper = rationals(array(value.at("upper"), P, "trap.upper"));
  trap.theta_0 = rationals(array(value.at("theta_0"), P, "trap.theta_0"));
  trap.eta = positive_part(value, "eta");
  trap.tolerance = positive_part(value, "tolerance");
  trap.cells = size_of(value.at("cells"), "trap.cells");
  return trap;
}

TrapBounds prove_trap(const Layer& layer, const Model<Interval>& model, const Trap& trap) {
  const std::size_t P = trap.lower.size();
  Box box(P);
  for (std::size_t k = 0; k < P; ++k) {
    require_proof(trap.lower[k] < trap.upper[k],
                  "trap: lower is not below upper at coordinate " + std::to_string(k));
    require_proof(trap.lower[k] <= trap.theta_0[k] && trap.theta_0[k] <= trap.upper[k],
                  "trap: theta_0 is not in B");
    box[k] = Interval::between(Interval(trap.lower[k]).lo(), Interval(trap.upper[k]).hi());
  }
  const std::vector<Group> groups = groups_of(layer);
  Cover cover(model, trap);
  const Box start(trap.theta_0.begin(), trap.theta_0.end());
  const mpz_class start_hi = model.loss(start, {}, model.all()).value.hi();

  std::vector<mpz_class> least;
  mpz_class region = 0;
  std::vector<bool> met(P, false);
  for (const Group& group : groups) {
    least.push_back(cover.infimum(group, box));
    region += least.back();
    cover.prove_steps(group, box);
    for (const std::size_t k : group.coordinates) met[k] = true;
  }
  require_proof(std::find(met.begin(), met.end(), false) == met.end(),
                "trap: f does not depend on a coordinate, so it is f(theta_0) on a face");
  std::optional<mpz_class> boundary;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t k : groups[g].coordinates) {
      for (const mpq_class& end : {trap.lower[k], trap.upper[k]}) {
        Box face = box;
        face[k] = Interval(end);
        const mpz_class here = cover.infimum(groups[g], face) + region - least[g];
        require_proof(start_hi < here,
                      "trap: f is not proved to exceed f(theta_0) on the face of "
                      "coordinate " +
                          std::to_string(k));
        if (!boundary || here < *boundary) boundary = here;
      }
    }
  }
  return {as_number(start_hi), as_number(*boundary), as_number(region)};
}

}  // namespace heedcheck
