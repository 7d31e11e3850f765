// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "landscape_gauge.hpp"

namespace {

using heedcheck::Block;
using heedcheck::Direction;
using heedcheck::Gauge;
using heedcheck::Interval;
using heedcheck::IntervalMatrix;
using heedcheck::Kernel;
using heedcheck::Layer;
using heedcheck::PointBox;
using heedcheck::RationalMatrix;
using heedcheck::Rationals;

constexpr Block blocks[] = {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O};
constexpr Kernel kernels[] = {Kernel::softmax, Kernel::gaussian, Kernel::gaussian_over_n,
                              Kernel::gaussian_normalised};

struct Draw {
  std::uint64_t state = 1;
  mpq_class operator()(int range) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    mpq_class x(static_cast<long>(state >> 33) % 2001 - 1000, 1000);
    x.canonicalize();
    return x * range;
  }
};

// Two samples of two tokens, two heads. `lines`: the tokens of a sample are multiples of one vector.
Layer layer(Kernel kernel, std::size_t D, std::size_t d, std::size_t d_v, std::size_t p,
            bool lines) {
  Layer l;
  l.kernel = kernel;
  l.N = l.n = l.m = l.H = 2;
  l.D = D;
  l.d = d;
  l.d_v = d_v;
  l.p = p;
  l.beta_power = mpq_class(1, 2);
  l.U = {1, 0, 0, 1};
  Draw draw;
  const auto fill = [&](Rationals& list, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) list.push_back(draw(1));
  };
  fill(l.X, 4 * D);
  for (std::size_t k = 0; lines && k < l.X.size(); ++k) {
    if (k / D % 2 == 1) l.X[k] = l.X[k - D] * -3;
  }
  fill(l.Y, 4 * p);
  for (const Block block : blocks) fill(l.weights[block], 2 * l.rows(block) * l.cols(block));
  return l;
}

// The centre alone, nothing frozen: all entries of a direction are looked at.
PointBox point_of(const Layer& l) {
  PointBox box;
  for (const Block block : blocks) {
    if (!l.trained[block]) continue;
    box.centre.insert(box.centre.end(), l.weights[block].begin(), l.weights[block].end());
  }
  for (std::size_t k = 0; k < box.centre.size(); ++k) box.free.push_back(k);
  return box;
}

Rationals unit(std::size_t size, std::size_t k) {
  Rationals list(size, 0);
  list[k] = 1;
  return list;
}

// Every named direction of unit vectors and matrices, but for shifts.
std::vector<Direction> directions(const Layer& l, const std::vector<Rationals>& scalings) {
  std::vector<Direction> list;
  for (std::size_t h = 0; h < l.H; ++h) {
    for (std::size_t k = 0; k < l.d * l.d; ++k) {
      Rationals skew = unit(l.d * l.d, k);
      skew[k % l.d * l.d + k / l.d] -= 1;
      for (const Rationals& E : scalings) {
        list.push_back({Direction::Kind::turn, h, unit(l.d * l.d, k), E});
        list.push_back({Direction::Kind::turn, h, skew, E});
      }
    }
    for (std::size_t k = 0; k < l.d_v * l.d_v; ++k) {
      list.push_back({Direction::Kind::mix, h, unit(l.d_v * l.d_v, k)});
    }
    for (const Block block : blocks) {
      const std::size_t length = block == heedcheck::W_O ? l.p : l.D,
                        columns = block < heedcheck::W_V ? l.d : l.d_v;
      for (std::size_t set = 0; set < std::size_t(1) << columns; ++set) {
        std::vector<std::size_t> pivots;
        for (std::size_t k = 0; k < columns; ++k) {
          if ((set >> k & 1U) != 0) pivots.push_back(k);
        }
        for (std::size_t free = 0; free < columns; ++free) {
          if ((set >> free & 1U) != 0) continue;
          for (std::size_t j = 0; j < length; ++j) {
            list.push_back({Direction::Kind::unseen, h, unit(length, j), {}, block, pivots, free});
          }
        }
      }
    }
  }
  return list;
}

std::string word(const Direction& g) {
  if (g.kind == Direction::Kind::mix) return "mix";
  if (g.kind == Direction::Kind::turn) return g.E.empty() ? "turn" : "turn E";
  const char* const names[] = {"W_Q", "W_K", "W_V", "W_O"};
  return names[g.block];
}

// The direction at all points of the box; nothing if its conditions are not met.
std::optional<std::vector<Interval>> accepted(const PointBox& box, const Layer& l,
                                              const Direction& direction) {
  try {
    return direction_over(box, l, direction);
  } catch (const heedcheck::Invalid&) {
    return {};
  }
}

// A matrix with v_i E = e_i v_i for the first vector of two samples, in the plane.
Rationals scaling(const Layer& l, const mpq_class& e0, const mpq_class& e1) {
  const mpq_class a = l.X[0], b = l.X[1], c = l.X[4], d = l.X[5], det = a * d - b * c;
  return {(d * e0 * a - b * e1 * c) / det, (d * e0 * b - b * e1 * d) / det,
          (a * e1 * c - c * e0 * a) / det, (a * e1 * d - c * e0 * b) / det};
}

}  // namespace

TEST_CASE("the gradient is orthogonal to every direction that is accepted, and which are") {
  Interval::set_bits(256);
  const mpq_class tiny(1, mpz_class(1) << 200);
  for (const Kernel kernel : kernels) {
    std::map<std::string, int> count;
    for (unsigned set = 1; set < 16; ++set) {
      for (const auto& [D, d, d_v, p, lines] : {std::tuple{2, 2, 2, 1, true},
                                                {3, 3, 1, 2, false},
                                                {1, 2, 3, 2, false},
                                                {2, 3, 3, 2, true},
                                                {1, 1, 2, 3, false}}) {
        Layer l =
            layer(kernel, std::size_t(D), std::size_t(d), std::size_t(d_v), std::size_t(p), lines);
        for (unsigned k = 0; k < 4; ++k) l.trained[k] = (set >> k & 1U) != 0;
        std::vector<Rationals> scalings = {{}};
        if (D == 2) scalings.insert(scalings.end(), {scaling(l, 1, 0), scaling(l, -2, 5)});
        for (std::size_t k = 0; k < l.D * l.D; ++k) scalings.push_back(unit(l.D * l.D, k));
        const PointBox box = point_of(l);
        const heedcheck::Model<Interval> model(l, beta_of(l));
        const auto gradient = model.loss(enclose(box), box.free, model.all()).first;
        for (const Direction& direction : directions(l, scalings)) {
          const auto t = accepted(box, l, direction);
          if (!t) continue;
          Interval along;
          for (std::size_t k = 0; k < t->size(); ++k) along += (*t)[k] * gradient[k];
          INFO(int(kernel) << " " << word(direction) << " trained " << set << " D " << D);
          CHECK((along.magnitude().upper() < tiny));
          ++count[word(direction)];
        }
      }
    }
    const bool softmax = kernel == Kernel::softmax;
    CHECK(count["turn"] > 50);
    CHECK(count["turn E"] > 50);
    CHECK(count["mix"] > 50);
    CHECK(count["W_V"] > 50);
    CHECK(count["W_O"] > 50);
    CHECK((count["W_Q"] > 50) == sums_to_one(kernel));
    CHECK((count["W_K"] > 50) == softmax);
  }
  Interval::set_bits(128);
}

TEST_CASE("directions over a box hold those at its points") {
  for (const Kernel kernel : kernels) {
    Layer l = layer(kernel, 2, 2, 3, 2, true);
    for (bool& trained : l.trained) trained = true;
    PointBox box = point_of(l);
    box.radius = mpq_class(1, 100);
    std::size_t compared = 0;
    Draw draw;
    for (const Direction& direction : directions(l, {{}, scaling(l, 2, -1)})) {
      const auto over = accepted(box, l, direction);
      if (!over) continue;
      PointBox other = box;
      other.radius = 0;
      for (mpq_class& x : other.centre) x += draw(1) / 100;
      const auto at = direction_over(other, l, direction);
      for (std::size_t k = 0; k < at.size(); ++k) {
        CHECK((at[k].lo() <= (*over)[k].hi()));
        CHECK((at[k].hi() >= (*over)[k].lo()));
        CHECK(((*over)[k].upper() - (*over)[k].lower() < 10));
      }
      ++compared;
    }
    CHECK(compared > 30);
  }
}

TEST_CASE("pivots must be independent over the whole box, E must scale every sample") {
  Layer l = layer(Kernel::softmax, 2, 1, 2, 1, true);
  l.trained[heedcheck::W_V] = l.trained[heedcheck::W_O] = true;
  PointBox box = point_of(l);
  const std::size_t entry = l.coordinate(heedcheck::W_O, 0, 1, 0);
  box.centre[entry] = mpq_class(1, 100);
  const Direction values{Direction::Kind::unseen, 0, {1, 0}, {}, heedcheck::W_V, {1}, 0};
  box.radius = mpq_class(1, 101);
  CHECK(accepted(box, l, values));
  box.radius = mpq_class(1, 99);
  CHECK(!accepted(box, l, values));
  l.trained[heedcheck::W_O] = false;  // M is known then
  CHECK(accepted(point_of(l), l, values));

  // As many pivots as rows, no more.
  Layer three = layer(Kernel::softmax, 2, 1, 3, 1, true);
  three.trained[heedcheck::W_V] = three.trained[heedcheck::W_O] = true;
  CHECK(accepted(point_of(three), three, values));
  for (const auto& pivots : {std::vector<std::size_t>{}, {1, 2}}) {
    CHECK(!accepted(point_of(three), three,
                    {Direction::Kind::unseen, 0, {1, 0}, {}, heedcheck::W_V, pivots, 0}));
  }

  l.trained[heedcheck::W_Q] = l.trained[heedcheck::W_K] = true;
  box = point_of(l);
  Rationals E = scaling(l, 3, 4);
  CHECK(accepted(box, l, {Direction::Kind::turn, 0, {1}, E}));
  E[3] += mpq_class(1, mpz_class(1) << 300);
  CHECK(!accepted(box, l, {Direction::Kind::turn, 0, {1}, E}));
  // Scaled like this, the first sample stays on its line, the second one does not.
  Layer other = l;
  other.X[4] += 1;
  CHECK(!accepted(box, l, {Direction::Kind::turn, 0, {1}, scaling(other, 3, 4)}));
  // A sample of zeros is scaled by anything.
  std::fill_n(l.X.begin() + 4, 4, 0);
  CHECK(accepted(
      box, l,
      {Direction::Kind::turn, 0, {1}, scaling(layer(Kernel::softmax, 2, 1, 2, 1, true), 3, 4)}));
}

TEST_CASE("linear systems of intervals, and bases of rows") {
  Interval::set_bits(100);
  Draw draw;
  for (std::size_t order = 0; order < 6; ++order) {
    RationalMatrix a(order, order), x(order, 2);
    for (mpq_class& entry : a.entries) entry = draw(3);
    for (mpq_class& entry : x.entries) entry = draw(3);
    const RationalMatrix b = product(a, x);
    const auto solution = solve(heedcheck::matrix_of(a.entries, order, order),
                                heedcheck::matrix_of(b.entries, order, 2));
    REQUIRE(solution);
    for (std::size_t k = 0; k < x.entries.size(); ++k) {
      CHECK((solution->entries[k].lower() <= x.entries[k]));
      CHECK((solution->entries[k].upper() >= x.entries[k]));
      CHECK((solution->entries[k].upper() - solution->entries[k].lower() <
             mpq_class(1, mpz_class(1) << 80)));
    }
    CHECK(is_nonsingular(heedcheck::matrix_of(a.entries, order, order)));
    CHECK(row_basis(a).rows == order);
    if (order < 3) continue;
    RationalMatrix singular = a;
    for (std::size_t c = 0; c < order; ++c) {
      singular.at(order - 1, c) = singular.at(0, c) * 2 - singular.at(order / 2, c);
    }
    CHECK(!is_nonsingular(heedcheck::matrix_of(singular.entries, order, order)));
    const RationalMatrix basis = row_basis(singular);
    CHECK(basis.rows == order - 1);
    // the same span: no row of either adds to the other
    RationalMatrix both(0, order);
    both.entries = basis.entries;
    both.entries.insert(both.entries.end(), singular.entries.begin(), singular.entries.end());
    both.rows = basis.rows + singular.rows;
    CHECK(row_basis(both).rows == order - 1);
  }
  // Entries as wide as this need the inverse of the middle first.
  IntervalMatrix wide(8, 8);
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t c = 0; c < 8; ++c) {
      const Interval middle(draw(1)), slack = Interval(mpq_class(1, 400));
      wide.at(r, c) = Interval::between((middle - slack).lo(), (middle + slack).hi());
    }
  }
  CHECK(is_nonsingular(wide));
  // The middle is nonsingular, a matrix in it is not.
  IntervalMatrix loose(2, 2);
  for (Interval& x : loose.entries) x = Interval(mpq_class(1));
  loose.at(0, 0) = Interval::between(Interval(mpq_class(1)).lo(), Interval(mpq_class(5)).hi());
  CHECK(!is_nonsingular(loose));
  Interval::set_bits(128);
}
