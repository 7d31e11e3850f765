// SPDX-License-Identifier: Apache-2.0
#include "landscape_series.hpp"

#include <algorithm>
#include <optional>

namespace heedcheck {
namespace {

constexpr int halvings = 4, doublings = 64;

Interval units(const mpz_class& x) { return Interval::between(x, x); }
mpq_class as_number(const mpz_class& x) { return units(x).lower(); }
mpz_class middle_of(const Interval& x) { return (x.lo() + x.hi()) / 2; }
// The largest distance of its numbers from m.
mpz_class distance(const Interval& x, const mpz_class& m) {
  return std::max<mpz_class>(x.hi() - m, m - x.lo());
}
// Products, quotients and roots of numbers in units, rounded somehow.
mpz_class rounded_product(const mpz_class& a, const mpz_class& b) {
  return (units(a) * units(b)).lo();
}

// W with W^T A W near I for a matrix of numbers; nothing if A is not found positive definite.
std::optional<IntervalMatrix> rounded_basis(const IntervalMatrix& A) {
  const std::size_t n = A.rows;
  Matrix<mpz_class> L(n, n), inverse(n, n);  // A = L L^T; W = L^-T
  for (std::size_t c = 0; c < n; ++c) {
    mpz_class pivot = A.at(c, c).lo();
    for (std::size_t k = 0; k < c; ++k) pivot -= rounded_product(L.at(c, k), L.at(c, k));
    if (pivot <= 0) return std::nullopt;
    L.at(c, c) = square_root(units(pivot)).lo();
    if (L.at(c, c) <= 0) return std::nullopt;
    const mpz_class over = reciprocal(units(L.at(c, c))).lo();
    for (std::size_t r = c + 1; r < n; ++r) {
      mpz_class x = A.at(r, c).lo();
      for (std::size_t k = 0; k < c; ++k) x -= rounded_product(L.at(r, k), L.at(c, k));
      L.at(r, c) = rounded_product(x, over);
    }
    inverse.at(c, c) = over;
  }
  IntervalMatrix W(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = c; r < n; ++r) {
      if (r > c) {
        mpz_class x = 0;
        for (std::size_t k = c; k < r; ++k) x -= rounded_product(L.at(r, k), inverse.at(k, c));
        inverse.at(r, c) = rounded_product(x, inverse.at(r, r));
      }
      W.at(c, r) = units(inverse.at(r, c));
    }
  }
  return W;
}

}  // namespace

HessianSeries::HessianSeries(const Model<Form>& model, const std::vector<mpq_class>& centre,
                             FormDomain domain)
    : ball_(domain.ball),
      middle_(centre.size(), centre.size()),
      error_(centre.size(), centre.size()),
      rest_(centre.size(), centre.size()) {
  const std::size_t P = centre.size();
  const std::vector<mpz_class> half = domain.half;
  Form::set_domain(std::move(domain));
  std::vector<Form> theta;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < P; ++k) {
    theta.push_back(Form::coordinate(centre[k], k));
    all.push_back(k);
    slopes_.emplace_back(P, P);
  }
  const std::vector<Form> second = model.loss(theta, all, model.all()).second;
  for (std::size_t r = 0; r < P; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      const Form& x = second[triangle(r, c)];
      const mpz_class m = middle_of(x.value());
      mpz_class error = distance(x.value(), m);
      for (std::size_t k = 0; k < x.slope().size(); ++k) {
        const Interval slope = x.slope()[k] * units(half[k]);
        const mpz_class t = middle_of(slope);
        slopes_[k].at(r, c) = slopes_[k].at(c, r) = units(t);
        error += distance(slope, t);
      }
      middle_.at(r, c) = middle_.at(c, r) = units(m);
      error_.at(r, c) = error_.at(c, r) = error;
      rest_.at(r, c) = rest_.at(c, r) = x.rest();
    }
  }
}

// sup |p W^T T[v] W + W^T E' W|, in units.
mpz_class HessianSeries::spread(const IntervalMatrix* basis, const mpq_class& p,
                                const mpq_class& q) const {
  const std::size_t P = middle_.rows;
  const mpz_class part = Interval(p).hi(), square_part = Interval(q).hi();
  IntervalMatrix within(P, P);
  for (std::size_t k = 0; k < within.entries.size(); ++k) {
    within.entries[k] = units(error_.entries[k] + product_up(rest_.entries[k], square_part));
  }
  std::vector<IntervalMatrix> slopes = slopes_;
  if (basis != nullptr) {
    IntervalMatrix size = *basis;
    for (Interval& x : size.entries) x = units(x.magnitude().hi());
    within = product(transposed(size), product(within, size));
    for (IntervalMatrix& T : slopes) T = product(transposed(*basis), product(T, *basis));
  }
  Matrix<mpz_class> rest(P, P), by_entry(P, P);
  IntervalMatrix gram(P, P);
  for (std::size_t k = 0; k < within.entries.size(); ++k) {
    Interval sum;
    for (const IntervalMatrix& T : slopes) {
      sum += ball_ ? square(T.entries[k]) : T.entries[k].magnitude();
    }
    mpz_class most = sum.hi();
    if (ball_) most = square_root(units(most)).hi();
    rest.entries[k] = within.entries[k].hi();
    by_entry.entries[k] = rest.entries[k] + product_up(most, part);
  }
  // Both are products of symmetric matrices: symmetric up to rounding.
  const auto symmetrise = [&](Matrix<mpz_class>& m) {
    for (std::size_t r = 0; r < P; ++r) {
      for (std::size_t c = 0; c < r; ++c) {
        m.at(r, c) = m.at(c, r) = std::max(m.at(r, c), m.at(c, r));
      }
    }
  };
  symmetrise(rest);
  symmetrise(by_entry);
  const mpz_class entries = spectral_radius(by_entry);
  for (std::size_t k = 0; k < P; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      Interval sum;
      for (std::size_t e = 0; e < slopes[k].entries.size(); ++e) {
        sum += slopes[k].entries[e] * slopes[l].entries[e];
      }
      gram.at(k, l) = gram.at(l, k) = sum;
    }
  }
  // A box lies in a ball of sqrt(P) half widths.
  const mpq_class norm = spectrum_bounds(gram).most * (ball_ ? 1 : static_cast<unsigned long>(P));
  const mpz_class frobenius = square_root(units(std::max<mpz_class>(Interval(norm).hi(), 0))).hi();
  return std::min<mpz_class>(entries, product_up(frobenius, part) + spectral_radius(rest));
}

bool HessianSeries::is_above(const mpq_class& mu, const mpq_class& p, const mpq_class& q) const {
  IntervalMatrix shifted = middle_;
  const mpz_class shift = Interval(mu).hi();
  for (std::size_t k = 0; k < shifted.rows; ++k) shifted.at(k, k) -= units(shift);
  const auto W = rounded_basis(shifted);
  if (!W) return false;
  const mpz_class bound = spread(&*W, p, q);
  const IntervalMatrix B = product(transposed(*W), product(shifted, *W));
  for (std::size_t r = 0; r < B.rows; ++r) {
    mpz_class disc = bound;
    for (std::size_t c = 0; c < B.rows; ++c) {
      if (c != r) disc += B.at(r, c).magnitude().hi();
    }
    if (B.at(r, r).lo() <= disc) return false;
  }
  return true;
}

SpectrumBounds HessianSeries::plain_bounds(const mpq_class& p, const mpq_class& q) const {
  SpectrumBounds bounds = spectrum_bounds(middle_);
  const mpq_class all = as_number(spread(nullptr, p, q));
  bounds.least -= all;
  bounds.most += all;
  return bounds;
}

mpq_class HessianSeries::least(const mpq_class& p, const mpq_class& q) const {
  const mpq_class top = spectrum_bounds(middle_).least;
  mpq_class low = plain_bounds(p, q).least, high = top, step = abs(top) / 4;
  for (int k = 0; k < doublings && high - step > low; ++k, step *= 2) {
    const mpq_class mu = high - step;
    if (is_above(mu, p, q)) {
      low = mu;
      break;
    }
    high = mu;
  }
  for (int k = 0; k < halvings && low < high; ++k) {
    const mpq_class mu = (low + high) / 2;
    (is_above(mu, p, q) ? low : high) = mu;
  }
  return low;
}

SpectrumBounds second_derivative(const Model<Form>& model, const std::vector<mpq_class>& theta,
                                 std::size_t k, const Residuals& residuals, const mpq_class& half) {
  Form::set_domain({false, {Interval(half).hi()}});
  std::vector<Form> forms(theta.begin(), theta.end());
  forms[k] = Form::coordinate(theta[k], 0);
  const Form x = model.loss(forms, {k}, residuals).second[0];
  const mpq_class spread = as_number(x.reach() + x.rest());
  return {x.value().lower() - spread, x.value().upper() + spread};
}

}  // namespace heedcheck
