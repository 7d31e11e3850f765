// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_jacobian.hpp"

#include "heed/linalg/product.hpp"

namespace heed {
namespace {

template <class S>
S norm_of(const KernelAnalysis<S>& a, const Matrix<S>& m) {
  return sqrt_nonnegative(a.spectral_squared(m));
}

/// Norms of the blocks of one head, enlarged by the radius.
template <class S>
struct HeadSizes {
  S q, k, v, o;
};

/// What the entries of A^{h,i} share: beta, |U|, n, sqrt n, and the sizes of the sample and the head.
template <class S>
struct Sizes {
  S beta, u, n, root_n;
  TokenSizes<S> x;
  HeadSizes<S> w;
};

// The lower triangle of A^{h,i}, by kernel; S is scaled by `scale`.
template <class S>
Matrix<S> gaussian_matrix(const Sizes<S>& z, const S& scale) {
  const S x = z.x.whole, outer = scale * z.u * square(x),
          slope = outer * sqrt(z.beta * z.n * exp(S(-1)));
  Matrix<S> A(4, 4);
  A(0, 0) = A(1, 1) = A(1, 0) = outer * x * z.w.v * z.w.o * z.beta * z.root_n;
  A(2, 0) = A(2, 1) = slope * z.w.o;
  A(3, 0) = A(3, 1) = slope * z.w.v;
  A(3, 2) = scale * z.u * z.n * x;
  return A;
}

// Rows that sum to 1, with |dz| <= Q |dW_Q| + K |dW_K| and |d2z| <= 2 alpha |dW_Q| |dW_K| +
// gamma |dW_K|^2 for the scores, and `x` in place of |X| where S is differentiated.
template <class S>
Matrix<S> normalised_matrix(const Sizes<S>& z, const S& x, const S& Q, const S& K, const S& alpha,
                            const S& gamma) {
  const S c = sqrt(S(6)) / S(9), outer = z.u * x * z.w.v * z.w.o, half = z.u * x / S(2);
  Matrix<S> A(4, 4);
  A(0, 0) = outer * c * square(Q);
  A(1, 1) = outer * (c * square(K) + gamma / S(2));
  A(1, 0) = outer * (c * K * Q + alpha / S(2));
  A(2, 0) = half * Q * z.w.o;
  A(2, 1) = half * K * z.w.o;
  A(3, 0) = half * Q * z.w.v;
  A(3, 1) = half * K * z.w.v;
  A(3, 2) = z.u * z.root_n * z.x.whole;
  return A;
}

template <class S>
Matrix<S> second_derivative_matrix(AttentionKernel kernel, const Sizes<S>& z) {
  switch (kernel) {
    case AttentionKernel::softmax: {
      const S alpha = z.beta * square(z.x.whole);
      return normalised_matrix(z, z.x.whole, S(alpha * z.w.k), S(alpha * z.w.q), alpha, S(0));
    }
    case AttentionKernel::gaussian_normalised: {
      const S alpha = z.beta * z.x.whole * z.x.spread, gamma = z.beta * z.root_n * z.x.products;
      return normalised_matrix(z, z.x.spread, S(alpha * z.w.k), S(alpha * z.w.q + gamma * z.w.k),
                               alpha, gamma);
    }
    case AttentionKernel::gaussian:
      return gaussian_matrix(z, S(1));
    case AttentionKernel::gaussian_over_n:
      break;
  }
  return gaussian_matrix(z, S(S(1) / z.n));
}

// m minus the mean of its rows.
template <class S>
Matrix<S> centred(const Matrix<S>& m) {
  Matrix<S> c = m;
  for (std::size_t j = 0; j < m.cols(); ++j) {
    S mean(0);
    for (std::size_t r = 0; r < m.rows(); ++r) mean += m(r, j);
    mean /= count<S>(m.rows());
    for (std::size_t r = 0; r < m.rows(); ++r) c(r, j) -= mean;
  }
  return c;
}

}  // namespace

template <class S>
TokenSizes<S> token_sizes(const KernelAnalysis<S>& a, std::size_t i) {
  const Matrix<S>& X = a.model().inputs().X[i];
  TokenSizes<S> sizes{norm_of(a, X), S(0), S(0)};
  if (X.rows() == 1) return sizes;
  sizes.spread = norm_of(a, centred(X));
  // tau^2 = lambda_max(Pi (G o G) Pi), G = X X^T.
  Matrix<S> squares = gram_of_rows(X);
  for (S& g : squares.entries()) g = square(g);
  Matrix<S> both = centred(transposed(centred(squares)));
  for (std::size_t r = 0; r < both.rows(); ++r)
    for (std::size_t s = 0; s < r; ++s) both(s, r) = both(r, s);
  sizes.products = sqrt_nonnegative(max(lambda_max(both), S(0)));
  return sizes;
}

template <class S>
S jacobian_lipschitz(const KernelAnalysis<S>& a, const S& R, KernelBlocks trained) {
  const auto reach = [&](KernelBlock block) { return trained.contains(block) ? R : S(0); };
  const KernelWeights<S>& w = a.model().weights();
  const S n = count<S>(a.instance().tokens());
  std::vector<TokenSizes<S>> tokens;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    tokens.push_back(a.kernel() == AttentionKernel::gaussian_normalised
                         ? token_sizes(a, i)
                         : TokenSizes<S>{norm_of(a, a.model().inputs().X[i]), S(0), S(0)});
  Sizes<S> z{a.beta(), norm_of(a, a.model().inputs().readout), n, sqrt(n), {}, {}};
  S most(0);
  for (std::size_t h = 0; h < w.W_Q.size(); ++h) {
    z.w = {norm_of(a, w.W_Q[h]) + reach(KernelBlock::query),
           norm_of(a, w.W_K[h]) + reach(KernelBlock::key),
           norm_of(a, w.W_V[h]) + reach(KernelBlock::value),
           norm_of(a, w.W_O[h]) + reach(KernelBlock::output)};
    Matrix<S> sum(4, 4);
    for (const TokenSizes<S>& x : tokens) {
      z.x = x;
      const Matrix<S> A = second_derivative_matrix(a.kernel(), z);
      for (std::size_t e = 0; e < 16; ++e) sum.data()[e] += square(A.data()[e]);
    }
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t s = 0; s <= r; ++s) {
        const bool both = trained.contains(kernel_blocks[r]) && trained.contains(kernel_blocks[s]);
        sum(r, s) = sum(s, r) = both ? sqrt_nonnegative(sum(r, s)) : S(0);
      }
    most = max(most, lambda_max(sum));
  }
  return most;
}

template TokenSizes<DoubleBall> token_sizes(const KernelAnalysis<DoubleBall>&, std::size_t);
template TokenSizes<Ball> token_sizes(const KernelAnalysis<Ball>&, std::size_t);
template DoubleBall jacobian_lipschitz(const KernelAnalysis<DoubleBall>&, const DoubleBall&,
                                       KernelBlocks);
template Ball jacobian_lipschitz(const KernelAnalysis<Ball>&, const Ball&, KernelBlocks);

}  // namespace heed
