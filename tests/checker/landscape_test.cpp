// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "landscape_gauge.hpp"
#include "landscape_groups.hpp"
#include "landscape_trap.hpp"

namespace {

using heedcheck::Interval;
using heedcheck::Rationals;

mpq_class rational(const std::string& decimal) {
  const std::size_t point = decimal.find('.');
  std::string digits = decimal;
  mpz_class den = 1;
  if (point != std::string::npos) {
    digits.erase(point, 1);
    for (std::size_t k = point; k < digits.size(); ++k) den *= 10;
  }
  mpq_class x(mpz_class(digits, 10), den);
  x.canonicalize();
  return x;
}

// Whether it holds x and is no wider than `units` in the last place.
bool is_tight(const Interval& interval, const mpq_class& x, const mpq_class& slack, int units) {
  return interval.lower() <= x + slack && x - slack <= interval.upper() &&
         interval.hi() - interval.lo() <= units;
}

struct Draw {
  std::uint64_t state = 1;
  mpq_class operator()(int range) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    mpq_class x(static_cast<long>(state >> 33) % (1000L * range), 1000L * range);
    x.canonicalize();
    return (2 * x - 1) * range;
  }
};

}  // namespace

TEST_CASE("exponentials and roots hold their values to the last bits") {
  // Digits of mpmath at 60 digits.
  const std::pair<const char*, const char*> known[] = {
      {"1", "2.71828182845904523536028747135266249775724709369995957496697"},
      {"-1", "0.367879441171442321595523770161460867445811131031767834507837"},
      {"0.5", "1.64872127070012814684865078781416357165377610071014801157508"},
      {"10", "22026.4657948067165169579006452842443663535126185567810742354"},
      {"-10", "0.0000453999297624848515355915155605506102379180888665649692590714"},
      {"0", "1"}};
  const mpq_class slack(1, mpz_class("100000000000000000000000000000000000000000000000000000"));
  for (const unsigned long bits : {40UL, 64UL, 128UL}) {
    Interval::set_bits(bits);
    for (const auto& [x, y] : known) {
      INFO(x << " " << bits);
      // near 10 the argument's own unit counts e^10 times
      CHECK(is_tight(exponential(Interval(rational(x))), rational(y), slack, 2));
    }
    const Interval root = square_root(Interval(mpq_class(2)));
    CHECK((square(root).lower() <= 2));
    CHECK((square(root).upper() >= 2));
    CHECK((root.hi() - root.lo() <= 1));
  }
  Interval::set_bits(128);
  Draw draw;
  for (int k = 0; k < 400; ++k) {
    const mpq_class x = draw(40), y = draw(40);
    const Interval ex = exponential(Interval(x)), ey = exponential(Interval(y)),
                   sum = exponential(Interval(mpq_class(x + y)));
    const Interval product = ex * ey;
    CHECK((product.lo() <= sum.hi()));
    CHECK((sum.lo() <= product.hi()));
    CHECK((exponential(Interval(mpq_class(-x))).lo() <= reciprocal(ex).hi()));
    CHECK((reciprocal(ex).lo() <= exponential(Interval(mpq_class(-x))).hi()));
    CHECK((ex.lo() <= ex.hi()));
    const Interval wide =
        Interval::between(Interval(std::min(x, y)).lo(), Interval(std::max(x, y)).hi());
    CHECK((exponential(wide).lo() <= std::min(ex.lo(), ey.lo())));
    CHECK((exponential(wide).hi() >= std::max(ex.hi(), ey.hi())));
  }
  // At few bits it holds what many bits give.
  for (int k = 0; k < 400; ++k) {
    const mpq_class x = draw(3);
    Interval::set_bits(200);
    const Interval fine = exponential(Interval(x));
    const mpq_class low = fine.lower(), high = fine.upper();
    Interval::set_bits(40);
    const Interval coarse = exponential(Interval(x));
    CHECK((coarse.lower() <= low));
    CHECK((high <= coarse.upper()));
    Interval::set_bits(128);
  }
  CHECK((exponential(Interval(mpq_class(-1000000))).lo() == 0));
  CHECK((exponential(Interval(mpq_class(-1000000))).hi() == 1));
  CHECK_THROWS_AS(exponential(Interval(mpq_class(70000))), heedcheck::Invalid);
}

TEST_CASE("operations of intervals hold the results of their numbers") {
  Interval::set_bits(40);
  Draw draw;
  for (int k = 0; k < 2000; ++k) {
    mpq_class a = draw(3), b = draw(3), c = draw(3), d = draw(3);
    if (b < a) std::swap(a, b);
    if (d < c) std::swap(c, d);
    const Interval x = Interval::between(Interval(a).lo(), Interval(b).hi()),
                   y = Interval::between(Interval(c).lo(), Interval(d).hi());
    for (const mpq_class& s : {a, b, mpq_class((a + b) / 2)}) {
      for (const mpq_class& t : {c, d, mpq_class((c + d) / 2)}) {
        const auto holds = [](const Interval& z, const mpq_class& v) {
          return z.lower() <= v && v <= z.upper();
        };
        CHECK(holds(x + y, s + t));
        CHECK(holds(x - y, s - t));
        CHECK(holds(x * y, s * t));
        CHECK(holds(square(x), s * s));
        CHECK(holds(-x, -s));
        CHECK(holds(x.magnitude(), abs(s)));
        if (is_positive(y)) CHECK(holds(reciprocal(y), 1 / t));
      }
    }
  }
  Interval::set_bits(128);
}

namespace {

// N = 1, n = 3, D = 3, small integers; d, d_v, p as given.
heedcheck::Layer layer(heedcheck::Kernel kernel, std::size_t d, std::size_t d_v, std::size_t p,
                       std::initializer_list<heedcheck::Block> trained) {
  heedcheck::Layer l;
  l.kernel = kernel;
  l.N = l.H = 1;
  l.n = l.m = l.D = 3;
  l.d = d;
  l.d_v = d_v;
  l.p = p;
  l.beta_power = mpq_class(1, 2);
  Draw draw;
  const auto fill = [&](Rationals& list, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) list.push_back(draw(1));
  };
  fill(l.X, 9);
  fill(l.Y, 3 * p);
  l.U = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const auto block : {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O}) {
    fill(l.weights[block], l.rows(block) * l.cols(block));
  }
  for (const auto block : trained) l.trained[block] = true;
  return l;
}

Rationals start(const heedcheck::Layer& l) {
  Rationals theta;
  for (int block = 0; block < 4; ++block) {
    if (l.trained[block]) {
      theta.insert(theta.end(), l.weights[block].begin(), l.weights[block].end());
    }
  }
  return theta;
}

std::vector<std::size_t> all_coordinates(const heedcheck::Layer& l) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < l.coordinates(); ++k) all.push_back(k);
  return all;
}

}  // namespace

TEST_CASE("gradients and Hessians are difference quotients of the loss") {
  Interval::set_bits(400);
  using heedcheck::Kernel;
  for (const Kernel kernel :
       {Kernel::softmax, Kernel::gaussian, Kernel::gaussian_over_n, Kernel::gaussian_normalised}) {
    const auto l =
        layer(kernel, 2, 2, 2, {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O});
    const heedcheck::Model<Interval> model(l, beta_of(l));
    const Rationals theta = start(l);
    const auto all = all_coordinates(l);
    const auto at = [&](const Rationals& t) {
      return model.loss(std::vector<Interval>(t.begin(), t.end()), all, model.all());
    };
    const auto f = at(theta);
    const mpq_class h(1, mpz_class(1) << 100);
    const mpq_class tolerance(1, mpz_class(1) << 180);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      Rationals up = theta, down = theta;
      up[k] += h;
      down[k] -= h;
      const auto high = at(up), low = at(down);
      const mpq_class slope = (high.value.upper() - low.value.lower()) / (2 * h);
      CHECK((abs(slope - f.first[k].lower()) < tolerance));
      for (std::size_t j = 0; j <= k; ++j) {
        const mpq_class curve = (high.first[j].upper() - low.first[j].lower()) / (2 * h);
        CHECK((abs(curve - f.second[heedcheck::triangle(k, j)].lower()) < tolerance));
      }
      CHECK((f.first[k].hi() - f.first[k].lo() < 100000));
    }
  }
  Interval::set_bits(128);
}

TEST_CASE("derivatives over a box hold those at its points") {
  using heedcheck::Kernel;
  for (const Kernel kernel :
       {Kernel::softmax, Kernel::gaussian, Kernel::gaussian_over_n, Kernel::gaussian_normalised}) {
    const auto l =
        layer(kernel, 1, 1, 1, {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O});
    const heedcheck::Model<Interval> model(l, beta_of(l));
    const auto all = all_coordinates(l);
    const heedcheck::PointBox box{start(l), mpq_class(1, 10), {}, all};
    const auto over = model.loss(enclose(box), all, model.all());
    Draw draw;
    for (int k = 0; k < 40; ++k) {
      Rationals theta = box.centre;
      for (mpq_class& x : theta) x += draw(1) / 10;
      const auto f =
          model.loss(std::vector<Interval>(theta.begin(), theta.end()), all, model.all());
      const auto inside = [](const Interval& x, const Interval& y) {
        return y.lo() <= x.hi() && x.lo() <= y.hi();
      };
      CHECK(inside(f.value, over.value));
      for (std::size_t j = 0; j < all.size(); ++j) CHECK(inside(f.first[j], over.first[j]));
      for (std::size_t j = 0; j < f.second.size(); ++j) CHECK(inside(f.second[j], over.second[j]));
    }
  }
}

TEST_CASE("flat directions: what holds nearby, at the point only, and not at all") {
  using heedcheck::Direction;
  using heedcheck::Gauge;
  using heedcheck::Kernel;
  // Two values, one output: with W_O frozen, W_V + z is flat for z W_O = 0.
  auto l = layer(Kernel::softmax, 1, 2, 1, {heedcheck::W_V, heedcheck::W_O});
  heedcheck::PointBox box{start(l), mpq_class(1, 1000), {0, 6, 7}, {1, 2, 3, 4, 5}};
  const mpq_class a = box.centre[6], b = box.centre[7];
  Direction shift{Direction::Kind::shift, 0, Rationals(8, 0)};
  shift.numbers[0] = b;
  shift.numbers[1] = -a;
  const auto mix = [](int r, int s) {
    Direction m{Direction::Kind::mix, 0, Rationals(4, 0)};
    m.numbers[static_cast<std::size_t>(2 * r + s)] = 1;
    return m;
  };
  const std::vector<Direction> mixes = {mix(0, 0), mix(1, 0), mix(1, 1)};
  CHECK(prove_transversal(mixes, l, box) == Gauge::nearby);
  std::vector<Direction> with_shift = mixes;
  with_shift[1] = shift;
  CHECK(prove_transversal(with_shift, l, box) == Gauge::at_point);
  // An entry of W_O free: the value that the shift relies on moves.
  heedcheck::PointBox looser = box;
  looser.frozen = {0, 2, 6};
  looser.free = {1, 3, 4, 5, 7};
  CHECK_THROWS_AS(prove_transversal({mixes[0], shift, mixes[1]}, l, looser), heedcheck::Invalid);
  CHECK(prove_transversal({mixes[0], mix(0, 1), mixes[1]}, l, looser) == Gauge::nearby);
  with_shift[1].numbers[1] += mpq_class(1, 1000000);
  CHECK_THROWS_AS(prove_transversal(with_shift, l, box), heedcheck::Invalid);
  with_shift[1] = mixes[0];
  CHECK_THROWS_AS(prove_transversal(with_shift, l, box), heedcheck::Invalid);
  // Turns of blocks that are not trained.
  with_shift[1] = {Direction::Kind::turn, 0, {1}};
  CHECK_THROWS_AS(prove_transversal(with_shift, l, box), heedcheck::Invalid);

  // Which entries of which block a unit matrix moves.
  const auto reaches = [](const heedcheck::Layer& one, const Direction& direction, std::size_t k) {
    try {
      prove_transversal({direction}, one, {start(one), mpq_class(1, 1000), {k}, {}});
      return true;
    } catch (const heedcheck::Invalid&) {
      return false;
    }
  };
  for (const auto& [k, expected] : {std::pair{0U, false}, {1U, true}, {6U, true}, {7U, false}}) {
    CHECK(reaches(l, mix(0, 1), k) == expected);
  }
  l = layer(Kernel::softmax, 2, 1, 1, {heedcheck::W_Q, heedcheck::W_K});
  const Direction upper{Direction::Kind::turn, 0, {0, 1, 0, 0}};
  for (const auto& [k, expected] : {std::pair{0U, false}, {1U, true}, {6U, true}, {7U, false}}) {
    CHECK(reaches(l, upper, k) == expected);
  }

  // Turns of softmax reach W_K by any matrix, those of distances by skew ones alone.
  for (const Kernel kernel : {Kernel::softmax, Kernel::gaussian, Kernel::gaussian_normalised}) {
    l = layer(kernel, 2, 1, 1, {heedcheck::W_Q, heedcheck::W_K});
    const heedcheck::PointBox one{start(l), mpq_class(1, 1000), {7}, {}};
    const auto turn = [&](Rationals B) {
      return std::vector<Direction>{{Direction::Kind::turn, 0, std::move(B)}};
    };
    CHECK(prove_transversal(turn({0, 1, -1, 0}), l, one) == Gauge::nearby);
    if (kernel == Kernel::softmax) {
      CHECK(prove_transversal(turn({0, 1, 1, 0}), l, one) == Gauge::nearby);
    } else {
      CHECK_THROWS_AS(prove_transversal(turn({0, 1, 1, 0}), l, one), heedcheck::Invalid);
    }
    // The key's shift alone, by w with X w = 1: flat for softmax only.
    l.X = {1, 0, 1, 0, 1, 1, 2, -1, 1};
    Direction keys{Direction::Kind::shift, 0, Rationals(12, 0)};
    keys.numbers[6 + 4] = 1;  // W_K(2, 0), w = (0, 0, 1)
    const heedcheck::PointBox key{start(l), mpq_class(1, 1000), {10}, {}};
    if (kernel == Kernel::softmax) {
      CHECK(prove_transversal({keys}, l, key) == Gauge::nearby);
    } else {
      CHECK_THROWS_AS(prove_transversal({keys}, l, key), heedcheck::Invalid);
      keys.numbers[4] = 1;  // the queries alike
      CHECK(prove_transversal({keys}, l, key) == Gauge::nearby);
    }
  }
}

TEST_CASE("turns and mixes leave the loss alone to second order, as flows do") {
  Interval::set_bits(256);
  using heedcheck::Kernel;
  // e^(sB) for B = (0 1; 0 0) is I + s B, exactly.
  const auto l = layer(Kernel::softmax, 2, 2, 1,
                       {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O});
  const heedcheck::Model<Interval> model(l, beta_of(l));
  Rationals theta = start(l);
  const auto loss = [&](const Rationals& t) {
    return model.loss(std::vector<Interval>(t.begin(), t.end()), {}, model.all()).value;
  };
  const Interval before = loss(theta);
  for (std::size_t j = 0; j < 3; ++j) {
    theta[2 * j + 1] += 3 * theta[2 * j];            // W_Q (I + 3 B)
    theta[6 + 2 * j] -= 3 * theta[6 + 2 * j + 1];    // W_K (I - 3 B^T)
    theta[12 + 2 * j + 1] += 2 * theta[12 + 2 * j];  // W_V (I + 2 B)
  }
  theta[18] -= 2 * theta[19];  // (I - 2 B) W_O
  const Interval after = loss(theta);
  CHECK((before.lo() <= after.hi()));
  CHECK((after.lo() <= before.hi()));
  Interval::set_bits(128);
}

TEST_CASE("groups share no coordinate and hold every residual") {
  auto l = layer(heedcheck::Kernel::softmax, 2, 1, 1, {heedcheck::W_Q});
  CHECK((groups_of(l).size() == 1));
  l.X = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  auto groups = groups_of(l);
  REQUIRE(groups.size() == 3);
  for (const auto& group : groups) {
    CHECK(group.coordinates.size() == 2);
    CHECK((group.residuals.size() == 1));
  }
  l.U[1] = 1;  // row 0 of the read-out sees token 1 too
  groups = groups_of(l);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].coordinates.size() + groups[1].coordinates.size() == 6);
  l.trained[heedcheck::W_V] = true;
  CHECK((groups_of(l).size() == 1));
}

TEST_CASE("bounds of a trap lie below f at all points, and not far below") {
  for (const std::string name : {"coupled_trap", "pair_trap"}) {
    std::ifstream in(std::string(HEEDCHECK_CERTIFICATES) + "/good_landscape_" + name + ".json");
    std::ostringstream text;
    text << in.rdbuf();
    const heedcheck::Value certificate = heedcheck::parse(text.str());
    const heedcheck::Layer l = heedcheck::read_layer(certificate);
    const heedcheck::Model<Interval> model(l, beta_of(l));
    heedcheck::Trap trap = read_trap(certificate.at("trap"), l);
    const std::size_t P = trap.lower.size();
    for (const long part : {1L, 30L}) {
      // Not symmetric around the minimum: the midpoints of the first cells are nowhere special.
      heedcheck::Trap moved = trap;
      for (mpq_class& x : moved.upper) x += mpq_class(1, 1000 + 7 * part);
      moved.tolerance = trap.tolerance / part;
      const heedcheck::TrapBounds bounds = prove_trap(l, model, moved);
      mpq_class least = 1000000, least_of_faces = least;
      constexpr long steps = 24;
      const long last = P == 1 ? 0 : steps;
      for (long i = 0; i <= steps; ++i) {
        for (long j = 0; j <= last; ++j) {
          std::vector<Interval> theta;
          for (std::size_t k = 0; k < P; ++k) {
            const mpq_class share(k == 0 ? i : j, steps);
            theta.emplace_back(
                mpq_class(moved.lower[k] + share * (moved.upper[k] - moved.lower[k])));
          }
          const mpq_class f = model.loss(theta, {}, model.all()).value.lower();
          least = std::min(least, f);
          const bool face = i == 0 || i == steps || (P > 1 && (j == 0 || j == steps));
          if (face) least_of_faces = std::min(least_of_faces, f);
        }
      }
      CHECK((bounds.region_lo <= least));
      CHECK((bounds.boundary_lo <= least_of_faces));
      CHECK((bounds.start_hi < bounds.boundary_lo));
      // The grid is fine enough to miss no more than this.
      CHECK((least - bounds.region_lo < moved.tolerance + mpq_class(1, 5)));
      CHECK((least_of_faces - bounds.boundary_lo < moved.tolerance + mpq_class(1, 5)));
    }
  }
}
