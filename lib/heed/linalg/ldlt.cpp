// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/ldlt.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace heed {
namespace {

template <class S>
S point(S x) {
  approx::collapse(x);
  return x;
}

bool is_negative(double x) { return x < 0; }
bool is_negative(const Ball& x) { return certainly(negative(x)); }
bool is_finite(double x) { return std::isfinite(x); }
bool is_finite(const Ball& x) { return x.is_finite(); }

// A 2 x 2 pivot [[p, q], [q, r]] divided by q: neither overflow nor underflow, and the determinant
// p r - q^2 = q^2 det has the sign of det.
template <class S>
struct ScaledPair {
  S p, r, det;
  ScaledPair(const S& p_, const S& q, const S& r_) : p(p_ / q), r(r_ / q), det(p * r - S(1)) {}
};

template <class S>
std::pair<std::size_t, std::size_t> largest_offdiagonal(const Matrix<S>& m, std::size_t k) {
  std::pair<std::size_t, std::size_t> at{k + 1, k};
  for (std::size_t i = k + 1; i < m.rows(); ++i)
    for (std::size_t j = k; j < i; ++j)
      if (approx::abs_less(m(at.first, at.second), m(i, j))) at = {i, j};
  return at;
}

// Symmetric swap of rows and columns p < q, of which only the lower triangle is stored.
template <class S>
void swap_symmetric(Matrix<S>& m, std::size_t p, std::size_t q) {
  using std::swap;
  for (std::size_t j = 0; j < p; ++j) swap(m(p, j), m(q, j));
  for (std::size_t i = p + 1; i < q; ++i) swap(m(i, p), m(q, i));
  for (std::size_t i = q + 1; i < m.rows(); ++i) swap(m(i, p), m(i, q));
  swap(m(p, p), m(q, q));
}

}  // namespace

template <class S>
Ldlt<S>::Ldlt(const Matrix<S>& a) {
  const std::size_t n = a.rows();
  lower_ = Matrix<S>(n, n);
  diagonal_.resize(n);
  subdiagonal_.resize(n);
  starts_pair_.assign(n, false);
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (!factor_definite(a)) factor_pivoted(a);
  for (std::size_t k = 0; k < n; ++k) lower_(k, k) = S(1);
  count_inertia();
}

// Left-looking and without pivoting, which is backward stable when all pivots have one sign.
template <class S>
bool Ldlt<S>::factor_definite(const Matrix<S>& a) {
  const std::size_t n = a.rows();
  Matrix<S> scaled(n, n);  // L D
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      scaled(i, j) = point<S>(a(i, j) - dot(j, scaled.row(i), 1, lower_.row(j), 1));
      lower_(i, j) = point<S>(scaled(i, j) / diagonal_[j]);
    }
    diagonal_[i] = point<S>(a(i, i) - dot(i, scaled.row(i), 1, lower_.row(i), 1));
    const int sign = approx::sign(diagonal_[i]);
    if (sign == 0 || sign != approx::sign(diagonal_[0])) return false;
  }
  return true;
}

template <class S>
void Ldlt<S>::factor_pivoted(const Matrix<S>& a) {
  const std::size_t n = a.rows();
  Matrix<S> m(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) m(i, j) = point<S>(a(i, j));
  const auto exchange = [&](std::size_t p, std::size_t q) {
    if (p == q) return;
    swap_symmetric(m, p, q);
    std::swap(order_[p], order_[q]);
  };
  // Bunch-Parlett: a diagonal pivot unless the largest off-diagonal entry exceeds it by 1/0.64; then
  // the 2 x 2 block has determinant below (0.41 - 1) times the square of that entry, so negative.
  const S threshold = Scalar<S>::from(Rational(16, 25));
  std::size_t k = 0;
  while (k < n) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (approx::abs_less(m(p, p), m(i, i))) p = i;
    std::pair<std::size_t, std::size_t> off{k, k};
    if (k + 1 < n) off = largest_offdiagonal(m, k);
    const bool pair =
        k + 1 < n && approx::abs_less(m(p, p), S(threshold * m(off.first, off.second)));
    if (!pair) {
      exchange(k, p);
      diagonal_[k] = m(k, k);
      if (approx::sign(m(k, k)) != 0) {
        std::vector<S> column(n);
        for (std::size_t i = k + 1; i < n; ++i) {
          column[i] = m(i, k);
          m(i, k) = point<S>(m(i, k) / m(k, k));
        }
        for (std::size_t i = k + 1; i < n; ++i)
          for (std::size_t j = k + 1; j <= i; ++j)
            m(i, j) = point<S>(m(i, j) - m(i, k) * column[j]);
      }
      k += 1;
    } else {
      exchange(k, off.second);
      exchange(k + 1, off.first);
      const S x = m(k, k), y = m(k + 1, k), z = m(k + 1, k + 1);
      const ScaledPair<S> pivot(x, y, z);
      std::vector<S> first(n), second(n);
      for (std::size_t i = k + 2; i < n; ++i) {
        first[i] = m(i, k);
        second[i] = m(i, k + 1);
        const S f = first[i] / y, g = second[i] / y;
        m(i, k) = point<S>((pivot.r * f - g) / pivot.det);
        m(i, k + 1) = point<S>((pivot.p * g - f) / pivot.det);
      }
      for (std::size_t i = k + 2; i < n; ++i)
        for (std::size_t j = k + 2; j <= i; ++j)
          m(i, j) = point<S>(m(i, j) - m(i, k) * first[j] - m(i, k + 1) * second[j]);
      diagonal_[k] = x;
      subdiagonal_[k] = y;
      diagonal_[k + 1] = z;
      starts_pair_[k] = true;
      m(k + 1, k) = S(0);
      k += 2;
    }
  }
  lower_ = std::move(m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) lower_(i, j) = S(0);
}

template <class S>
void Ldlt<S>::count_inertia() {
  negative_ = zero_ = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    if (starts_pair_[k]) {
      const S det = ScaledPair<S>(diagonal_[k], subdiagonal_[k], diagonal_[k + 1]).det;
      if (is_negative(det)) {
        negative_ += 1;
      } else if (is_finite(det)) {
        throw std::logic_error("2 x 2 pivot is not indefinite");
      } else {
        zero_ += 2;  // NaN in A; the residual is NaN as well
      }
      k += 1;
    } else {
      negative_ += approx::sign(diagonal_[k]) < 0 ? 1 : 0;
      zero_ += approx::sign(diagonal_[k]) == 0 ? 1 : 0;
    }
  }
}

template <class S>
Matrix<S> Ldlt<S>::residual(const Matrix<S>& a) const {
  const std::size_t n = size();
  Matrix<S> scaled(n, n), e(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      scaled(i, k) += lower_(i, k) * diagonal_[k];
      if (starts_pair_[k]) {
        if (k + 1 < n) scaled(i, k + 1) += lower_(i, k) * subdiagonal_[k];
        if (k + 1 <= i) scaled(i, k) += lower_(i, k + 1) * subdiagonal_[k];
      }
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t p = std::max(order_[i], order_[j]), q = std::min(order_[i], order_[j]);
      e(p, q) = e(q, p) = a(p, q) - dot(j + 1, scaled.row(i), 1, lower_.row(j), 1);
    }
  return e;
}

template <class S>
std::vector<S> Ldlt<S>::forward(const std::vector<S>& b) const {
  std::vector<S> y(size());
  for (std::size_t i = 0; i < size(); ++i)
    y[i] = b[order_[i]] - dot(i, lower_.row(i), 1, y.data(), 1);
  return y;
}

template <class S>
std::vector<S> Ldlt<S>::divide_by_pivots(const std::vector<S>& y) const {
  std::vector<S> x(size());
  for (std::size_t k = 0; k < size(); ++k) {
    if (!starts_pair_[k]) {
      x[k] = y[k] / diagonal_[k];
      continue;
    }
    const S& q = subdiagonal_[k];
    const ScaledPair<S> pivot(diagonal_[k], q, diagonal_[k + 1]);
    const S f = y[k] / q, g = y[k + 1] / q;
    x[k] = (pivot.r * f - g) / pivot.det;
    x[k + 1] = (pivot.p * g - f) / pivot.det;
    k += 1;
  }
  return x;
}

template <class S>
std::vector<S> Ldlt<S>::solve(const std::vector<S>& b) const {
  std::vector<S> x = divide_by_pivots(forward(b));
  for (std::size_t i = size(); i-- > 0;)
    if (i + 1 < size())
      x[i] -= dot(size() - i - 1, lower_.row(i + 1) + i, size(), x.data() + i + 1, 1);
  std::vector<S> result(size());
  for (std::size_t i = 0; i < size(); ++i) result[order_[i]] = x[i];
  return result;
}

template class Ldlt<double>;
template class Ldlt<Ball>;

}  // namespace heed
