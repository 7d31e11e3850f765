// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/lanczos.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heed/linalg/detail/dense_kernels.hpp"

namespace heed::approx {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index check_interval = 20;
// An exhausted Krylov space may have missed eigenvectors; so many new directions find them.
constexpr int enough_exhaustions = 4;

// Reproducible numbers without structure (splitmix64), uniform in [-1, 1].
class Noise {
 public:
  void fill(double* x, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      x[k] = static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31))) * 0x1p-63;
    }
  }

 private:
  std::uint64_t state_ = 20240229;
};

class Basis {
 public:
  Basis(std::size_t size, std::size_t capacity)
      : v_(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(capacity)) {}
  double* column(Eigen::Index k) { return v_.col(k).data(); }
  Dense& matrix() { return v_; }

  // x -= V V^T x over the first `count` vectors, twice; returns V^T x.
  Vector orthogonalise(Vector& x, Eigen::Index count) const {
    Vector total = Vector::Zero(count);
    const detail::ConstView v{v_.data(), static_cast<std::size_t>(v_.rows()),
                              static_cast<std::size_t>(count), static_cast<std::size_t>(v_.rows())};
    for (int pass = 0; pass < 2; ++pass) {
      Vector c = Vector::Zero(count);
      detail::dense_kernels().add_transposed_matrix_vector(c.data(), v, x.data());
      total += c;
      c = -c;
      detail::dense_kernels().add_matrix_vector(x.data(), v, c.data());
    }
    return total;
  }

 private:
  Dense v_;
};

// Norm of A to a factor of a few, from products with growing vectors; 0 for a zero operator.
double norm_estimate(const LinearOperator& a, Noise& noise) {
  Vector v(static_cast<Eigen::Index>(a.size)), w(v.size());
  noise.fill(v.data(), a.size);
  v.normalize();
  double norm = 0;
  for (int k = 0; k < 3; ++k) {
    a.apply(v.data(), w.data());
    const double next = w.stableNorm();
    if (!(next > 0) || !std::isfinite(next)) return k == 0 ? next : norm;
    norm = std::max(norm, next);
    v = w / next;
  }
  return norm;
}

class Iteration {
 public:
  Iteration(const LinearOperator& a, Extreme end, const LanczosOptions& options, int shift)
      : a_(a),
        smallest_(end == Extreme::smallest),
        options_(options),
        exponent_(shift),
        size_(static_cast<Eigen::Index>(a.size)),
        capacity_(std::min<Eigen::Index>(
            size_, std::max<Eigen::Index>(8, static_cast<Eigen::Index>(options.basis)))),
        basis_(a.size, static_cast<std::size_t>(capacity_)),
        projected_(Dense::Zero(capacity_, capacity_)) {}

  // The Ritz vector; true if converged.
  bool run(Noise& noise, Vector& best) {
    Vector w(size_);
    noise.fill(w.data(), a_.size);
    Eigen::Index filled = 0;  // columns of the basis whose product is in the projection
    if (!append(w, 0)) return false;
    int exhaustions = 0;
    for (int products = 0; products < options_.max_products; ++products) {
      const Eigen::Index j = filled;
      a_.apply(basis_.column(j), w.data());
      for (double& x : w) x = std::ldexp(x, -exponent_);
      const Vector c = basis_.orthogonalise(w, j + 1);
      if (!c.allFinite()) return false;
      // What was not set by a restart: the new diagonal entry.
      projected_(j, j) = c[j];
      ++filled;
      double beta = w.stableNorm();
      norm_ = std::max({norm_, std::fabs(c[j]), beta});
      const bool exhausted = beta <= 1e-14 * norm_;
      exhaustions += exhausted ? 1 : 0;
      const bool full = filled == capacity_;
      if (exhausted || full || filled % check_interval == 0) {
        solve(filled);
        const double residual =
            exhausted ? 0 : beta * std::fabs(ritz_vectors_(filled - 1, chosen_));
        if (filled == size_ || (!exhausted && residual <= options_.tolerance * norm_) ||
            (exhausted && (full || exhaustions == enough_exhaustions))) {
          best = basis_.matrix().leftCols(filled) * ritz_vectors_.col(chosen_);
          return true;
        }
        if (full) {
          restart(w, beta);
          filled = kept_;
          continue;
        }
      }
      if (exhausted) {
        noise.fill(w.data(), a_.size);
        w.normalize();
        basis_.orthogonalise(w, filled);
        beta = 0;
      }
      if (!append(w, filled)) break;
      projected_(filled, j) = projected_(j, filled) = beta;
    }
    solve(filled);
    best = basis_.matrix().leftCols(filled) * ritz_vectors_.col(chosen_);
    return false;
  }

 private:
  bool append(const Vector& w, Eigen::Index at) {
    const double norm = w.stableNorm();
    if (!(norm > 0) || !std::isfinite(norm)) return false;
    basis_.matrix().col(at) = w / norm;
    return true;
  }

  void solve(Eigen::Index count) {
    const Eigen::SelfAdjointEigenSolver<Dense> solver(projected_.topLeftCorner(count, count));
    ritz_values_ = solver.eigenvalues();
    ritz_vectors_ = solver.eigenvectors();
    chosen_ = smallest_ ? 0 : count - 1;
    norm_ = std::max(norm_, ritz_values_.cwiseAbs().maxCoeff());
  }

  // Keeps the Ritz vectors nearest to the wanted end and the residual direction.
  void restart(const Vector& w, double beta) {
    kept_ = std::max<Eigen::Index>(1, capacity_ / 3);
    const Eigen::Index first = smallest_ ? 0 : capacity_ - kept_;
    const Dense vectors = ritz_vectors_.middleCols(first, kept_);
    const Dense kept = basis_.matrix() * vectors;
    basis_.matrix().leftCols(kept_) = kept;
    projected_.setZero();
    for (Eigen::Index k = 0; k < kept_; ++k) {
      projected_(k, k) = ritz_values_[first + k];
      projected_(k, kept_) = projected_(kept_, k) = beta * vectors(capacity_ - 1, k);
    }
    append(w, kept_);
  }

  const LinearOperator& a_;
  bool smallest_;
  const LanczosOptions& options_;
  int exponent_;
  Eigen::Index size_, capacity_, chosen_ = 0, kept_ = 0;
  Basis basis_;
  Dense projected_, ritz_vectors_;
  Vector ritz_values_;
  double norm_ = 0;
};

}  // namespace

LanczosResult thick_restart_lanczos(const LinearOperator& a, Extreme end,
                                    const LanczosOptions& options) {
  LanczosResult result;
  Noise noise;
  const auto n = static_cast<Eigen::Index>(a.size);
  const double norm = norm_estimate(a, noise);
  Vector v(n), w(n);
  noise.fill(v.data(), a.size);
  v.normalize();
  if (norm > 0 && std::isfinite(norm)) {
    const int exponent = std::ilogb(norm);
    Vector best;
    result.converged = Iteration(a, end, options, exponent).run(noise, best);
    const double length = best.size() == n ? best.stableNorm() : 0;
    if (length > 0 && std::isfinite(length)) v = best / length;
    a.apply(v.data(), w.data());
    for (double& x : w) x = std::ldexp(x, -exponent);
    const double value = v.dot(w);
    result.residual = std::ldexp((w - value * v).stableNorm(), exponent);
    result.value = std::ldexp(value, exponent);
  } else {
    result.converged = norm == 0;
    result.value = norm == 0 ? 0 : norm;
    result.residual = result.value;
  }
  result.vector.assign(v.data(), v.data() + n);
  return result;
}

}  // namespace heed::approx
