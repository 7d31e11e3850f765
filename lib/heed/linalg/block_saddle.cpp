// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/block_saddle.hpp"

#include <algorithm>
#include <utility>

#include "heed/linalg/approx_eigen.hpp"
#include "heed/linalg/block_saddle_approx.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/ldlt.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"

namespace heed {
namespace {

constexpr std::size_t dense_candidate_limit = 200;

std::vector<Ball> slice(const Ball* v, std::size_t n) { return {v, v + n}; }

}  // namespace

BlockSaddle::BlockSaddle(std::vector<SaddleBlock<Ball>> blocks, Matrix<Ball> J)
    : blocks_(std::move(blocks)), j_(std::move(J)) {
  for (const SaddleBlock<Ball>& b : blocks_) {
    offsets_.push_back(size_);
    size_ += b.size();
  }
  const std::size_t n = j_.rows();
  JuJut_ = Matrix<Ball>(n, n);
  for (std::size_t h = 0; h < blocks_.size(); ++h) {
    const Matrix<Ball>& M = blocks_[h].M;
    MtM_.push_back(gram_of_columns(M));
    Matrix<Ball> JuM(n, M.cols());
    for (std::size_t i = 0; i < n; ++i) {
      const Ball* u = j_.row(i) + offsets_[h];
      for (std::size_t c = 0; c < M.cols(); ++c)
        JuM(i, c) = dot(M.rows(), u, 1, M.data() + c, M.cols());
      for (std::size_t k = 0; k <= i; ++k)
        JuJut_(i, k) += dot(M.rows(), u, 1, j_.row(k) + offsets_[h], 1);
    }
    JuM_.push_back(std::move(JuM));
  }
  j_squared_norm_ = squared_norm(j_).upper();
}

std::vector<Ball> BlockSaddle::apply(const std::vector<Ball>& v) const {
  std::vector<Ball> y(size_);
  for (std::size_t h = 0; h < blocks_.size(); ++h) {
    const SaddleBlock<Ball>& b = blocks_[h];
    const std::size_t u = b.M.rows(), w = b.M.cols(), at = offsets_[h];
    for (std::size_t i = 0; i < u; ++i) y[at + i] = dot(w, b.M.row(i), 1, v.data() + at + u, 1);
    for (std::size_t i = 0; i < w; ++i)
      y[at + u + i] =
          dot(w, b.K.row(i), 1, v.data() + at + u, 1) + dot(u, b.M.data() + i, w, v.data() + at, 1);
  }
  if (rank() > 0) {
    const std::vector<Ball> jv = multiply(j_, v);
    for (std::size_t k = 0; k < size_; ++k) y[k] += dot(rank(), j_.data() + k, size_, jv.data(), 1);
  }
  return y;
}

Ball BlockSaddle::norm_bound() const {
  Ball largest;
  for (const SaddleBlock<Ball>& b : blocks_)
    largest =
        max(largest,
            (sqrt_nonnegative(squared_norm(b.K)) + sqrt_nonnegative(squared_norm(b.M))).upper());
  return (largest + j_squared_norm_).upper();
}

Ball BlockSaddle::resolution() const {
  // S_h contains M^T M / s: its rounding error, about 2^-p / |s|, must stay below |s|.
  return ldexp(Ball(1), -(45L * working_precision()) / 100);
}

class BlockSaddle::Factorization final : public ShiftedFactorization {
 public:
  Factorization(const BlockSaddle& a, const Ball& s) : a_(a), s_(s) {
    const std::size_t n = a.rank();
    const bool s_positive = certainly(positive(s));
    if (!s_positive && !certainly(heed::negative(s))) {
      error = Ball(1) / Ball(0);
      return;
    }
    Matrix<Ball> C(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k <= i; ++k) C(i, k) = Ball(i == k ? 1 : 0) - a.JuJut_(i, k) / s;
    for (std::size_t h = 0; h < a.blocks_.size(); ++h) {
      const std::size_t w = a.blocks_[h].K.rows();
      Matrix<Ball> S = a.blocks_[h].K;
      for (std::size_t i = 0; i < w; ++i) {
        for (std::size_t k = 0; k <= i; ++k) S(i, k) += a.MtM_[h](i, k) / s;
        S(i, i) -= s;
      }
      const Ldlt<Ball>& f = factors_.emplace_back(S);
      if (f.zero() > 0) {
        error = Ball(1) / Ball(0);
        return;
      }
      error = max(error, symmetric_norm_bound(f.residual(S))).upper();
      negative += f.negative() + (s_positive ? a.blocks_[h].M.rows() : 0);
      std::vector<std::vector<Ball>> y, z;
      for (std::size_t i = 0; i < n; ++i) {
        const Ball* g = a.j_.row(i) + a.offsets_[h] + a.blocks_[h].M.rows();
        std::vector<Ball> rhs(w);
        for (std::size_t k = 0; k < w; ++k) rhs[k] = g[k] + a.JuM_[h](i, k) / s;
        y.push_back(f.forward(rhs));
        z.push_back(f.divide_by_pivots(y.back()));
      }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k <= i; ++k) C(i, k) += dot(y[i], z[k]);
    }
    if (n == 0) return;
    const Ldlt<Ball>& c = complement_.emplace_back(C);
    negative = negative + c.positive() - n;
    const Ball e = symmetric_norm_bound(c.residual(C));
    const Ball rest = Ball(1) - e;
    if (certainly(positive(rest))) {
      error = (error + a.j_squared_norm_ * e / rest).upper();
    } else {
      error = Ball(1) / Ball(0);
    }
  }

  std::vector<Ball> approx_solve(const std::vector<Ball>& b) const override {
    if (factors_.size() < a_.blocks_.size() || factors_.back().zero() > 0) return {};
    std::vector<Ball> y = block_solve(b);
    if (a_.rank() == 0) return y;
    if (complement_.empty() || complement_.front().zero() > 0) return {};
    std::vector<Ball> t = multiply(a_.j_, y);
    for (Ball& x : t) approx::collapse(x);
    t = complement_.front().solve(t);
    for (Ball& x : t) approx::collapse(x);
    const std::vector<Ball> correction = block_solve(transposed_multiply(a_.j_, t));
    for (std::size_t k = 0; k < y.size(); ++k) y[k] -= correction[k];
    return y;
  }

 private:
  // Midpoints of (blockdiag - s)^{-1} b.
  std::vector<Ball> block_solve(const std::vector<Ball>& b) const {
    std::vector<Ball> x(b.size());
    for (std::size_t h = 0; h < a_.blocks_.size(); ++h) {
      const Matrix<Ball>& M = a_.blocks_[h].M;
      const std::size_t u = M.rows(), w = M.cols(), at = a_.offsets_[h];
      std::vector<Ball> rhs = slice(b.data() + at + u, w);
      for (std::size_t k = 0; k < w; ++k) rhs[k] += dot(u, M.data() + k, w, b.data() + at, 1) / s_;
      std::vector<Ball> xw = factors_[h].solve(rhs);
      for (Ball& t : xw) approx::collapse(t);
      for (std::size_t i = 0; i < u; ++i)
        x[at + i] = (dot(w, M.row(i), 1, xw.data(), 1) - b[at + i]) / s_;
      for (std::size_t k = 0; k < w; ++k) x[at + u + k] = std::move(xw[k]);
    }
    for (Ball& t : x) approx::collapse(t);
    return x;
  }

  const BlockSaddle& a_;
  Ball s_;
  std::vector<Ldlt<Ball>> factors_;
  std::vector<Ldlt<Ball>> complement_;  // empty when n = 0
};

std::unique_ptr<ShiftedFactorization> BlockSaddle::factor_shifted(const Ball& s) const {
  return std::make_unique<Factorization>(*this, s);
}

std::vector<double> BlockSaddle::approx_extreme_vector(Extreme end) const {
  if (size_ <= dense_candidate_limit) return approx::extreme_eigenvector(dense(), end);
  return approx::lanczos_extreme(approx::scaled_operator(blocks_, j_), end).vector;
}

Matrix<Ball> BlockSaddle::dense() const { return saddle_matrix(blocks_, j_); }

}  // namespace heed
