// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "interval.hpp"

namespace heedcheck {

inline bool is_zero(const mpq_class& x) { return x == 0; }
inline mpq_class square(const mpq_class& x) { return x * x; }

// A number with its first and second derivatives by some variables, in intervals or rationals.
template <class S>
struct Jet {
  S value{};
  std::vector<S> first;   // by variable; empty: all zero
  std::vector<S> second;  // (r, c), c <= r, at r (r + 1) / 2 + c; empty: all zero

  Jet() = default;
  explicit Jet(S x) : value(std::move(x)) {}
};

inline std::size_t triangle(std::size_t r, std::size_t c) { return r * (r + 1) / 2 + c; }

// x += factor y, entry by entry; empty stands for zeros.
template <class S>
void add_scaled(std::vector<S>& x, const S& factor, const std::vector<S>& y) {
  if (y.empty() || is_zero(factor)) return;
  x.resize(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (!is_zero(y[k])) x[k] += factor * y[k];
  }
}

// second += factor (a b^T + b a^T).
template <class S>
void add_products(std::vector<S>& second, const S& factor, const std::vector<S>& a,
                  const std::vector<S>& b) {
  if (a.empty() || b.empty() || is_zero(factor)) return;
  second.resize(triangle(a.size(), 0));
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      if (!is_zero(a[r]) && !is_zero(b[c])) second[triangle(r, c)] += factor * S(a[r] * b[c]);
      if (!is_zero(a[c]) && !is_zero(b[r])) second[triangle(r, c)] += factor * S(a[c] * b[r]);
    }
  }
}

// second += factor a a^T.
template <class S>
void add_square(std::vector<S>& second, const S& factor, const std::vector<S>& a) {
  if (a.empty() || is_zero(factor)) return;
  second.resize(triangle(a.size(), 0));
  for (std::size_t r = 0; r < a.size(); ++r) {
    if (is_zero(a[r])) continue;
    second[triangle(r, r)] += factor * square(a[r]);
    for (std::size_t c = 0; c < r; ++c) {
      if (!is_zero(a[c])) second[triangle(r, c)] += factor * S(a[r] * a[c]);
    }
  }
}

template <class S>
void add_scaled(Jet<S>& x, const S& factor, const Jet<S>& y) {
  x.value += factor * y.value;
  add_scaled(x.first, factor, y.first);
  add_scaled(x.second, factor, y.second);
}

template <class S>
Jet<S> difference(Jet<S> x, const Jet<S>& y) {
  x.value -= y.value;
  const S minus_one(S(mpq_class(-1)));
  add_scaled(x.first, minus_one, y.first);
  add_scaled(x.second, minus_one, y.second);
  return x;
}

// The derivatives of x y times factor, added to sum.
template <class S>
void add_product(Jet<S>& sum, const S& factor, const Jet<S>& x, const Jet<S>& y) {
  const S a(factor * x.value), b(factor * y.value);
  sum.value += a * y.value;
  add_scaled(sum.first, a, y.first);
  add_scaled(sum.first, b, x.first);
  add_scaled(sum.second, a, y.second);
  add_scaled(sum.second, b, x.second);
  add_products(sum.second, factor, x.first, y.first);
}

// factor x^2, added to sum.
template <class S>
void add_square(Jet<S>& sum, const S& factor, const Jet<S>& x) {
  sum.value += factor * square(x.value);
  const S slope(factor * S(x.value + x.value)), twice(factor + factor);
  add_scaled(sum.first, slope, x.first);
  add_scaled(sum.second, slope, x.second);
  add_square(sum.second, twice, x.first);
}

}  // namespace heedcheck
