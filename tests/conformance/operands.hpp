// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "heed/numeric/mpfi.hpp"
#include "heed/numeric/mpfr_real.hpp"

namespace conformance {

using heed::Rational;

/// Constants, so that a compiler can fold whatever is computed with them. The last two are subnormal.
inline constexpr std::array<double, 11> operands{
    0.1,  3.0,       -7.25,      0x1.fffffffffffffp+0, 1.0 / 3, 41.0, 1e-5, -0x1.0000000000001p-30,
    1e22, 0x1p-1074, 0x1.8p-1040};
inline constexpr std::size_t normal_operands = operands.size() - 2;

struct Add {
  template <class S>
  S operator()(const S& x, const S& y) const {
    return x + y;
  }
};
struct Subtract {
  template <class S>
  S operator()(const S& x, const S& y) const {
    return x - y;
  }
};
struct Multiply {
  template <class S>
  S operator()(const S& x, const S& y) const {
    return x * y;
  }
};
struct Divide {
  template <class S>
  S operator()(const S& x, const S& y) const {
    return x / y;
  }
};
/// A rounding for each operation, unless the compiler contracts them.
struct MultiplyAdd {
  template <class S>
  S operator()(const S& x, const S& y) const {
    const S product = x * y;
    return product + x;
  }
};

/// Pairs of operands: each with itself and two others.
inline constexpr std::size_t pair_count = 3 * operands.size();
constexpr std::size_t first(std::size_t pair) { return pair / 3; }
constexpr std::size_t second(std::size_t pair) {
  constexpr std::size_t steps[] = {0, 1, 4};
  return (pair / 3 + steps[pair % 3]) % operands.size();
}

/// Results of f on all pairs, by form.
template <class S, class F>
class Pairs {
 public:
  using Values = std::vector<S>;

  static Values folded() { return fold(std::make_index_sequence<pair_count>()); }

  static Values inlined() {
    Values all;
    for (std::size_t k = 0; k < pair_count; ++k)
      all.push_back(F()(S(operands[first(k)]), S(operands[second(k)])));
    return all;
  }

  static Values looped() {
    Values x, y, z(pair_count);
    for (std::size_t k = 0; k < pair_count; ++k) {
      x.emplace_back(operands[first(k)]);
      y.emplace_back(operands[second(k)]);
    }
    const S *a = x.data(), *b = y.data();
    S* c = z.data();
    for (std::size_t k = 0; k < pair_count; ++k) c[k] = F()(a[k], b[k]);
    return z;
  }

  static Values behind_barrier() {
    Values all;
    for (std::size_t k = 0; k < pair_count; ++k) {
      volatile double x = operands[first(k)], y = operands[second(k)];
      all.push_back(barrier(S(double(x)), S(double(y))));
    }
    return all;
  }

 private:
  template <std::size_t K>
  static S constant() {
    constexpr double x = operands[first(K)], y = operands[second(K)];
    return F()(S(x), S(y));
  }
  template <std::size_t... K>
  static Values fold(std::index_sequence<K...>) {
    return {constant<K>()...};
  }
  [[gnu::noinline]] static S barrier(const S& x, const S& y) { return F()(x, y); }
};

}  // namespace conformance
