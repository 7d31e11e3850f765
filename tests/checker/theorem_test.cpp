// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "landscape_descent.hpp"
#include "landscape_queries.hpp"
#include "landscape_theorem.hpp"

namespace {

using heedcheck::Interval;
using heedcheck::Kernel;
using heedcheck::Layer;
using heedcheck::Rationals;

mpq_class ratio(long num, long den) {
  mpq_class x(num, den);
  x.canonicalize();
  return x;
}

// One sample of n = D tokens I, H = d = d_v = p = 1.
Layer tokens(Kernel kernel, const Rationals& keys, const Rationals& values, const Rationals& y) {
  Layer l;
  l.kernel = kernel;
  l.N = l.H = l.d = l.d_v = l.p = 1;
  l.n = l.m = l.D = keys.size();
  l.beta_power = 1;
  for (std::size_t k = 0; k < l.n * l.n; ++k) {
    l.X.emplace_back(k % (l.n + 1) == 0 ? 1 : 0);
  }
  l.U = l.X;
  l.Y = y;
  l.weights[heedcheck::W_Q] = Rationals(l.n, 0);
  l.weights[heedcheck::W_K] = keys;
  l.weights[heedcheck::W_V] = values;
  l.weights[heedcheck::W_O] = {1};
  l.trained[heedcheck::W_Q] = true;
  return l;
}

heedcheck::CriticalList list(Rationals lower, Rationals upper, const mpq_class& reach = 64) {
  return {{-reach, reach}, std::move(lower), std::move(upper)};
}

}  // namespace

TEST_CASE("softmax of two keys: values and limits decide, token by token") {
  // phi = 1 / (1 + e^-q): y inside has one global minimum, y outside none.
  const auto l = tokens(Kernel::softmax, {0, 1}, {0, 1}, {ratio(1, 2), 2});
  const auto zero = list({ratio(-1, 100)}, {ratio(1, 99)}), none = list({}, {});
  const auto found = prove_complete(l, {zero, none});
  CHECK((found.minima == mpz_class(0)));
  CHECK((found.global == mpz_class(0)));
  CHECK(found.benign);  // there is no local minimum
  CHECK_FALSE(found.bad_minimum);
  CHECK(found.constant == 0);
  // (2 - 1)^2 / 2, at infinity
  CHECK((found.infimum_lo == ratio(1, 2)));
  CHECK((found.infimum_hi == ratio(1, 2)));
  CHECK_THROWS_AS(prove_complete(l, {none, none}), heedcheck::Invalid);
  CHECK_THROWS_AS(prove_complete(l, {zero, zero}), heedcheck::Invalid);
  CHECK_THROWS_AS(prove_complete(l, {none, zero}), heedcheck::Invalid);
  // y = 1 is the limit of phi: the lead of phi - y cancels, and no point is critical.
  const auto limit = tokens(Kernel::softmax, {0, 1}, {0, 1}, {ratio(1, 2), 1});
  CHECK((prove_complete(limit, {zero, none}).minima == mpz_class(0)));
}

TEST_CASE("ties of keys count as one key with all their values") {
  // Keys 0, 0, 1 with values 0, 2, 4: phi from 1 to 4; y = 5/2 where 2 (1 - 5/2) + 3/2 e^q = 0.
  const auto l = tokens(Kernel::softmax, {0, 0, 1}, {0, 2, 4}, Rationals(3, ratio(5, 2)));
  const auto log2 = list({ratio(69, 100)}, {ratio(7, 10)});
  CHECK((prove_complete(l, {log2, log2, log2}).minima == mpz_class(1)));
  const auto at_zero = list({ratio(-1, 100)}, {ratio(1, 99)});
  CHECK_THROWS_AS(prove_complete(l, {at_zero, log2, log2}), heedcheck::Invalid);
  // Equal sums, but not equal means: not constant. 2 (1 - 3/2) + (2 - 3/2) e^q = 0.
  const auto sums = tokens(Kernel::softmax, {0, 0, 1}, {1, 1, 2}, Rationals(3, ratio(3, 2)));
  CHECK((prove_complete(sums, {log2, log2, log2}).minima == mpz_class(1)));
  // All keys equal, or equal values: constant.
  for (const auto& [keys, values] : {std::pair{Rationals{1, 1, 1}, Rationals{0, 2, 4}},
                                     std::pair{Rationals{0, 1, 2}, Rationals{2, 2, 2}}}) {
    const auto flat = tokens(Kernel::softmax, keys, values, {0, 2, 3});
    const auto none = list({}, {});
    const auto found = prove_complete(flat, {none, none, none});
    CHECK(found.constant == 3);
    CHECK_FALSE(found.minima.has_value());
    CHECK_FALSE(found.global.has_value());
    CHECK(found.benign);
    CHECK_FALSE(found.bad_minimum);
    CHECK((found.infimum_lo == ratio(5, 2)));  // 2^2/2 + 0 + 1/2
    CHECK((found.infimum_hi == ratio(5, 2)));
    CHECK_THROWS_AS(prove_complete(flat, {none, log2, none}), heedcheck::Invalid);
  }
  // gaussian: values that cancel on equal keys
  const auto gone = tokens(Kernel::gaussian, {1, 1, 3}, {2, -2, 0}, {1, 0, 0});
  const auto none = list({}, {});
  CHECK(prove_complete(gone, {none, none, none}).constant == 3);
  CHECK((prove_complete(gone, {none, none, none}).infimum_hi == ratio(1, 2)));
}

TEST_CASE("one Gaussian bump: its top is a maximum, a minimum or a double zero of phi - y") {
  // phi = e^{-q^2/2}, n = 1.
  const auto at = [](const mpq_class& y) { return tokens(Kernel::gaussian, {0}, {1}, {y}); };
  const auto top = list({ratio(-1, 100)}, {ratio(1, 99)});
  // y = 3/2: the top is the global minimum; g there 1/8.
  auto found = prove_complete(at(ratio(3, 2)), {top});
  CHECK((found.minima == mpz_class(1)));
  CHECK((found.global == mpz_class(1)));
  CHECK((found.infimum_lo <= ratio(1, 8)));
  CHECK((found.infimum_hi >= ratio(1, 8)));
  CHECK((found.infimum_hi - found.infimum_lo < ratio(1, 50)));
  // y = -1: the top is a maximum; the infimum 1/2 is at infinity.
  found = prove_complete(at(-1), {top});
  CHECK((found.minima == mpz_class(0)));
  CHECK((found.infimum_hi == ratio(1, 2)));
  // y = 0: phi - y has no zero, at infinity it tends to 0.
  found = prove_complete(at(0), {top});
  CHECK((found.minima == mpz_class(0)));
  CHECK((found.infimum_hi == 0));
  // y = 1/2: zeros at +-sqrt(2 log 2) = +-1.17741.
  const auto three = list({ratio(-1178, 1000), ratio(-1, 100), ratio(1177, 1000)},
                          {ratio(-1177, 1000), ratio(1, 99), ratio(1178, 1000)});
  found = prove_complete(at(ratio(1, 2)), {three});
  CHECK((found.minima == mpz_class(2)));
  CHECK((found.global == mpz_class(2)));
  CHECK(found.benign);
  // y = 1: phi - y = phi' = 0 at 0.
  for (const auto& points : {top, list({}, {}), three}) {
    CHECK_THROWS_AS(prove_complete(at(1), {points}), heedcheck::Invalid);
  }
}

TEST_CASE("minima of equal value are known to be equal by reflection alone") {
  // Bumps at 0 and 6 of one height, y above both; then one of them lower by 2^-20.
  const auto two =
      list({ratio(-1, 8), ratio(23, 8), ratio(47, 8)}, {ratio(1, 8), ratio(25, 8), ratio(49, 8)});
  const auto at = [](const mpq_class& second) {
    return tokens(Kernel::gaussian, {0, 6}, {1, second}, {2, 2});
  };
  auto found = prove_complete(at(1), {two, two});
  CHECK((found.minima == mpz_class(4)));
  CHECK((found.global == mpz_class(4)));
  CHECK(found.benign);
  CHECK_FALSE(found.bad_minimum);
  const mpq_class less = 1 - ratio(1, 1 << 20);
  found = prove_complete(at(less), {two, two});
  CHECK((found.minima == mpz_class(4)));
  CHECK_FALSE(found.global.has_value());  // the intervals are too wide to tell
  CHECK_FALSE(found.benign);
  CHECK_FALSE(found.bad_minimum);
  const mpq_class w(1, mpz_class(1) << 30);
  const auto narrow =
      list({-w * 256, ratio(23, 8), 6 - 256 * w}, {w * 256, ratio(25, 8), 6 + 256 * w});
  found = prove_complete(at(less), {narrow, narrow});
  CHECK((found.global == mpz_class(1)));
  CHECK(found.bad_minimum);
  CHECK_FALSE(found.benign);
}

TEST_CASE("a bad minimum needs a minimum of every other token") {
  // PAIR: bumps of heights 1 and 2 at 0 and 6.
  const auto at = [](const mpq_class& other) {
    return tokens(Kernel::gaussian, {0, 6}, {1, 2}, {ratio(3, 2), other});
  };
  // y = 3/2 lies between: a bad minimum at 0, maximum between and at 6, zeros beside 6.
  const auto pair = list({ratio(-1, 8), ratio(14, 5), ratio(52, 10), ratio(47, 8), ratio(67, 10)},
                         {ratio(1, 8), 3, ratio(53, 10), ratio(49, 8), ratio(68, 10)});
  // y = -1: three critical points, only the valley is a minimum, with g > 1/2 at infinity.
  const auto valley =
      list({ratio(-1, 8), ratio(14, 5), ratio(47, 8)}, {ratio(1, 8), 3, ratio(49, 8)});
  auto found = prove_complete(at(-1), {pair, valley});
  CHECK((found.minima == mpz_class(3)));
  CHECK((found.global == mpz_class(0)));
  CHECK(found.bad_minimum);
  // One bump: y below has no minimum, so that f has none.
  const auto single = tokens(Kernel::gaussian, {0, 6}, {1, 0}, {ratio(1, 2), -1});
  const auto top = list({ratio(-1, 100)}, {ratio(1, 99)});
  const auto three = list({ratio(-1178, 1000), ratio(-1, 100), ratio(1177, 1000)},
                          {ratio(-1177, 1000), ratio(1, 99), ratio(1178, 1000)});
  found = prove_complete(single, {three, top});
  CHECK((found.minima == mpz_class(0)));
  CHECK(found.benign);
  CHECK_FALSE(found.bad_minimum);
}

TEST_CASE("a bad minimum in one sample, and no minimum in the other: f has none") {
  auto l = tokens(Kernel::gaussian, {0, 6, 0, 6}, {1, 2, 1, 0}, {ratio(3, 2), ratio(3, 2), -1, -1});
  l.N = l.n = l.m = 2;
  l.U = {1, 0, 0, 1};
  const auto pair = list({ratio(-1, 8), ratio(14, 5), ratio(52, 10), ratio(47, 8), ratio(67, 10)},
                         {ratio(1, 8), 3, ratio(53, 10), ratio(49, 8), ratio(68, 10)});
  const auto top = list({ratio(-1, 100)}, {ratio(1, 99)});
  auto found = prove_complete(l, {pair, pair, top, top});
  CHECK((found.minima == mpz_class(0)));
  CHECK(found.benign);
  CHECK_FALSE(found.bad_minimum);
  l.Y[2] = l.Y[3] = 2;  // the top is a minimum
  found = prove_complete(l, {pair, pair, top, top});
  CHECK((found.minima == mpz_class(9)));
  CHECK((found.global == mpz_class(4)));
  CHECK(found.bad_minimum);
}

TEST_CASE("a value that is not told from a limit is not known to be global") {
  // The valley of bumps at 0 and 16 has phi = 2 e^-32 > 0, so g > 1/2, its limit: 32 bits do not tell.
  const auto l = tokens(Kernel::gaussian, {0, 16}, {1, 1}, {-1, -1});
  const auto three =
      list({ratio(-1, 8), ratio(63, 8), ratio(127, 8)}, {ratio(1, 8), ratio(65, 8), ratio(129, 8)});
  Interval::set_bits(32);
  auto found = prove_complete(l, {three, three});
  CHECK((found.minima == mpz_class(1)));
  CHECK_FALSE(found.global.has_value());
  CHECK_FALSE(found.benign);
  CHECK_FALSE(found.bad_minimum);
  Interval::set_bits(128);
  found = prove_complete(l, {three, three});
  CHECK((found.global == mpz_class(0)));
  CHECK(found.bad_minimum);
}

TEST_CASE("one head, one query, one output") {
  const auto zero = list({ratio(-1, 100)}, {ratio(1, 99)});
  const auto l = tokens(Kernel::softmax, {0, 1}, {0, 1}, {ratio(1, 2), ratio(1, 2)});
  CHECK((prove_complete(l, {zero, zero}).minima == mpz_class(1)));
  auto other = l;
  other.H = 2;
  for (auto& w : other.weights) w.insert(w.end(), w.begin(), w.end());
  CHECK_THROWS_AS(prove_complete(other, {zero, zero}), heedcheck::Invalid);
  other = l;
  other.d = 2;
  other.weights[heedcheck::W_Q] = Rationals(4, 0);
  other.weights[heedcheck::W_K] = {0, 1, 0, 1};
  CHECK_THROWS_AS(prove_complete(other, {zero, zero}), heedcheck::Invalid);
  other = l;
  other.p = 2;
  other.weights[heedcheck::W_V] = {1, 1};
  other.weights[heedcheck::W_O] = {0, 1};
  other.Y = Rationals(4, ratio(1, 2));
  CHECK_THROWS_AS(prove_complete(other, {zero, zero}), heedcheck::Invalid);
}

TEST_CASE("ranks and distances") {
  using heedcheck::RationalMatrix;
  RationalMatrix a(3, 3);
  a.entries = {0, 1, 2, 0, 2, 4, 1, 0, 0};
  CHECK(row_basis(a).rows == 2);
  a.entries = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK(row_basis(a).rows == 0);
  a.entries = {1, 2, 3, 4, 5, 6, 7, 8, 10};
  CHECK(row_basis(a).rows == 3);
  a.entries[8] = 9;
  CHECK(row_basis(a).rows == 2);
  a.entries[8] = mpq_class(9) + mpq_class(1, mpz_class(1) << 200);
  CHECK(row_basis(a).rows == 3);
  a = centred(a);
  CHECK((a.at(0, 0) == 0));
  CHECK((a.at(2, 1) == 6));
  CHECK(row_basis(a).rows == 2);
}

TEST_CASE("overshoot: the rate is beta^2 |q_perp|^2 y^2 of the worst token") {
  // d = 2, keys on a line that is not through 0.
  auto l = tokens(Kernel::gaussian, {0, 1, 3, 1}, {9, 9}, {1, 1});
  l.n = l.m = l.D = 2;
  l.d = 2;
  l.X = l.U = {1, 0, 0, 1};
  l.beta_power = 4;  // beta = 2 by its root
  l.root = true;
  l.weights[heedcheck::W_Q] = Rationals(4, 0);
  // distances 1/2 and 1 from the line, y = 1: rates 4 (1/4) and 4
  Rationals centre = {0, ratio(3, 2), 1, 0};
  const mpq_class tiny(1, 10000);
  const mpq_class rate = prove_overshoot(l, centre, tiny);
  CHECK((rate <= 1));
  CHECK((rate > ratio(9999, 10000)));
  centre[3] = -1;
  l.Y[1] = ratio(1, 16);  // 4 (2^2) / 16^2
  CHECK((abs(prove_overshoot(l, centre, tiny) - ratio(1, 16)) < ratio(1, 10000)));
  // phi of the second token: 9 (e^{-(1 + 4)} + e^{-(4 + 4)}) = 0.0637
  l.Y[1] = ratio(64, 1000);
  CHECK_THROWS_AS(prove_overshoot(l, centre, tiny), heedcheck::Invalid);
  l.Y[1] = ratio(63, 1000);
  CHECK((prove_overshoot(l, centre, tiny) > 0));
  // eta (G^2 + L_2 r) <= 1: G^2 = 2/e 18^2 = 238.386, L_2 = 36, r of the first token 9 (e^{-1/4} +
  // e^{-9 - 1/4}) - 1 = 6.01007, so eta <= 1 / 454.749.
  CHECK((prove_overshoot(l, centre, ratio(1, 455)) > 0));
  CHECK_THROWS_AS(prove_overshoot(l, centre, ratio(1, 454)), heedcheck::Invalid);
  // Sizes of values count, also of negative ones: G^2 = 2/e 24^2 = 423.795, L_2 = 48, phi of the first
  // token 21 e^{-1/4} - 3 e^{-9 - 1/4} = 16.35453, so eta <= 1 / 1160.81.
  auto mixed = l;
  mixed.weights[heedcheck::W_V] = {21, -3};
  CHECK((prove_overshoot(mixed, centre, ratio(1, 1161)) > 0));
  CHECK_THROWS_AS(prove_overshoot(mixed, centre, ratio(1, 1160)), heedcheck::Invalid);
  // phi < y by less than the bits tell; digits of phi = 9 (e^-5 + e^-8).
  auto close = l;
  close.Y[1] = mpq_class(mpz_class("636606867"), mpz_class("10000000000"));
  close.Y[1].canonicalize();
  CHECK_THROWS_AS(prove_overshoot(close, centre, tiny), heedcheck::Invalid);
  Interval::set_bits(32);
  CHECK_THROWS_AS(prove_overshoot(close, centre, tiny), heedcheck::Invalid);
  Interval::set_bits(128);
  close.Y[1] -= mpq_class(1, 1000000000);
  CHECK((prove_overshoot(close, centre, tiny) > 0));
  // Two outputs, two heads.
  auto wider = l;
  wider.p = 2;
  wider.weights[heedcheck::W_O] = {1, 1};
  wider.Y = {1, ratio(1, 100), ratio(1, 100), ratio(1, 100)};
  CHECK_THROWS_AS(prove_overshoot(wider, centre, tiny), heedcheck::Invalid);
  wider = l;
  wider.H = 2;
  for (auto& w : wider.weights) w.insert(w.end(), w.begin(), w.end());
  Rationals both = centre;
  both.insert(both.end(), centre.begin(), centre.end());
  CHECK_THROWS_AS(prove_overshoot(wider, both, tiny), heedcheck::Invalid);
  // On the line.
  CHECK_THROWS_AS(prove_overshoot(l, {0, ratio(3, 2), 77, 1}, tiny), heedcheck::Invalid);
}

TEST_CASE("pl: the constants of a Gram matrix that is known") {
  // Keys and queries 0: S is 1/2, J J^T of W_O (d_v = 1) has rank 1; of W_V with X = I as well.
  auto l = tokens(Kernel::gaussian, {0, 40}, {3, 5}, {0, 0});
  l.trained[heedcheck::W_Q] = false;
  l.trained[heedcheck::W_V] = true;
  l.weights[heedcheck::W_Q] = {0, 40};  // S = I but for e^-800
  l.weights[heedcheck::W_O] = {2};      // J J^T = 4 I
  const heedcheck::Model<Interval> model(l, beta_of(l));
  const mpq_class little = ratio(1, 1000000000);
  CHECK_NOTHROW(prove_pl(l, model, 4 - little, 4 + little));
  CHECK_THROWS_AS(prove_pl(l, model, 4 + little, 5), heedcheck::Invalid);
  CHECK_THROWS_AS(prove_pl(l, model, 3, 4 - little), heedcheck::Invalid);
  CHECK_THROWS_AS(prove_pl(l, model, 4, 5), heedcheck::Invalid);  // not proved: equal
  // W_O: one column for two outputs, no mu.
  l.trained[heedcheck::W_V] = false;
  l.trained[heedcheck::W_O] = true;
  CHECK_THROWS_AS(prove_pl(l, model, little, 100), heedcheck::Invalid);
  l.trained[heedcheck::W_V] = true;
  CHECK_THROWS_AS(prove_pl(l, model, little, 100), heedcheck::Invalid);
  l.trained[heedcheck::W_V] = l.trained[heedcheck::W_O] = false;
  l.trained[heedcheck::W_K] = true;
  CHECK_THROWS_AS(prove_pl(l, model, little, 100), heedcheck::Invalid);
}
