// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of kernel_attention.hpp, for instantiation with a further scalar: include the scalar's
// header first.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/product.hpp"

namespace heed {
namespace detail {

template <class S>
bool below(const S& a, const S& b) {
  if constexpr (std::is_same_v<S, Rational>)
    return a < b;
  else
    return approx::less(a, b);
}

template <class S>
void add_to(Matrix<S>& sum, const Matrix<S>& term) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum.data()[k] += term.data()[k];
}

template <class S>
Matrix<S> zeros_like(const Matrix<S>& m) {
  return Matrix<S>(m.rows(), m.cols());
}

// sum_k a_k (b_k - c_k)
template <class S>
S dot_difference(std::size_t n, const S* a, const S* b, const S* c) {
  S sum(0);
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * (b[k] - c[k]);
  return sum;
}

// row += factor (b - c)
template <class S>
void add_difference(std::size_t n, S* row, const S& factor, const S* b, const S* c) {
  for (std::size_t k = 0; k < n; ++k) row[k] += factor * (b[k] - c[k]);
}

template <class S>
void add_multiple(std::size_t n, S* row, const S& factor, const S* b) {
  for (std::size_t k = 0; k < n; ++k) row[k] += factor * b[k];
}

template <class S>
bool is_unbounded(const S& x) {
  if constexpr (requires { x.is_finite(); })
    return !x.is_finite();
  else
    return false;
}

template <class S>
S kernel_beta(const KernelBeta& beta) {
  const S value = Scalar<S>::from(beta.value);
  if constexpr (std::is_same_v<S, Rational>) {
    if (beta.root) throw std::invalid_argument("kernel attention: beta is not rational");
    return value;
  } else {
    return beta.root ? S(sqrt(value)) : value;
  }
}

template <class S>
std::vector<Matrix<S>> matrices_as(const std::vector<Matrix<Rational>>& exact) {
  std::vector<Matrix<S>> result;
  for (const auto& m : exact)
    result.push_back(map(m, [](const Rational& q) { return Scalar<S>::from(q); }));
  return result;
}

}  // namespace detail

template <class S>
KernelInputs<S>::KernelInputs(const KernelInstance& instance)
    : X(detail::matrices_as<S>(instance.X)),
      Y(detail::matrices_as<S>(instance.Y)),
      readout(map(instance.readout, [](const Rational& q) { return Scalar<S>::from(q); })),
      beta(detail::kernel_beta<S>(instance.beta)) {}

template <class S>
KernelModel<S>::KernelModel(Inputs inputs, AttentionKernel kernel, KernelWeights<S> weights)
    : in_(std::move(inputs)), kernel_(kernel), w_(std::move(weights)) {
  require_shapes();
  project();
  for (std::size_t i = 0; i < in_->samples(); ++i)
    for (std::size_t h = 0; h < heads(); ++h) attend(i, h);
  read_out();
}

template <class S>
KernelModel<S>::KernelModel(Inputs inputs, AttentionKernel kernel, KernelWeights<S> weights,
                            std::vector<Matrix<S>> attention)
    : in_(std::move(inputs)), kernel_(kernel), w_(std::move(weights)) {
  require_shapes();
  project();
  if (attention.size() != states_.size())
    throw std::invalid_argument("kernel attention: expected one matrix for each sample and head");
  const std::size_t n = in_->tokens();
  for (std::size_t k = 0; k < states_.size(); ++k) {
    State& s = states_[k];
    if (attention[k].rows() != n || attention[k].cols() != n)
      throw std::invalid_argument("kernel attention: expected attention of shape n x n");
    s.A = std::move(attention[k]);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 1; b < n; ++b)
        if (detail::below(s.A(a, s.reference[a]), s.A(a, b))) s.reference[a] = b;
  }
  read_out();
}

template <class S>
void KernelModel<S>::require_shapes() const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("kernel attention: ") + what);
  };
  const KernelInputs<S>& in = *in_;
  const std::size_t n = in.tokens(), m = in.readout.rows(), H = w_.W_Q.size();
  require(in.samples() > 0 && n > 0 && m > 0, "expected at least one sample, token and output row");
  require(in.Y.size() == in.samples(), "expected one target for each sample");
  require(H > 0 && w_.W_K.size() == H && w_.W_V.size() == H && w_.W_O.size() == H,
          "expected the same number of matrices W_Q, W_K, W_V and W_O, at least one");
  const std::size_t D = in.X.front().cols(), d = w_.W_Q.front().cols();
  const std::size_t v = w_.W_V.front().cols(), p = w_.W_O.front().cols();
  require(D > 0 && d > 0 && v > 0 && p > 0, "expected dimensions of at least 1");
  for (const Matrix<S>& x : in.X) require(x.rows() == n && x.cols() == D, "expected X: n x D");
  for (const Matrix<S>& y : in.Y) require(y.rows() == m && y.cols() == p, "expected Y: m x p");
  const auto shape = [&](const std::vector<Matrix<S>>& heads, std::size_t rows, std::size_t cols,
                         const char* what) {
    for (const Matrix<S>& w : heads) require(w.rows() == rows && w.cols() == cols, what);
  };
  shape(w_.W_Q, D, d, "expected W_Q: D x d");
  shape(w_.W_K, D, d, "expected W_K: D x d");
  shape(w_.W_V, D, v, "expected W_V: D x d_v");
  shape(w_.W_O, v, p, "expected W_O: d_v x p");
}

template <class S>
void KernelModel<S>::project() {
  for (const Matrix<S>& X : in_->X)
    for (std::size_t h = 0; h < heads(); ++h)
      states_.push_back({multiply(X, w_.W_Q[h]), multiply(X, w_.W_K[h]), multiply(X, w_.W_V[h]),
                         Matrix<S>(X.rows(), X.rows()), Matrix<S>(),
                         std::vector<std::size_t>(X.rows(), 0)});
}

// log S_al - log S_ab, up to the normalisation of a row.
template <class S>
S KernelModel<S>::score_gap(const State& s, std::size_t a, std::size_t l, std::size_t b) const {
  const std::size_t d = s.Q.cols();
  const S *q = s.Q.row(a), *kl = s.K.row(l), *kb = s.K.row(b);
  if (!has_distances(kernel_)) return in_->beta * detail::dot_difference(d, q, kl, kb);
  S sum(0);
  for (std::size_t c = 0; c < d; ++c) sum += ((q[c] - kl[c]) + (q[c] - kb[c])) * (kl[c] - kb[c]);
  return in_->beta * sum / S(2);
}

template <class S>
void KernelModel<S>::attend(std::size_t i, std::size_t h) {
  if constexpr (std::is_same_v<S, Rational>) {
    throw std::invalid_argument("kernel attention: exact values need given attention");
  } else {
    State& s = at(i, h);
    const std::size_t n = s.Q.rows(), d = s.Q.cols();
    std::vector<S> w(n);
    for (std::size_t a = 0; a < n; ++a) {
      if (!is_normalised(kernel_)) {
        for (std::size_t b = 0; b < n; ++b) {
          S distance(0);
          for (std::size_t c = 0; c < d; ++c) distance += square(S(s.Q(a, c) - s.K(b, c)));
          s.A(a, b) = exp(S(-(in_->beta * distance) / S(2)));
          if (kernel_ == AttentionKernel::gaussian_over_n) s.A(a, b) /= S(static_cast<int>(n));
        }
        continue;
      }
      std::size_t& r = s.reference[a];
      for (std::size_t b = 1; b < n; ++b)
        if (detail::below(S(0), score_gap(s, a, b, r))) r = b;
      S total(0);
      for (std::size_t b = 0; b < n; ++b) {
        w[b] = b == r ? S(1) : S(exp(score_gap(s, a, b, r)));
        total += w[b];
      }
      for (std::size_t b = 0; b < n; ++b) {
        s.A(a, b) = w[b] / total;
        if constexpr (Scalar<S>::rigorous) {
          S sum(1);
          for (std::size_t l = 0; l < n; ++l)
            if (l != b) sum += exp(score_gap(s, a, l, b));
          if (!detail::is_unbounded(sum)) s.A(a, b) = S(1) / sum;
        }
      }
    }
    if constexpr (!Scalar<S>::rigorous) {
      for (std::size_t a = 0; a < n && !underflow_; ++a)
        for (std::size_t b = 0; b < n && !underflow_; ++b)
          if (s.A(a, b) == S(0)) underflow_ = AttentionEntry{i, h, a, b};
    }
  }
}

template <class S>
void KernelModel<S>::read_out() {
  for (std::size_t i = 0; i < in_->samples(); ++i) {
    Matrix<S> sum(in_->tokens(), w_.W_O.front().cols());
    for (std::size_t h = 0; h < heads(); ++h) {
      State& s = at(i, h);
      s.T = multiply(s.A, s.P);
      detail::add_to(sum, multiply(s.T, w_.W_O[h]));
    }
    F_.push_back(multiply(in_->readout, sum));
    Matrix<S> r = F_.back();
    for (std::size_t k = 0; k < r.size(); ++k) r.data()[k] -= in_->Y[i].data()[k];
    R_.push_back(std::move(r));
  }
}

template <class S>
S KernelModel<S>::loss() const {
  S sum(0);
  for (const Matrix<S>& r : R_)
    for (const S& x : r.entries()) {
      if constexpr (requires { square(x); })
        sum += square(x);
      else
        sum += x * x;
    }
  return sum / S(2);
}

// What the derivatives by Q and K share: Psi = df / d scores. Of the reference of a normalised row it
// is minus the sum of the others.
template <class S>
struct KernelModel<S>::Backward {
  Matrix<S> G;       // U^T R, n x p
  Matrix<S> Go;      // G W_O^T, n x d_v
  Matrix<S> M;       // df/dS; in a normalised row less its entry at the reference
  std::vector<S> c;  // sum_b S_ab M_ab in a normalised row, else 0
  Matrix<S> Psi;
};

namespace detail {

// S o (M - c), with the entry of the reference from the others where rows are normalised.
template <class S>
Matrix<S> centred(const Matrix<S>& A, const Matrix<S>& M, const std::vector<S>& c,
                  const std::vector<std::size_t>& reference, bool normalised) {
  Matrix<S> psi(A.rows(), A.cols());
  for (std::size_t a = 0; a < A.rows(); ++a) {
    S others(0);
    for (std::size_t b = 0; b < A.cols(); ++b) {
      if (normalised && b == reference[a]) continue;
      psi(a, b) = A(a, b) * (M(a, b) - c[a]);
      others += psi(a, b);
    }
    if (normalised) psi(a, reference[a]) = -others;
  }
  return psi;
}

// Go P^T, in a normalised row in differences to the reference.
template <class S>
Matrix<S> slope_by_attention(const Matrix<S>& Go, const Matrix<S>& P,
                             const std::vector<std::size_t>& reference, bool normalised) {
  Matrix<S> M(Go.rows(), P.rows());
  const std::size_t v = P.cols();
  for (std::size_t a = 0; a < M.rows(); ++a)
    for (std::size_t b = 0; b < M.cols(); ++b)
      M(a, b) = normalised ? dot_difference(v, Go.row(a), P.row(b), P.row(reference[a]))
                           : dot(v, Go.row(a), 1, P.row(b), 1);
  return M;
}

// sum_b psi_ab (K_b - K_r), r the reference of row a: psi K where the rows of psi sum to 0.
template <class S>
Matrix<S> combine_differences(const Matrix<S>& psi, const Matrix<S>& K,
                              const std::vector<std::size_t>& reference) {
  Matrix<S> g(psi.rows(), K.cols());
  for (std::size_t a = 0; a < psi.rows(); ++a)
    for (std::size_t b = 0; b < K.rows(); ++b)
      if (b != reference[a])
        add_difference(K.cols(), g.row(a), psi(a, b), K.row(b), K.row(reference[a]));
  return g;
}

// sum_b psi_ab (k_b - q_a); where rows are normalised, and those of psi sum to 0, psi K.
template <class S>
Matrix<S> pull_to_queries(const Matrix<S>& psi, const Matrix<S>& Q, const Matrix<S>& K,
                          const std::vector<std::size_t>& reference, bool normalised) {
  if (normalised) return combine_differences(psi, K, reference);
  Matrix<S> g(Q.rows(), Q.cols());
  for (std::size_t a = 0; a < Q.rows(); ++a)
    for (std::size_t b = 0; b < K.rows(); ++b)
      add_difference(Q.cols(), g.row(a), psi(a, b), K.row(b), Q.row(a));
  return g;
}

// sum_a psi_ab q_a, or sum_a psi_ab (q_a - k_b) where scores are distances, for the keys.
template <class S>
Matrix<S> pull_to_keys(const Matrix<S>& psi, const Matrix<S>& Q, const Matrix<S>& K,
                       bool distances) {
  Matrix<S> g(K.rows(), K.cols());
  const std::size_t d = K.cols();
  for (std::size_t b = 0; b < K.rows(); ++b)
    for (std::size_t a = 0; a < Q.rows(); ++a) {
      if (distances)
        add_difference(d, g.row(b), psi(a, b), Q.row(a), K.row(b));
      else
        add_multiple(d, g.row(b), psi(a, b), Q.row(a));
    }
  return g;
}

template <class S>
std::vector<S> row_means(const Matrix<S>& A, const Matrix<S>& M, bool normalised) {
  std::vector<S> c(A.rows(), S(0));
  for (std::size_t a = 0; normalised && a < A.rows(); ++a)
    c[a] = dot(A.cols(), A.row(a), 1, M.row(a), 1);
  return c;
}

template <class S>
void scale(Matrix<S>& m, const S& factor) {
  for (S& x : m.entries()) x *= factor;
}

}  // namespace detail

template <class S>
typename KernelModel<S>::Backward KernelModel<S>::backward(std::size_t i, std::size_t h) const {
  const State& s = at(i, h);
  const bool normalised = is_normalised(kernel_);
  Backward b;
  b.G = transposed_multiply(in_->readout, R_[i]);
  b.Go = multiply_transposed(b.G, w_.W_O[h]);
  b.M = detail::slope_by_attention(b.Go, s.P, s.reference, normalised);
  b.c = detail::row_means(s.A, b.M, normalised);
  b.Psi = detail::centred(s.A, b.M, b.c, s.reference, normalised);
  return b;
}

template <class S>
KernelWeights<S> KernelModel<S>::gradient(KernelBlocks blocks) const {
  KernelWeights<S> g = map(w_, [](const S&) { return S(0); });
  const bool normalised = is_normalised(kernel_), distances = has_distances(kernel_);
  for (std::size_t i = 0; i < in_->samples(); ++i) {
    const Matrix<S>& X = in_->X[i];
    for (std::size_t h = 0; h < heads(); ++h) {
      const State& s = at(i, h);
      const Backward b = backward(i, h);
      if (blocks.contains(KernelBlock::query)) {
        auto dQ = detail::pull_to_queries(b.Psi, s.Q, s.K, s.reference, normalised);
        detail::scale(dQ, in_->beta);
        detail::add_to(g.W_Q[h], transposed_multiply(X, dQ));
      }
      if (blocks.contains(KernelBlock::key)) {
        auto dK = detail::pull_to_keys(b.Psi, s.Q, s.K, distances);
        detail::scale(dK, in_->beta);
        detail::add_to(g.W_K[h], transposed_multiply(X, dK));
      }
      if (blocks.contains(KernelBlock::value))
        detail::add_to(g.W_V[h], transposed_multiply(X, transposed_multiply(s.A, b.Go)));
      if (blocks.contains(KernelBlock::output))
        detail::add_to(g.W_O[h], transposed_multiply(s.T, b.G));
    }
  }
  return g;
}

// dS along (dQ, dK).
template <class S>
Matrix<S> KernelModel<S>::tangent_of_attention(const State& s, const Matrix<S>& dQ,
                                               const Matrix<S>& dK) const {
  const std::size_t n = s.Q.rows(), d = s.Q.cols();
  const bool normalised = is_normalised(kernel_);
  Matrix<S> dE(n, n);
  for (std::size_t a = 0; a < n; ++a) {
    const std::size_t r = s.reference[a];
    for (std::size_t b = 0; b < n; ++b) {
      S sum(0);
      if (has_distances(kernel_)) {
        for (std::size_t c = 0; c < d; ++c) {
          sum -= (s.Q(a, c) - s.K(b, c)) * (dQ(a, c) - dK(b, c));
          if (normalised) sum += (s.Q(a, c) - s.K(r, c)) * (dQ(a, c) - dK(r, c));
        }
      } else {
        sum = detail::dot_difference(d, dQ.row(a), s.K.row(b), s.K.row(r)) +
              detail::dot_difference(d, s.Q.row(a), dK.row(b), dK.row(r));
      }
      dE(a, b) = normalised && b == r ? S(0) : S(in_->beta * sum);
    }
  }
  return detail::centred(s.A, dE, detail::row_means(s.A, dE, normalised), s.reference, normalised);
}

template <class S>
struct KernelModel<S>::Tangent {
  Matrix<S> dQ, dK, dP, dA, dT;
};

template <class S>
KernelWeights<S> KernelModel<S>::hessian_vector_product(const KernelWeights<S>& direction,
                                                        KernelBlocks blocks) const {
  const KernelWeights<S>& D = direction;
  KernelWeights<S> out = map(w_, [](const S&) { return S(0); });
  const bool normalised = is_normalised(kernel_), distances = has_distances(kernel_);
  for (std::size_t i = 0; i < in_->samples(); ++i) {
    const Matrix<S>& X = in_->X[i];
    std::vector<Tangent> tangents;
    Matrix<S> sum(in_->tokens(), w_.W_O.front().cols());
    for (std::size_t h = 0; h < heads(); ++h) {
      const State& s = at(i, h);
      Tangent t{multiply(X, D.W_Q[h]), multiply(X, D.W_K[h]), multiply(X, D.W_V[h]), {}, {}};
      t.dA = tangent_of_attention(s, t.dQ, t.dK);
      t.dT = multiply(s.A, t.dP);
      detail::add_to(t.dT, normalised ? detail::combine_differences(t.dA, s.P, s.reference)
                                      : multiply(t.dA, s.P));
      detail::add_to(sum, multiply(t.dT, w_.W_O[h]));
      detail::add_to(sum, multiply(s.T, D.W_O[h]));
      tangents.push_back(std::move(t));
    }
    const Matrix<S> dG = transposed_multiply(in_->readout, multiply(in_->readout, sum));
    for (std::size_t h = 0; h < heads(); ++h) {
      const State& s = at(i, h);
      const Tangent& t = tangents[h];
      const Backward b = backward(i, h);
      Matrix<S> dGo = multiply_transposed(dG, w_.W_O[h]);
      detail::add_to(dGo, multiply_transposed(b.G, D.W_O[h]));
      if (blocks.contains(KernelBlock::output)) {
        detail::add_to(out.W_O[h], transposed_multiply(t.dT, b.G));
        detail::add_to(out.W_O[h], transposed_multiply(s.T, dG));
      }
      if (blocks.contains(KernelBlock::value)) {
        Matrix<S> pulled = transposed_multiply(t.dA, b.Go);
        detail::add_to(pulled, transposed_multiply(s.A, dGo));
        detail::add_to(out.W_V[h], transposed_multiply(X, pulled));
      }
      if (!blocks.contains(KernelBlock::query) && !blocks.contains(KernelBlock::key)) continue;
      Matrix<S> dM = detail::slope_by_attention(dGo, s.P, s.reference, normalised);
      detail::add_to(dM, detail::slope_by_attention(b.Go, t.dP, s.reference, normalised));
      std::vector<S> dc = detail::row_means(t.dA, b.M, normalised);
      const std::vector<S> by_slope = detail::row_means(s.A, dM, normalised);
      for (std::size_t a = 0; a < dc.size(); ++a) dc[a] += by_slope[a];
      Matrix<S> dPsi = detail::centred(t.dA, b.M, b.c, s.reference, normalised);
      detail::add_to(dPsi, detail::centred(s.A, dM, dc, s.reference, normalised));
      if (blocks.contains(KernelBlock::query)) {
        auto g = detail::pull_to_queries(dPsi, s.Q, s.K, s.reference, normalised);
        detail::add_to(g, detail::pull_to_queries(b.Psi, t.dQ, t.dK, s.reference, normalised));
        detail::scale(g, in_->beta);
        detail::add_to(out.W_Q[h], transposed_multiply(X, g));
      }
      if (blocks.contains(KernelBlock::key)) {
        auto g = detail::pull_to_keys(dPsi, s.Q, s.K, distances);
        detail::add_to(g, detail::pull_to_keys(b.Psi, t.dQ, t.dK, distances));
        detail::scale(g, in_->beta);
        detail::add_to(out.W_K[h], transposed_multiply(X, g));
      }
    }
  }
  return out;
}

template <class S>
Matrix<S> KernelModel<S>::hessian(KernelBlocks blocks) const {
  const std::size_t P = parameter_count(w_, blocks);
  Matrix<S> result(P, P);
  const KernelWeights<S> zero = map(w_, [](const S&) { return S(0); });
  std::vector<S> unit(P, S(0));
  for (std::size_t k = 0; k < P; ++k) {
    unit[k] = S(1);
    const std::vector<S> column =
        flatten(hessian_vector_product(with_flat(zero, blocks, unit), blocks), blocks);
    unit[k] = S(0);
    for (std::size_t j = k; j < P; ++j) result(j, k) = result(k, j) = column[j];
  }
  return result;
}

// w_ab with d phi_a = sum_b w_ab d(score_ab): S_ab (V_b - phi_a), or S_ab V_b; n x p.
template <class S>
Matrix<S> KernelModel<S>::score_slope(const State& s, std::size_t a, const Matrix<S>& V) const {
  const std::size_t n = V.rows(), p = V.cols(), r = s.reference[a];
  Matrix<S> w(n, p);
  for (std::size_t c = 0; c < p; ++c) {
    if (!is_normalised(kernel_)) {
      for (std::size_t b = 0; b < n; ++b) w(b, c) = s.A(a, b) * V(b, c);
      continue;
    }
    S mean(0), others(0);
    for (std::size_t b = 0; b < n; ++b)
      if (b != r) mean += s.A(a, b) * (V(b, c) - V(r, c));
    for (std::size_t b = 0; b < n; ++b) {
      if (b == r) continue;
      w(b, c) = s.A(a, b) * ((V(b, c) - V(r, c)) - mean);
      others += w(b, c);
    }
    w(r, c) = -others;
  }
  return w;
}

template <class S>
Matrix<S> KernelModel<S>::query_slope(std::size_t i, std::size_t h, std::size_t a) const {
  const State& s = at(i, h);
  const Matrix<S> w = score_slope(s, a, multiply(s.P, w_.W_O[h]));
  const S* origin = is_normalised(kernel_) ? s.K.row(s.reference[a]) : s.Q.row(a);
  Matrix<S> slope(w.cols(), s.Q.cols());
  for (std::size_t c = 0; c < w.cols(); ++c)
    for (std::size_t b = 0; b < w.rows(); ++b)
      detail::add_difference(s.Q.cols(), slope.row(c), w(b, c), s.K.row(b), origin);
  detail::scale(slope, in_->beta);
  return slope;
}

// Rows of U X^T-like products: J((i, m, c), (h, j, e)) += weight(m) x_j slope(c, e).
template <class S>
Matrix<S> KernelModel<S>::jacobian(KernelBlock block) const {
  const std::size_t n = in_->tokens(), m = in_->readout.rows(), D = in_->X.front().cols();
  const std::size_t p = w_.W_O.front().cols(), H = heads();
  const std::size_t cols = block_of(w_, block).front().cols();
  const std::size_t size = block_of(w_, block).front().size();
  Matrix<S> J(in_->samples() * m * p, H * size);
  for (std::size_t i = 0; i < in_->samples(); ++i) {
    const Matrix<S>& X = in_->X[i];
    for (std::size_t h = 0; h < H; ++h) {
      const State& s = at(i, h);
      const auto entry = [&](std::size_t row, std::size_t c, std::size_t j, std::size_t e) -> S& {
        return J((i * m + row) * p + c, h * size + j * cols + e);
      };
      if (block == KernelBlock::output) {
        const Matrix<S> features = multiply(in_->readout, s.T);
        for (std::size_t row = 0; row < m; ++row)
          for (std::size_t c = 0; c < p; ++c)
            for (std::size_t j = 0; j < features.cols(); ++j)
              entry(row, c, j, c) = features(row, j);
        continue;
      }
      if (block == KernelBlock::value) {
        const Matrix<S> features = multiply(in_->readout, multiply(s.A, X));
        for (std::size_t row = 0; row < m; ++row)
          for (std::size_t c = 0; c < p; ++c)
            for (std::size_t j = 0; j < D; ++j)
              for (std::size_t e = 0; e < cols; ++e)
                entry(row, c, j, e) = features(row, j) * w_.W_O[h](e, c);
        continue;
      }
      const Matrix<S> V = multiply(s.P, w_.W_O[h]);
      for (std::size_t a = 0; a < n; ++a) {
        // X^T-side factor of this token: its own for queries, sum over the keys otherwise.
        std::vector<Matrix<S>> moved;  // of each output column, D x d
        if (block == KernelBlock::query) {
          const Matrix<S> slope = query_slope(i, h, a);
          for (std::size_t c = 0; c < p; ++c) {
            Matrix<S> t(D, cols);
            for (std::size_t j = 0; j < D; ++j)
              for (std::size_t e = 0; e < cols; ++e) t(j, e) = X(a, j) * slope(c, e);
            moved.push_back(std::move(t));
          }
        } else {
          const Matrix<S> w = score_slope(s, a, V);
          for (std::size_t c = 0; c < p; ++c) {
            Matrix<S> pulled(n, cols);
            for (std::size_t b = 0; b < n; ++b) {
              const S factor = in_->beta * w(b, c);
              if (has_distances(kernel_))
                detail::add_difference(cols, pulled.row(b), factor, s.Q.row(a), s.K.row(b));
              else
                detail::add_multiple(cols, pulled.row(b), factor, s.Q.row(a));
            }
            moved.push_back(transposed_multiply(X, pulled));
          }
        }
        for (std::size_t row = 0; row < m; ++row)
          for (std::size_t c = 0; c < p; ++c)
            for (std::size_t j = 0; j < D; ++j)
              for (std::size_t e = 0; e < cols; ++e)
                entry(row, c, j, e) += in_->readout(row, a) * moved[c](j, e);
      }
    }
  }
  return J;
}

template <class S>
Matrix<S> KernelModel<S>::jacobian_gram(KernelBlocks blocks) const {
  Matrix<S> gram;
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    const Matrix<S> J = jacobian(block);
    if (gram.rows() == 0) gram = Matrix<S>(J.rows(), J.rows());
    for (std::size_t a = 0; a < J.rows(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        gram(a, b) += dot(J.cols(), J.row(a), 1, J.row(b), 1);
        gram(b, a) = gram(a, b);
      }
  }
  return gram;
}

template <class S>
Matrix<S> KernelModel<S>::features(std::size_t h) const {
  const std::size_t m = in_->readout.rows(), D = in_->X.front().cols();
  Matrix<S> B(in_->samples() * m, D);
  for (std::size_t i = 0; i < in_->samples(); ++i) {
    const Matrix<S> block = multiply(in_->readout, multiply(at(i, h).A, in_->X[i]));
    std::copy(block.entries().begin(), block.entries().end(), B.row(i * m));
  }
  return B;
}

}  // namespace heed
