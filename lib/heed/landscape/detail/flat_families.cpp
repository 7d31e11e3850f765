// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/flat_families.hpp"

#include <algorithm>

#include "heed/landscape/detail/flat_layout.hpp"
#include "heed/landscape/detail/null_space.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/product.hpp"

namespace heed::detail {
namespace {

using Exact = std::vector<Rational>;

constexpr KernelBlock Q = KernelBlock::query, K = KernelBlock::key, V = KernelBlock::value,
                      O = KernelBlock::output;

Exact unit(std::size_t size, std::size_t k) {
  Exact u(size);
  u[k] = Rational(1);
  return u;
}

Matrix<Rational> identity(std::size_t order) {
  Matrix<Rational> one(order, order);
  for (std::size_t j = 0; j < order; ++j) one(j, j) = Rational(1);
  return one;
}

class Families {
 public:
  Families(const LandscapeProblem& problem, const PointBox& box, FlatScope scope)
      : problem_(problem),
        in_(problem.instance),
        layout_(problem),
        known_(layout_.exactly_known(scope == FlatScope::nearby ? std::vector<std::size_t>{}
                                                                : box.frozen)),
        weights_(problem.weights(box.centre)) {}

  std::vector<std::pair<std::string, std::vector<Exact>>> exact() const {
    std::vector<std::pair<std::string, std::vector<Exact>>> all;
    const auto add = [&](std::string name, std::vector<Exact> directions) {
      if (!directions.empty()) all.emplace_back(std::move(name), std::move(directions));
    };
    const auto null_of_tokens = null_space(stacked(false));
    const auto null_of_differences = null_space(stacked(true));
    for (std::size_t h = 0; h < in_.heads(); ++h) {
      const std::string head = ", head " + std::to_string(h);
      for (const KernelBlock block : {Q, K, V})
        if (layout_.trained(block))
          add("tokens X z = 0 in " + std::string(block_word(block)) + head,
              along_columns(null_of_tokens, {block}, h));
      if (problem_.kernel == AttentionKernel::softmax && layout_.trained(K))
        add("shifts W_K + w c^T" + head, along_columns(null_of_differences, {K}, h));
      if (has_distances(problem_.kernel) && layout_.trained(Q) && layout_.trained(K))
        add("shifts (W_Q + w c^T, W_K + w c^T)" + head,
            along_columns(null_of_differences, {Q, K}, h));
      if (layout_.trained(V) && known_.at(O)[h]) add("Z W_O = 0 in W_V" + head, values(h));
      if (layout_.trained(O) && known_.at(V)[h]) add("W_V Z = 0 in W_O" + head, outputs(h));
      if (is_normalised(problem_.kernel) && layout_.trained(Q) && known_.at(K)[h])
        add("scores of W_Q + Z" + head, scores(h, Q));
      if (problem_.kernel == AttentionKernel::softmax && layout_.trained(K) && known_.at(Q)[h])
        add("scores of W_K + Z" + head, scores(h, K));
    }
    return all;
  }

  std::vector<NamedFamily> moving(const std::vector<Ball>& box) const {
    std::vector<NamedFamily> all;
    const std::size_t v = in_.value_dim();
    for (std::size_t h = 0; h < in_.heads(); ++h) {
      const std::string head = ", head " + std::to_string(h);
      if (layout_.trained(Q) && layout_.trained(K)) add_turns(all, box, h);
      if (layout_.trained(V) && layout_.trained(O)) {
        NamedFamily f{"(W_V B, -B W_O)" + head};
        const Matrix<Ball> w = matrix_of(box, V, h);
        for (std::size_t r = 0; r < v; ++r)
          for (std::size_t s = 0; s < v; ++s) {
            std::vector<Ball> t(box.size());
            add_column(t, w, V, h, s, r, 1);
            for (std::size_t c = 0; c < in_.output_dim(); ++c)
              t[layout_.at(O, h, r, c)] = -box[layout_.at(O, h, s, c)];
            f.add(std::move(t), {FlatName::Kind::mix, unit(v * v, r * v + s), h, {}});
          }
        all.push_back(std::move(f));
      }
      add_unseen(all, box, h);
    }
    return all;
  }

 private:
  // Where a product of fixed data with a trained matrix has more columns than rows, vectors c in its
  // null space move with the point: u c^T in the partner of that matrix changes nothing.
  void add_unseen(std::vector<NamedFamily>& all, const std::vector<Ball>& box,
                  std::size_t h) const {
    const auto product = [&](const Matrix<Rational>& data, KernelBlock block) {
      return multiply(map(data, [](const Rational& q) { return Ball(q); }),
                      matrix_of(box, block, h));
    };
    const auto moves = [&](KernelBlock block) {
      return layout_.trained(block) && !known_.at(block)[h];
    };
    if (is_normalised(problem_.kernel) && layout_.trained(Q) && moves(K))
      add_along(all, "scores of W_Q + u c^T", Q, h, product(row_basis(stacked(true)), K));
    if (problem_.kernel == AttentionKernel::softmax && layout_.trained(K) && moves(Q))
      add_along(all, "scores of W_K + u c^T", K, h, product(row_basis(stacked(false)), Q));
    if (layout_.trained(V) && moves(O)) {
      Matrix<Ball> transposed(in_.output_dim(), in_.value_dim());
      for (std::size_t r = 0; r < transposed.rows(); ++r)
        for (std::size_t c = 0; c < transposed.cols(); ++c)
          transposed(r, c) = box[layout_.at(O, h, c, r)];
      add_along(all, "W_V + u c^T", V, h, transposed);
    }
    if (layout_.trained(O) && moves(V))
      add_along(all, "W_O + c u^T", O, h, product(row_basis(stacked(false)), V));
  }

  // u c^T in the block, c u^T in W_O, for unit vectors u and the vectors c with M c = 0.
  void add_along(std::vector<NamedFamily>& all, const std::string& name, KernelBlock block,
                 std::size_t h, const Matrix<Ball>& M) const {
    NamedFamily f{name + ", head " + std::to_string(h)};
    const EnclosedNullSpace null = enclosed_null_space(M);
    const std::size_t order = block == O ? in_.output_dim() : in_.dim();
    for (std::size_t k = 0; k < null.vectors.size(); ++k)
      for (std::size_t j = 0; j < order; ++j) {
        std::vector<Ball> t(layout_.size());
        for (std::size_t e = 0; e < null.vectors[k].size(); ++e)
          t[block == O ? layout_.at(O, h, e, j) : layout_.at(block, h, j, e)] = null.vectors[k][e];
        f.add(std::move(t),
              {FlatName::Kind::unseen, unit(order, j), h, {}, block, null.pivots, null.free[k]});
      }
    if (!f.directions.empty()) all.push_back(std::move(f));
  }

  Matrix<Ball> matrix_of(const std::vector<Ball>& box, KernelBlock block, std::size_t h) const {
    Matrix<Ball> w(in_.dim(), block_of(in_.weights, block)[h].cols());
    for (std::size_t j = 0; j < w.rows(); ++j)
      for (std::size_t c = 0; c < w.cols(); ++c) w(j, c) = box[layout_.at(block, h, j, c)];
    return w;
  }

  // Column `to` of the direction += sign * column `from` of w.
  void add_column(std::vector<Ball>& t, const Matrix<Ball>& w, KernelBlock block, std::size_t h,
                  std::size_t to, std::size_t from, int sign) const {
    for (std::size_t j = 0; j < w.rows(); ++j)
      t[layout_.at(block, h, j, to)] += Ball(sign) * w(j, from);
  }

  // (E W_Q B, -E W_K B^T), or with B skew (E W_Q B, E W_K B), for matrices E that act on the tokens of
  // each sample as a number: the identity, and more where samples are independent of each other.
  void add_turns(std::vector<NamedFamily>& all, const std::vector<Ball>& box, std::size_t h) const {
    const bool distances = has_distances(problem_.kernel);
    NamedFamily f{
        (distances ? "(E W_Q B, E W_K B), B skew, head " : "(E W_Q B, -E W_K B^T), head ") +
        std::to_string(h)};
    const std::size_t d = in_.key_dim();
    const Matrix<Rational> one = identity(in_.dim());
    for (const Matrix<Rational>& exact : token_scalings()) {
      const Matrix<Ball> E = map(exact, [](const Rational& q) { return Ball(q); });
      const Matrix<Ball> q = multiply(E, matrix_of(box, Q, h)),
                         k = multiply(E, matrix_of(box, K, h));
      for (std::size_t r = 0; r < d; ++r)
        for (std::size_t s = 0; s < d; ++s) {
          if (distances && r >= s) continue;
          Exact B = unit(d * d, r * d + s);
          if (distances) B[s * d + r] = Rational(-1);
          std::vector<Ball> t(box.size());
          add_column(t, q, Q, h, s, r, 1);
          if (distances) {
            add_column(t, q, Q, h, r, s, -1);
            add_column(t, k, K, h, s, r, 1);
            add_column(t, k, K, h, r, s, -1);
          } else {
            add_column(t, k, K, h, r, s, -1);
          }
          f.add(std::move(t),
                {FlatName::Kind::turn, std::move(B), h, exact == one ? Exact{} : exact.entries()});
        }
    }
    if (!f.directions.empty()) all.push_back(std::move(f));
  }

  // Matrices E with X_i E = e_i X_i for numbers e_i, one for each of a basis of the possible e, the
  // identity first.
  std::vector<Matrix<Rational>> token_scalings() const {
    constexpr std::size_t most_dim = 12;  // the system has D^2 unknowns
    const std::size_t D = in_.dim(), N = in_.samples(), n = in_.tokens();
    std::vector<Matrix<Rational>> list = {identity(D)};
    if (N == 1 || D > most_dim) return list;
    Matrix<Rational> system(N * n * D, D * D + N);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t c = 0; c < D; ++c) {
          const std::size_t row = (i * n + a) * D + c;
          for (std::size_t j = 0; j < D; ++j) system(row, j * D + c) = in_.X[i](a, j);
          system(row, D * D + i) = -in_.X[i](a, c);
        }
    std::vector<Exact> scales = {Exact(N, Rational(1))};
    for (const Exact& x : null_space(std::move(system))) {
      scales.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(D * D), x.end());
      Matrix<Rational> rows(scales.size(), N);
      for (std::size_t r = 0; r < scales.size(); ++r)
        std::copy(scales[r].begin(), scales[r].end(), rows.row(r));
      if (exact_rank(rows) < scales.size()) {
        scales.pop_back();
        continue;
      }
      Matrix<Rational> E(D, D);
      std::copy(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(D * D), E.data());
      list.push_back(std::move(E));
    }
    return list;
  }

  // All tokens, or in each sample their differences to the first.
  Matrix<Rational> stacked(bool differences) const {
    const std::size_t n = in_.tokens(), D = in_.dim();
    Matrix<Rational> rows(in_.samples() * n, D);
    for (std::size_t i = 0; i < in_.samples(); ++i)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t j = 0; j < D; ++j)
          rows(i * n + a, j) = differences ? in_.X[i](a, j) - in_.X[i](0, j) : in_.X[i](a, j);
    return rows;
  }

  // w e_c^T for every w and column c, the same in all blocks of the list.
  std::vector<Exact> along_columns(const std::vector<Exact>& vectors,
                                   const std::vector<KernelBlock>& blocks, std::size_t h) const {
    std::vector<Exact> directions;
    for (const Exact& w : vectors)
      for (std::size_t c = 0; c < block_of(in_.weights, blocks.front())[h].cols(); ++c) {
        Exact t(layout_.size());
        for (const KernelBlock block : blocks)
          for (std::size_t j = 0; j < w.size(); ++j) t[layout_.at(block, h, j, c)] = w[j];
        directions.push_back(std::move(t));
      }
    return directions;
  }

  std::vector<Exact> values(std::size_t h) const {
    const Matrix<Rational>& w = weights_.W_O[h];
    Matrix<Rational> transposed(w.cols(), w.rows());
    for (std::size_t r = 0; r < w.rows(); ++r)
      for (std::size_t c = 0; c < w.cols(); ++c) transposed(c, r) = w(r, c);
    std::vector<Exact> directions;
    for (const Exact& z : null_space(transposed))
      for (std::size_t j = 0; j < in_.dim(); ++j) {
        Exact t(layout_.size());
        for (std::size_t e = 0; e < z.size(); ++e) t[layout_.at(V, h, j, e)] = z[e];
        directions.push_back(std::move(t));
      }
    return directions;
  }

  std::vector<Exact> outputs(std::size_t h) const {
    std::vector<Exact> directions;
    for (const Exact& z : null_space(weights_.W_V[h]))
      for (std::size_t c = 0; c < in_.output_dim(); ++c) {
        Exact t(layout_.size());
        for (std::size_t e = 0; e < z.size(); ++e) t[layout_.at(O, h, e, c)] = z[e];
        directions.push_back(std::move(t));
      }
    return directions;
  }

  // Z in the block such that (x_a^T Z) . (k_b - k_0), or q_a . Z^T (x_b - x_0), is 0 for all a, b.
  std::vector<Exact> scores(std::size_t h, KernelBlock block) const {
    const std::size_t n = in_.tokens(), D = in_.dim(), d = in_.key_dim();
    const Matrix<Rational>& other = block == Q ? weights_.W_K[h] : weights_.W_Q[h];
    Matrix<Rational> system(in_.samples() * n * n, D * d);
    std::size_t row = 0;
    for (const Matrix<Rational>& X : in_.X)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b, ++row)
          for (std::size_t c = 0; c < d; ++c) {
            Rational slope;
            for (std::size_t j = 0; j < D; ++j)
              slope += other(j, c) * (block == Q ? X(b, j) - X(0, j) : X(a, j));
            for (std::size_t j = 0; j < D; ++j)
              system(row, j * d + c) = slope * (block == Q ? X(a, j) : X(b, j) - X(0, j));
          }
    std::vector<Exact> directions;
    for (const Exact& z : null_space(std::move(system))) {
      Exact t(layout_.size());
      for (std::size_t k = 0; k < z.size(); ++k) t[layout_.at(block, h, 0, 0) + k] = z[k];
      directions.push_back(std::move(t));
    }
    return directions;
  }

  const LandscapeProblem& problem_;
  const KernelInstance& in_;
  FlatLayout layout_;
  FlatLayout::Known known_;
  KernelWeights<Rational> weights_;
};

}  // namespace

std::vector<std::pair<std::string, std::vector<Exact>>> exact_flat_families(
    const LandscapeProblem& problem, const PointBox& box, FlatScope scope) {
  return Families(problem, box, scope).exact();
}

std::vector<NamedFamily> moving_flat_families(const LandscapeProblem& problem, const PointBox& box,
                                              FlatScope scope) {
  return Families(problem, box, scope).moving(enclose_box(box));
}

}  // namespace heed::detail
