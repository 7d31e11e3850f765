// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/simplex_point.hpp"

#include <flint/fmpz.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "heed/margin/detail/approx_active_set.hpp"
#include "heed/numeric/ball_arb.hpp"

namespace heed::detail {
namespace {

using Index = std::vector<std::size_t>;

Ball point(Ball x) {
  approx::collapse(x);
  return x;
}

bool positive_point(const Ball& x) { return approx::sign(x) > 0; }

/// Rows with a positive multiplier in double: those of unit rows with right sides 1 / norm.
Index guess_in_double(const Matrix<Ball>& Q) {
  const std::size_t n = Q.rows();
  GramSystem<double> system;
  system.m = n;
  std::vector<Ball> inverse_norm;
  for (std::size_t k = 0; k < n; ++k) inverse_norm.push_back(point(Ball(1) / sqrt(point(Q(k, k)))));
  long shift = approx::exponent(inverse_norm.front());
  for (const Ball& x : inverse_norm) shift = std::max(shift, approx::exponent(x));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l < n; ++l)
      system.G.push_back(
          k == l ? 1 : approx::to_double(point(Q(k, l)) * inverse_norm[k] * inverse_norm[l]));
  for (const Ball& x : inverse_norm)
    system.b.push_back(std::max(approx::to_double(ldexp(x, -shift)), 1e-300));
  Index rows = approx_active_set(system).active;
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// Lawson and Hanson's method with normal matrix Q / t^2 + 1 1^T and right side 1.
class LeastSquares {
 public:
  LeastSquares(const Matrix<Ball>& Q, long shift) : n_(Q.rows()), N_(n_, n_), x_(n_), out_(n_) {
    for (std::size_t k = 0; k < N_.size(); ++k)
      N_.data()[k] = point(ldexp(point(Q.data()[k]), -shift) + Ball(1));
    for (std::size_t k = 0; k < n_; ++k) size_.push_back(point(sqrt(N_(k, k))));
  }

  void start(const Index& guess) {
    for (const std::size_t k : guess) append(k);
    while (!rows_.empty()) {
      const std::vector<Ball> z = solution();
      Index kept;
      for (std::size_t j = 0; j < rows_.size(); ++j)
        if (positive_point(z[j])) kept.push_back(rows_[j]);
      if (kept.size() == rows_.size()) {
        take(z);
        return;
      }
      rebuild(kept);
    }
  }

  void run(std::size_t max_exchanges) {
    for (std::size_t round = 0; round < max_exchanges; ++round) {
      const std::optional<std::size_t> k = steepest();
      if (!k) return;
      if (!append(*k) || !positive_point(solution().back())) {
        out_[*k] = true;  // follows from the rows in use to this precision
        if (rows_.back() == *k) drop_last();
        continue;
      }
      settle();
      std::fill(out_.begin(), out_.end(), false);
    }
  }

  const std::vector<Ball>& x() const { return x_; }

 private:
  Ball unit(long bits) const { return ldexp(Ball(1), bits - working_precision()); }

  bool append(std::size_t k) {
    std::vector<Ball> y;
    for (const std::size_t l : rows_) y.push_back(N_(k, l));
    forward(y);
    const Ball pivot = point(N_(k, k) - dot(y.size(), y.data(), 1, y.data(), 1));
    if (!approx::less(point(unit(10) * N_(k, k)), pivot)) return false;
    y.push_back(point(sqrt(pivot)));
    L_.push_back(std::move(y));
    rows_.push_back(k);
    return true;
  }
  void drop_last() {
    L_.pop_back();
    rows_.pop_back();
  }
  void rebuild(const Index& rows) {
    rows_.clear();
    L_.clear();
    for (const std::size_t k : rows)
      if (!append(k)) x_[k] = Ball(0);
  }

  void forward(std::vector<Ball>& c) const {
    for (std::size_t i = 0; i < c.size(); ++i)
      c[i] = point((c[i] - dot(i, L_[i].data(), 1, c.data(), 1)) / L_[i][i]);
  }
  std::vector<Ball> solution() const {
    std::vector<Ball> c(rows_.size(), Ball(1));
    forward(c);
    for (std::size_t i = c.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < c.size(); ++j) c[i] -= L_[j][i] * c[j];
      c[i] = point(c[i] / L_[i][i]);
    }
    return c;
  }
  void take(const std::vector<Ball>& z) {
    std::fill(x_.begin(), x_.end(), Ball(0));
    for (std::size_t j = 0; j < rows_.size(); ++j) x_[rows_[j]] = z[j];
  }

  /// The row of largest 1 - (N x)_k relative to its norm, above what rounding makes.
  std::optional<std::size_t> steepest() const {
    std::optional<std::size_t> best;
    Ball most = unit(6);
    for (std::size_t k = 0; k < n_; ++k) {
      if (out_[k] || std::find(rows_.begin(), rows_.end(), k) != rows_.end()) continue;
      const Ball slack = point((Ball(1) - dot(n_, N_.row(k), 1, x_.data(), 1)) / size_[k]);
      if (approx::less(most, slack)) {
        most = slack;
        best = k;
      }
    }
    return best;
  }

  /// Moves x to the solution on the rows in use, dropping rows that would become negative.
  void settle() {
    while (!rows_.empty()) {
      const std::vector<Ball> z = solution();
      std::optional<std::size_t> blocking;
      Ball t(1);
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        if (positive_point(z[j])) continue;
        const Ball& x = x_[rows_[j]];
        const Ball gap = point(x - z[j]);
        const Ball ratio = positive_point(gap) ? point(x / gap) : Ball(0);
        if (!blocking || approx::less(ratio, t)) {
          t = ratio;
          blocking = j;
        }
      }
      if (!blocking) {
        take(z);
        return;
      }
      Index kept;
      for (std::size_t j = 0; j < rows_.size(); ++j) {
        Ball& x = x_[rows_[j]];
        x = point(x + t * (z[j] - x));
        if (j != *blocking && (positive_point(x) || positive_point(z[j]))) {
          kept.push_back(rows_[j]);
        } else {
          x = Ball(0);
        }
      }
      rebuild(kept);
    }
  }

  std::size_t n_;
  Matrix<Ball> N_;
  std::vector<Ball> size_, x_;
  std::vector<bool> out_;
  Index rows_;
  std::vector<std::vector<Ball>> L_;
};

/// floor(x 2^bits) for the midpoint of 0 <= x <= 2.
void scaled_floor(fmpz_t result, const Ball& x, int bits) {
  arf_t scaled;
  arf_init(scaled);
  arf_mul_2exp_si(scaled, arb_midref(arb(x)), bits);
  arf_get_fmpz(result, scaled, ARF_RND_FLOOR);
  arf_clear(scaled);
}

/// x / sum x with entries that are multiples of 2^-bits; what rounding leaves goes to the largest.
std::vector<Rational> rounded_into_simplex(const std::vector<Ball>& x) {
  const int bits = working_precision();
  Ball sum;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sum += x[k];
    if (approx::less(x[largest], x[k])) largest = k;
  }
  std::vector<Rational> alpha(x.size());
  Rational left(1);
  if (positive_point(sum)) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (k == largest || !positive_point(x[k])) continue;
      fmpz_t floor;
      fmpz_init(floor);
      scaled_floor(floor, point(x[k] / point(sum)), bits);
      fmpz_get_mpz(mpq_numref(alpha[k].raw()), floor);
      fmpz_clear(floor);
      alpha[k] *= Rational::power_of_two(-bits);
      left -= alpha[k];
    }
  }
  if (left < Rational(0)) {  // cannot happen but for x that are not numbers
    std::fill(alpha.begin(), alpha.end(), Rational(0));
    left = Rational(1);
  }
  alpha[largest] = left;
  return alpha;
}

}  // namespace

std::vector<Rational> simplex_point(const Matrix<Ball>& Q) {
  const std::size_t n = Q.rows();
  std::vector<Rational> alpha(n);
  const bool finite = std::all_of(Q.entries().begin(), Q.entries().end(),
                                  [](const Ball& x) { return x.is_finite(); });
  std::size_t least = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (approx::less(Q(k, k), Q(least, least))) least = k;
  if (!finite || !positive_point(Q(least, least)) || n == 1) {
    alpha[least] = Rational(1);
    return alpha;
  }
  LeastSquares problem(Q, approx::exponent(Q(least, least)));
  problem.start(guess_in_double(Q));
  problem.run(3 * n + 30);
  return rounded_into_simplex(problem.x());
}

}  // namespace heed::detail
