// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/layer_hessian.hpp"

#include <type_traits>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed {
namespace {

template <class S>
bool below(const S& a, const S& b) {
  if constexpr (std::is_same_v<S, Rational>)
    return a < b;
  else
    return approx::less(a, b);
}

// Which blocks are trained, and where those of one head begin in the rows of its K.
struct Layout {
  bool queries, keys, values, outputs;
  std::size_t key_at, output_at, u, w;

  Layout(KernelBlocks blocks, std::size_t D, std::size_t d, std::size_t v, std::size_t p)
      : queries(blocks.contains(KernelBlock::query)),
        keys(blocks.contains(KernelBlock::key)),
        values(blocks.contains(KernelBlock::value)),
        outputs(blocks.contains(KernelBlock::output)),
        key_at(queries ? D * d : 0),
        output_at(key_at + (keys ? D * d : 0)),
        u(values ? D * v : 0),
        w(output_at + (outputs ? v * p : 0)) {}
};

/// One row a of attention: its score b moves by alpha_b.dq_a + Y_b.vec(dW_K), both less their means where
/// rows sum to 1; psi: slope of r.F by the scores.
template <class S>
struct Row {
  std::vector<S> s, psi;
  Matrix<S> alpha, Y;  // d x n, D d x n (no rows if W_K is not trained)
  std::size_t reference = 0;
};

// Less the mean under s, 0 at the reference.
template <class S>
void centre(const Row<S>& row, S* x) {
  S mean(0);
  for (std::size_t b = 0; b < row.s.size(); ++b)
    if (b != row.reference) mean += row.s[b] * x[b];
  for (std::size_t b = 0; b < row.s.size(); ++b) x[b] -= mean;
}

// The columns times w.
template <class S>
Matrix<S> weighted(Matrix<S> m, const std::vector<S>& w) {
  for (std::size_t k = 0; k < m.rows(); ++k)
    for (std::size_t b = 0; b < m.cols(); ++b) m(k, b) *= w[b];
  return m;
}

// r.D^2 F of one head.
template <class S>
class HeadHessian {
 public:
  HeadHessian(const KernelModel<S>& model, std::size_t h, const Layout& layout)
      : m_(model),
        h_(h),
        at_(layout),
        normalised_(is_normalised(model.kernel())),
        distances_(has_distances(model.kernel())),
        block_{Matrix<S>(layout.u, layout.w), Matrix<S>(layout.w, layout.w)} {}

  SaddleBlock<S> assemble() {
    for (i_ = 0; i_ < m_.inputs().samples(); ++i_) {
      G_ = transposed_multiply(m_.inputs().readout, m_.residuals(i_));
      Go_ = multiply_transposed(G_, m_.weights().W_O[h_]);
      Psi_ = Matrix<S>(n(), n());
      if (at_.keys) by_keys_ = Matrix<S>(n() * d(), n() * d());
      if (at_.queries || at_.keys) add_rows();
      if (at_.keys) spread_keys();
      add_second_scores();
      add_values_outputs();
    }
    for (std::size_t r = 0; r < at_.w; ++r)
      for (std::size_t c = 0; c < r; ++c) block_.K(c, r) = block_.K(r, c);
    return std::move(block_);
  }

 private:
  const Matrix<S>& X() const { return m_.inputs().X[i_]; }
  const Matrix<S>& Q() const { return m_.queries(i_, h_); }
  const Matrix<S>& K() const { return m_.keys(i_, h_); }
  const Matrix<S>& P() const { return m_.values(i_, h_); }
  const Matrix<S>& A() const { return m_.attention(i_, h_); }
  const S& beta() const { return m_.inputs().beta; }
  std::size_t n() const { return A().rows(); }
  std::size_t d() const { return K().cols(); }
  std::size_t D() const { return X().cols(); }
  std::size_t v() const { return P().cols(); }

  // With differences to the largest score, as in KernelModel, so that nothing cancels where it takes all.
  Row<S> row(std::size_t a) const {
    Row<S> row{{A().row(a), A().row(a) + n()},
               std::vector<S>(n(), S(0)),
               Matrix<S>(d(), n()),
               Matrix<S>(at_.keys ? D() * d() : 0, n())};
    std::size_t& r = row.reference;
    for (std::size_t b = 1; normalised_ && b < n(); ++b)
      if (below(A()(a, r), A()(a, b))) r = b;
    std::vector<S> slope(n(), S(0));
    for (std::size_t b = 0; b < n(); ++b)
      for (std::size_t c = 0; c < v(); ++c)
        slope[b] += Go_(a, c) * (normalised_ ? S(P()(b, c) - P()(r, c)) : P()(b, c));
    if (normalised_) centre(row, slope.data());
    S others(0);
    for (std::size_t b = 0; b < n(); ++b) {
      row.psi[b] = row.s[b] * slope[b];
      if (b != r) others += row.psi[b];
    }
    if (normalised_) row.psi[r] = -others;
    for (std::size_t e = 0; e < d(); ++e) {
      for (std::size_t b = 0; b < n(); ++b)
        row.alpha(e, b) = beta() * (K()(b, e) - (normalised_ ? K()(r, e) : Q()(a, e)));
      if (normalised_) centre(row, row.alpha.row(e));
    }
    for (std::size_t k = 0; k < row.Y.rows(); ++k) {
      for (std::size_t b = 0; b < n(); ++b)
        row.Y(k, b) = beta() * key_slope(a, b, r, k / d(), k % d());
      if (normalised_) centre(row, row.Y.row(k));
    }
    return row;
  }

  // Derivative of score (a, b) by W_K(j, e), over beta; where rows sum to 1 less that of score (a, r).
  S key_slope(std::size_t a, std::size_t b, std::size_t r, std::size_t j, std::size_t e) const {
    if (!normalised_) return X()(b, j) * (Q()(a, e) - K()(b, e));
    const S step = X()(b, j) - X()(r, j);
    if (!distances_) return Q()(a, e) * step;
    return step * (Q()(a, e) - K()(b, e)) + X()(r, j) * (K()(r, e) - K()(b, e));
  }

  // Sums over the rows a are dot products of vectors over a.
  void add_rows() {
    rows_.clear();
    for (std::size_t a = 0; a < n(); ++a) {
      rows_.push_back(row(a));
      for (std::size_t b = 0; b < n(); ++b) Psi_(a, b) = rows_[a].psi[b];
      if (at_.keys) add_keys(rows_[a], a);
    }
    if (at_.queries) add_queries();
    if (at_.values)
      add_linear(X(), transposed(Go_), [&](std::size_t k) { return block_.M.row(k); });
    if (at_.outputs)
      add_linear(P(), transposed(G_),
                 [&](std::size_t k) { return block_.K.row(at_.output_at + k); });
  }

  static Matrix<S> transposed(const Matrix<S>& m) {
    Matrix<S> t(m.cols(), m.rows());
    for (std::size_t r = 0; r < m.rows(); ++r)
      for (std::size_t c = 0; c < m.cols(); ++c) t(c, r) = m(r, c);
    return t;
  }

  // Row (k, l) of the result: a -> x_k(a) y_l(a).
  static Matrix<S> products(const Matrix<S>& x, const Matrix<S>& y) {
    Matrix<S> all(x.rows() * y.rows(), x.cols());
    for (std::size_t k = 0; k < all.rows(); ++k)
      for (std::size_t a = 0; a < x.cols(); ++a)
        all(k, a) = x(k / y.rows(), a) * y(k % y.rows(), a);
    return all;
  }

  void add_queries() {
    const std::size_t N = n();
    const Matrix<S> x = transposed(X()), xx = products(x, x);
    std::vector<Matrix<S>> psi_alpha;
    Matrix<S> C(d() * d(), N), E(d(), N);
    for (std::size_t a = 0; a < N; ++a) {
      psi_alpha.push_back(weighted(rows_[a].alpha, rows_[a].psi));
      for (std::size_t k = 0; k < C.rows(); ++k)
        C(k, a) = dot(N, rows_[a].alpha.row(k / d()), 1, psi_alpha[a].row(k % d()), 1);
    }
    for (std::size_t j = 0; j < D(); ++j)
      for (std::size_t e = 0; e < d(); ++e)
        for (std::size_t l = 0; l <= j; ++l)
          for (std::size_t f = 0; f < d(); ++f)
            block_.K(j * d() + e, l * d() + f) +=
                dot(N, xx.row(j * D() + l), 1, C.row(e * d() + f), 1);
    for (std::size_t k = 0; at_.keys && k < D() * d(); ++k) {
      for (std::size_t e = 0; e < d(); ++e)
        for (std::size_t a = 0; a < N; ++a)
          E(e, a) = dot(N, rows_[a].Y.row(k), 1, psi_alpha[a].row(e), 1);
      S* target = block_.K.row(at_.key_at + k);
      for (std::size_t j = 0; j < D(); ++j)
        for (std::size_t e = 0; e < d(); ++e)
          target[j * d() + e] += dot(N, x.row(j), 1, E.row(e), 1);
    }
  }

  // By the keys l, m of the sample: sum_b psi_b (delta_bl - s_l)(delta_bm - s_m) gamma_l gamma_m^T, where
  // gamma_l is the slope of score (a, l) by key l and the psi of a row that sums to 1 add up to 0.
  void add_keys(const Row<S>& row, std::size_t a) {
    Matrix<S> gamma(n(), d());
    for (std::size_t l = 0; l < n(); ++l)
      for (std::size_t e = 0; e < d(); ++e)
        gamma(l, e) = beta() * (distances_ ? S(Q()(a, e) - K()(l, e)) : Q()(a, e));
    for (std::size_t l = 0; l < n(); ++l)
      for (std::size_t m = normalised_ ? 0 : l; m <= l; ++m) {
        S c = l == m ? row.psi[l] : S(0);
        if (normalised_) c -= row.s[l] * row.psi[m] + row.psi[l] * row.s[m];
        for (std::size_t e = 0; e < d(); ++e) {
          const S slope = c * gamma(l, e);
          S* target = by_keys_.row(l * d() + e) + m * d();
          for (std::size_t f = 0; f < d(); ++f) target[f] += slope * gamma(m, f);
        }
      }
  }

  // From the keys to W_K: X^T . X on the indices of tokens; of by_keys_ the blocks m <= l are there.
  void spread_keys() {
    const std::size_t size = n() * d();
    for (std::size_t l = 0; l < size; ++l)
      for (std::size_t m = 0; m < l / d() * d(); ++m) by_keys_(m, l) = by_keys_(l, m);
    Matrix<S> half(D() * d(), size);
    for (std::size_t j = 0; j < D(); ++j)
      for (std::size_t e = 0; e < d(); ++e)
        for (std::size_t m = 0; m < size; ++m)
          half(j * d() + e, m) =
              dot(n(), X().data() + j, D(), by_keys_.data() + e * size + m, d() * size);
    for (std::size_t r = 0; r < half.rows(); ++r)
      for (std::size_t c = 0; c <= r; ++c)
        block_.K(at_.key_at + r, at_.key_at + c) +=
            dot(n(), X().data() + c / d(), D(), half.row(r) + c % d(), d());
  }

  // What is linear in W_V or W_O: sum_ab dS_ab L_b (x) g_a, with L = X, g = G W_O^T or L = P, g = G; g is
  // given transposed.
  template <class Target>
  void add_linear(const Matrix<S>& L, const Matrix<S>& g, Target&& target) {
    const std::size_t N = n(), cols = g.rows();
    const Matrix<S> gx = at_.queries ? products(g, transposed(X())) : Matrix<S>();
    std::vector<S> by_key(N);
    Matrix<S> to_query(at_.queries ? d() : 0, N), to_key(at_.keys ? D() * d() : 0, N);
    for (std::size_t j = 0; j < L.cols(); ++j) {
      for (std::size_t a = 0; a < N; ++a) {
        const Row<S>& row = rows_[a];
        for (std::size_t b = 0; b < N; ++b)
          by_key[b] = row.s[b] * (normalised_ ? S(L(b, j) - L(row.reference, j)) : L(b, j));
        for (std::size_t e = 0; e < to_query.rows(); ++e)
          to_query(e, a) = dot(N, by_key.data(), 1, row.alpha.row(e), 1);
        for (std::size_t m = 0; m < to_key.rows(); ++m)
          to_key(m, a) = dot(N, by_key.data(), 1, row.Y.row(m), 1);
      }
      for (std::size_t c = 0; c < cols; ++c) {
        S* t = target(j * cols + c);
        for (std::size_t k = 0; at_.queries && k < D() * d(); ++k)
          t[k] += dot(N, gx.row(c * D() + k / d()), 1, to_query.row(k % d()), 1);
        for (std::size_t m = 0; m < to_key.rows(); ++m)
          t[at_.key_at + m] += dot(N, g.row(c), 1, to_key.row(m), 1);
      }
    }
  }

  // Second derivatives of the scores, with slopes Psi: 2 beta dq.dk, for distances -beta |dq - dk|^2.
  void add_second_scores() {
    const auto add = [&](std::size_t row_at, std::size_t col_at, const Matrix<S>& B) {
      for (std::size_t j = 0; j < D(); ++j)
        for (std::size_t l = 0; l < D(); ++l)
          for (std::size_t e = 0; e < d(); ++e)
            block_.K(row_at + j * d() + e, col_at + l * d() + e) += beta() * B(j, l);
    };
    if (at_.queries && at_.keys)
      add(at_.key_at, 0, transposed_multiply(X(), transposed_multiply(Psi_, X())));
    if (!distances_) return;
    // -X^T diag(sums of Psi) X.
    const auto own = [&](auto&& slope) {
      Matrix<S> less = X();
      for (std::size_t b = 0; b < n(); ++b) {
        S sum(0);
        for (std::size_t l = 0; l < n(); ++l) sum -= slope(b, l);
        for (std::size_t j = 0; j < D(); ++j) less(b, j) *= sum;
      }
      return transposed_multiply(X(), less);
    };
    if (at_.queries && !normalised_)
      add(0, 0, own([&](std::size_t b, std::size_t l) { return Psi_(b, l); }));
    if (at_.keys)
      add(at_.key_at, at_.key_at, own([&](std::size_t b, std::size_t l) { return Psi_(l, b); }));
  }

  void add_values_outputs() {
    if (!at_.values || !at_.outputs) return;
    const std::size_t p = G_.cols();
    const Matrix<S> B = transposed_multiply(X(), transposed_multiply(A(), G_));
    for (std::size_t j = 0; j < D(); ++j)
      for (std::size_t c = 0; c < v(); ++c)
        for (std::size_t q = 0; q < p; ++q)
          block_.M(j * v() + c, at_.output_at + c * p + q) += B(j, q);
  }

  const KernelModel<S>& m_;
  std::size_t h_, i_ = 0;
  Layout at_;
  bool normalised_, distances_;
  Matrix<S> G_, Go_, Psi_, by_keys_;
  std::vector<Row<S>> rows_;
  SaddleBlock<S> block_;
};

}  // namespace

template <class S>
LayerHessian<S> layer_hessian(const KernelModel<S>& model, KernelBlocks blocks) {
  const KernelWeights<S>& w = model.weights();
  const std::size_t H = model.heads(), D = w.W_Q.front().rows();
  const Layout layout(blocks, D, w.W_Q.front().cols(), w.W_V.front().cols(), w.W_O.front().cols());
  LayerHessian<S> result;
  result.blocks.resize(H);
  parallel_for(H, [&](std::size_t h) {
    result.blocks[h] = layout.w > 0 ? HeadHessian<S>(model, h, layout).assemble()
                                    : SaddleBlock<S>{{}, Matrix<S>(layout.u, layout.u)};
    if (layout.w == 0) result.blocks[h].M = Matrix<S>(0, layout.u);
  });
  // In a head: W_V, W_Q, W_K, W_O.
  const KernelBlock local[] = {KernelBlock::value, KernelBlock::query, KernelBlock::key,
                               KernelBlock::output};
  const std::size_t P = parameter_count(w, blocks);
  for (std::size_t h = 0; h < H; ++h)
    for (const KernelBlock block : local) {
      if (!blocks.contains(block)) continue;
      std::size_t first = 0;
      for (const KernelBlock b : kernel_blocks) {
        if (b == block) break;
        if (blocks.contains(b)) first += H * block_of(w, b).front().size();
      }
      const std::size_t size = block_of(w, block).front().size();
      for (std::size_t k = 0; k < size; ++k) result.order.push_back(first + h * size + k);
    }
  std::vector<std::size_t> place(P);
  for (std::size_t k = 0; k < P; ++k) place[result.order[k]] = k;
  std::size_t first = 0;
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    const Matrix<S> J = model.jacobian(block);
    if (result.J.size() == 0) result.J = Matrix<S>(J.rows(), P);
    for (std::size_t r = 0; r < J.rows(); ++r)
      for (std::size_t k = 0; k < J.cols(); ++k) result.J(r, place[first + k]) = J(r, k);
    first += J.cols();
  }
  return result;
}

template LayerHessian<double> layer_hessian(const KernelModel<double>&, KernelBlocks);
template LayerHessian<DoubleBall> layer_hessian(const KernelModel<DoubleBall>&, KernelBlocks);
template LayerHessian<Ball> layer_hessian(const KernelModel<Ball>&, KernelBlocks);
template LayerHessian<Rational> layer_hessian(const KernelModel<Rational>&, KernelBlocks);

}  // namespace heed
