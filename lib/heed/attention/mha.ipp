// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of mha.hpp, for instantiation with a further scalar: include the scalar's header first.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "heed/attention/mha.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/numeric/logistic.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed {
namespace detail {

// Row t of the attention matrix; the gaps z_s - z_m to the largest logit come from differences of
// tokens, so each exponential is relatively accurate. In double, gaps beyond 2^53 may name a wrong
// largest logit first; the reference moves on until no gap is positive.
template <class S>
void attention_row(const MhaInputs<S>& in, std::size_t i, const std::vector<S>& q, S* row) {
  const std::size_t T = in.X[i].rows(), d = in.dim();
  std::size_t top = 0;
  for (std::size_t round = 0; round <= T; ++round) {
    std::size_t best = top;
    for (std::size_t s = 0; s < T; ++s) {
      row[s] = s == top ? S(0) : dot(d, q.data(), 1, in.difference(i, s, top), 1);
      if (approx::less(row[best], row[s])) best = s;
    }
    if (best == top) break;
    top = best;
  }
  S sum(0);
  for (std::size_t s = 0; s < T; ++s) {
    row[s] = s == top ? S(1) : S(exp(row[s]));
    sum += row[s];
  }
  for (std::size_t s = 0; s < T; ++s) row[s] /= sum;
}

// xc_s = sum_r a_r (x_s - x_r)
template <class S>
Matrix<S> centred_pairwise(const MhaInputs<S>& in, std::size_t i, const S* a) {
  const std::size_t T = in.X[i].rows(), d = in.dim();
  Matrix<S> xc(T, d);
  for (std::size_t s = 0; s < T; ++s)
    for (std::size_t c = 0; c < d; ++c) xc(s, c) = dot(T, a, 1, in.difference(i, s, 0) + c, d);
  return xc;
}

// The same as (x_s - x_m) - sum_r a_r (x_r - x_m), m of the largest weight: nothing cancels in x_m.
template <class S>
Matrix<S> centred_from_top(const MhaInputs<S>& in, std::size_t i, const S* a) {
  const std::size_t T = in.X[i].rows(), d = in.dim();
  std::size_t top = 0;
  for (std::size_t s = 1; s < T; ++s)
    if (approx::less(a[top], a[s])) top = s;
  Matrix<S> xc(T, d);
  for (std::size_t c = 0; c < d; ++c) {
    const S mean = dot(T, a, 1, in.difference(i, 0, top) + c, T * d);
    for (std::size_t s = 0; s < T; ++s) xc(s, c) = in.difference(i, s, top)[c] - mean;
  }
  return xc;
}

template <class S>
HeadState<S> head_state(const MhaInputs<S>& in, std::size_t i, std::size_t h, StateForm form) {
  const Matrix<S>& X = in.X[i];
  const Matrix<S>& U = in.U[h];
  const std::size_t T = X.rows(), d = X.cols();
  HeadState<S> st{Matrix<S>(T, T), Matrix<S>(T, d), Matrix<S>(T, T), Matrix<S>(T, d), {}, S(0)};
  const Matrix<S> Q = multiply(X, in.W[h]);  // row t = W^T x_t
  for (std::size_t t = 0; t < T; ++t) {
    attention_row(in, i, std::vector<S>(Q.row(t), Q.row(t) + d), st.A.row(t));
    Matrix<S> xc = form == StateForm::kept ? centred_pairwise(in, i, st.A.row(t))
                                           : centred_from_top(in, i, st.A.row(t));
    for (std::size_t s = 0; s < T; ++s)
      st.Gam(t, s) = st.A(t, s) * dot(d, U.row(t), 1, xc.row(s), 1);
    for (std::size_t c = 0; c < d; ++c) {
      st.O(t, c) = dot(T, st.A.row(t), 1, X.data() + c, d);
      st.CU(t, c) = dot(T, st.Gam.row(t), 1, xc.data() + c, d);
    }
    st.phi += dot(d, U.row(t), 1, st.O.row(t), 1);
    st.xc.push_back(std::move(xc));
  }
  return st;
}

// C_t q and K_t q + C_t p as sums over tokens: T d multiplications, no moments.
template <class S>
void apply_moments(const HeadState<S>& st, std::size_t t, const S* p, const S* q, S* c_q,
                   S* k_q_c_p) {
  const Matrix<S>& xc = st.xc[t];
  const std::size_t T = xc.rows(), d = xc.cols();
  std::vector<S> second(T), both(T);
  for (std::size_t s = 0; s < T; ++s) {
    const S along = dot(d, q, 1, xc.row(s), 1);
    second[s] = st.A(t, s) * along;
    both[s] = st.Gam(t, s) * along + st.A(t, s) * dot(d, p, 1, xc.row(s), 1);
  }
  for (std::size_t c = 0; c < d; ++c) {
    c_q[c] = dot(T, second.data(), 1, xc.data() + c, d);
    k_q_c_p[c] = dot(T, both.data(), 1, xc.data() + c, d);
  }
}

// sum_s weight_s xc_s xc_s^T
template <class S>
Matrix<S> weighted_moment(const S* weight, const Matrix<S>& xc) {
  const std::size_t T = xc.rows(), d = xc.cols();
  Matrix<S> scaled(T, d), m(d, d);
  for (std::size_t s = 0; s < T; ++s)
    for (std::size_t c = 0; c < d; ++c) scaled(s, c) = weight[s] * xc(s, c);
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      m(a, b) = m(b, a) = dot(T, scaled.data() + a, d, xc.data() + b, d);
  return m;
}

}  // namespace detail

template <class S>
LossTerms<S> loss_terms_at(Loss loss, const S& margin) {
  if (loss == Loss::exponential) {
    const S e = exp(S(-margin));
    return {e, e, e, e};
  }
  using L = Logistic<S>;
  return {L::value(margin), L::probability(margin), L::second(margin), abs(L::third(margin))};
}

template <class S>
MhaModel<S>::MhaModel(MhaInputs<S> inputs, StateForm form)
    : in_(std::move(inputs)), form_(form), sqrt_heads_(sqrt(S(static_cast<int>(in_.heads())))) {
  const std::size_t n = in_.samples(), T = in_.tokens(), d = in_.dim(),
                    block = in_.head_parameters();
  for (std::size_t i = in_.first_equal.size(); i < n; ++i) in_.first_equal.push_back(i);
  for (std::size_t h = in_.first_equal_head.size(); h < H(); ++h) in_.first_equal_head.push_back(h);
  if (form_ == StateForm::kept) {
    heads_.resize(n * H());
    moments_.resize(n * H());
  }
  gradients_ = Matrix<S>(n, in_.parameters());
  std::vector<S> head_phi(n * H());
  parallel_for(n * H(), [&](std::size_t k) {
    const std::size_t i = k / H(), h = k % H();
    if (slot(i, h) != k) return;
    HeadState<S> st = detail::head_state(in_, i, h, form_);
    head_phi[k] = st.phi;
    const Matrix<S> gW = transposed_multiply(in_.X[i], st.CU);
    S* out = gradients_.row(i) + h * block;
    for (std::size_t j = 0; j < st.O.size(); ++j) out[j] = st.O.data()[j] / sqrt_heads_;
    for (std::size_t j = 0; j < gW.size(); ++j) out[T * d + j] = gW.data()[j] / sqrt_heads_;
    if (form_ == StateForm::kept) heads_[k] = std::move(st);
  });
  for (std::size_t i = 0; i < n; ++i) {
    S sum(0);
    for (std::size_t h = 0; h < H(); ++h) {
      const std::size_t k = slot(i, h);
      if (k != i * H() + h) {
        const S* from = gradients_.row(k / H()) + k % H() * block;
        std::copy(from, from + block, gradients_.row(i) + h * block);
      }
      sum += head_phi[k];
    }
    phi_.push_back(sum / sqrt_heads_);
    margins_.push_back(in_.y[i] > 0 ? phi_[i] : S(-phi_[i]));
    terms_.push_back(loss_terms_at(in_.loss, margins_[i]));
  }
}

template <class S>
const HeadState<S>& MhaModel<S>::head(std::size_t i, std::size_t h, HeadState<S>& room) const {
  if (form_ == StateForm::kept) return head(i, h);
  room = detail::head_state(in_, in_.first_equal[i], in_.first_equal_head[h], form_);
  return room;
}

template <class S>
const HeadMoments<S>& MhaModel<S>::moments(std::size_t i, std::size_t h) const {
  std::optional<HeadMoments<S>>& entry = moments_[slot(i, h)];
  if (!entry) {
    const HeadState<S>& st = head(i, h);
    entry.emplace();
    for (std::size_t t = 0; t < st.A.rows(); ++t) {
      entry->C.push_back(detail::weighted_moment(st.A.row(t), st.xc[t]));
      entry->K.push_back(detail::weighted_moment(st.Gam.row(t), st.xc[t]));
    }
  }
  return *entry;
}

template <class S>
S MhaModel<S>::loss() const {
  S sum(0);
  for (const LossTerms<S>& l : terms_) sum += l.value;
  return sum / S(static_cast<int>(terms_.size()));
}

template <class S>
S MhaModel<S>::mean_slope() const {
  S sum(0);
  for (const LossTerms<S>& l : terms_) sum += l.slope;
  return sum / S(static_cast<int>(terms_.size()));
}

// l'_i y_i, added up over equal samples into the first of them: opposite labels of equal slope then
// cancel exactly.
template <class S>
std::vector<S> MhaModel<S>::signed_slopes() const {
  std::vector<S> sums(in_.samples(), S(0));
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[in_.first_equal[i]] += in_.y[i] > 0 ? S(-terms_[i].slope) : terms_[i].slope;
  return sums;
}

template <class S>
std::vector<S> MhaModel<S>::gradient() const {
  std::vector<S> weight = signed_slopes();
  for (S& w : weight) w /= S(static_cast<int>(weight.size()));
  return transposed_multiply(gradients_, weight);
}

template <class S>
std::vector<S> MhaModel<S>::phi_hessian_vector_product(std::size_t i,
                                                       const std::vector<S>& v) const {
  if (v.size() != in_.parameters()) throw std::invalid_argument("expected a direction of length P");
  const std::size_t T = in_.tokens(), Ti = in_.X[i].rows(), d = in_.dim();
  std::vector<S> out(in_.parameters(), S(0));
  HeadState<S> room;
  for (std::size_t h = 0; h < H(); ++h) {
    const std::size_t at = h * in_.head_parameters();
    const S* dU = v.data() + at;
    const S* dW = dU + T * d;
    const bool lean = form_ == StateForm::lean;
    const HeadState<S>& st = head(i, h, room);
    const HeadMoments<S>* m = lean ? nullptr : &moments(i, h);
    Matrix<S> rows(Ti, d);  // row t = K_t q_t + C_t du_t, with q_t = dW^T x_t
    for (std::size_t t = 0; t < Ti; ++t) {
      std::vector<S> q(d);
      for (std::size_t c = 0; c < d; ++c) q[c] = dot(d, in_.X[i].row(t), 1, dW + c, d);
      if (lean) {
        std::vector<S> c_q(d);
        detail::apply_moments(st, t, dU + t * d, q.data(), c_q.data(), rows.row(t));
        for (std::size_t c = 0; c < d; ++c) out[at + t * d + c] = c_q[c] / sqrt_heads_;
        continue;
      }
      for (std::size_t c = 0; c < d; ++c) {
        out[at + t * d + c] = dot(d, m->C[t].row(c), 1, q.data(), 1) / sqrt_heads_;
        rows(t, c) =
            dot(d, m->K[t].row(c), 1, q.data(), 1) + dot(d, m->C[t].row(c), 1, dU + t * d, 1);
      }
    }
    const Matrix<S> hW = transposed_multiply(in_.X[i], rows);
    for (std::size_t k = 0; k < hW.size(); ++k) out[at + T * d + k] = hW.data()[k] / sqrt_heads_;
  }
  return out;
}

template <class S>
std::vector<S> MhaModel<S>::hessian_vector_product(const std::vector<S>& v) const {
  const std::size_t n = in_.samples();
  const S count(static_cast<int>(n));
  std::vector<S> out(in_.parameters(), S(0));
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<S> hv = phi_hessian_vector_product(i, v);
    const S along = terms_[i].second * dot(v.size(), gradients_.row(i), 1, v.data(), 1);
    const S slope = in_.y[i] > 0 ? S(-terms_[i].slope) : terms_[i].slope;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] += (along * gradients_(i, k) + slope * hv[k]) / count;
  }
  return out;
}

// sum_j coefficient_j hess phi_h(X_{samples_j}): entries
//   M[(t,c),(b,e)] = sum_j k_j x_tb (C_t)_ce      K[(b,c),(e,f)] = sum_j k_j sum_t x_tb x_te (K_t)_cf
// as products of gathered matrices, symmetric pairs (b,e) and (c,f) once.
template <class S>
SaddleBlock<S> MhaModel<S>::combine(std::size_t h, const std::vector<std::size_t>& samples,
                                    const std::vector<S>& coefficients) const {
  const std::size_t T = in_.tokens(), d = in_.dim(), pairs = d * (d + 1) / 2;
  SaddleBlock<S> block{Matrix<S>(T * d, d * d), Matrix<S>(d * d, d * d)};
  std::size_t rows = 0;
  for (std::size_t i : samples) rows += in_.X[i].rows();
  Matrix<S> left(rows, pairs), right(rows, pairs);
  std::size_t row = 0;
  for (std::size_t t = 0; t < T; ++t) {
    std::vector<std::size_t> present;
    for (std::size_t j = 0; j < samples.size(); ++j)
      if (t < in_.X[samples[j]].rows()) present.push_back(j);
    Matrix<S> x(present.size(), d), c(present.size(), d * d);
    for (std::size_t r = 0; r < present.size(); ++r, ++row) {
      const std::size_t i = samples[present[r]];
      const S* token = in_.X[i].row(t);
      const HeadMoments<S>& m = moments(i, h);
      for (std::size_t b = 0; b < d; ++b) x(r, b) = coefficients[present[r]] * token[b];
      for (std::size_t k = 0; k < d * d; ++k) c(r, k) = m.C[t].data()[k];
      std::size_t p = 0;
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t e = 0; e <= b; ++e, ++p) {
          left(row, p) = x(r, b) * token[e];
          right(row, p) = m.K[t](b, e);
        }
    }
    const Matrix<S> xc = transposed_multiply(x, c);  // d x d^2
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t e = 0; e < d; ++e) block.M(t * d + a, b * d + e) = xc(b, a * d + e);
  }
  const Matrix<S> kk = transposed_multiply(left, right);
  const auto pair = [](std::size_t a, std::size_t b) {
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
  };
  for (std::size_t b = 0; b < d; ++b)
    for (std::size_t e = 0; e < d; ++e)
      for (std::size_t c = 0; c < d; ++c)
        for (std::size_t f = 0; f < d; ++f)
          block.K(b * d + c, e * d + f) = kk(pair(b, e), pair(c, f));
  return block;
}

template <class S>
SaddleBlock<S> MhaModel<S>::head_hessian(std::size_t i, std::size_t h) const {
  return combine(h, {i}, {S(1)});
}

template <class S>
SaddleBlock<S> MhaModel<S>::loss_block(std::size_t h) const {
  const std::vector<S> sums = signed_slopes();
  std::vector<std::size_t> samples;
  std::vector<S> coefficients;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (in_.first_equal[i] != i) continue;
    samples.push_back(i);
    coefficients.push_back(sums[i] / (S(static_cast<int>(sums.size())) * sqrt_heads_));
  }
  return combine(h, samples, coefficients);
}

template <class S>
Matrix<S> MhaModel<S>::weighted_gradients() const {
  const std::size_t n = in_.samples();
  std::vector<S> sums(n, S(0));
  for (std::size_t i = 0; i < n; ++i) sums[in_.first_equal[i]] += terms_[i].second;
  Matrix<S> j = gradients_;
  for (std::size_t i = 0; i < n; ++i) {
    const S weight = sqrt_nonnegative(S(sums[i] / S(static_cast<int>(n))));
    for (std::size_t k = 0; k < j.cols(); ++k) j(i, k) *= weight;
  }
  return j;
}

template <class S>
std::vector<SaddleBlock<S>> MhaModel<S>::loss_blocks() const {
  std::vector<SaddleBlock<S>> blocks(H());
  const std::vector<std::size_t>& first = in_.first_equal_head;
  parallel_for(H(), [&](std::size_t h) {
    if (first[h] == h) blocks[h] = loss_block(h);
  });
  for (std::size_t h = 0; h < H(); ++h)
    if (first[h] != h) blocks[h] = blocks[first[h]];
  return blocks;
}

template <class S>
Matrix<S> MhaModel<S>::dense_hessian() const {
  return saddle_matrix(loss_blocks(), weighted_gradients());
}

template <class S>
Matrix<S> MhaModel<S>::ntk_kernel() const {
  const std::size_t n = in_.samples();
  Matrix<S> k(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      k(i, j) = k(j, i) = dot(in_.parameters(), gradients_.row(i), 1, gradients_.row(j), 1);
  return k;
}

}  // namespace heed
