// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_query.hpp"

#include "heed/linalg/gram_extremes.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

// sum_h C^h C^hT of one token.
template <class S>
Matrix<S> slope_gram(const KernelAnalysis<S>& a, std::size_t i, std::size_t token) {
  const std::size_t p = a.instance().output_dim();
  Matrix<S> sum(p, p);
  for (std::size_t h = 0; h < a.instance().heads(); ++h) {
    const Matrix<S> part = gram_of_rows(a.model().query_slope(i, h, token));
    for (std::size_t k = 0; k < sum.size(); ++k) sum.data()[k] += part.data()[k];
  }
  return sum;
}

template <class S>
S gram_bound(const KernelAnalysis<S>& a) {
  std::optional<S> least;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t t = 0; t < a.instance().tokens(); ++t) {
      const S value = gram_extremes(slope_gram(a, i, t)).least;
      least = least ? min(*least, value) : value;
    }
  return a.tokens().least * *least;
}

// Differences to the mean row.
template <class S>
Matrix<S> centred(const Matrix<S>& m) {
  Matrix<S> c = m;
  for (std::size_t j = 0; j < m.cols(); ++j)
    for (std::size_t r = 0; r < m.rows(); ++r) {
      S sum(0);
      for (std::size_t b = 0; b < m.rows(); ++b) sum += m(r, j) - m(b, j);
      c(r, j) = sum / count<S>(m.rows());
    }
  return c;
}

// The square of the k-th singular value of an n x k or k x n matrix of rank k at most.
template <class S>
S least_squared_columns(const Matrix<S>& m) {
  return m.cols() <= m.rows() ? gram_extremes(gram_of_columns(m)).least : S(0);
}

// sigma_{n-1}(Pi K)^2, as sigma of the (n-1) x d matrix that an orthonormal basis of 1^perp makes of K:
// the Helmert rows (k_0 + .. + k_{r-1} - r k_r) / sqrt(r (r + 1)).
template <class S>
S key_spread(const Matrix<S>& K) {
  Matrix<S> reduced(K.rows() - 1, K.cols());
  for (std::size_t r = 1; r < K.rows(); ++r) {
    const S norm = sqrt(count<S>(r * (r + 1)));
    for (std::size_t j = 0; j < K.cols(); ++j) {
      S sum(0);
      for (std::size_t b = 0; b < r; ++b) sum += K(b, j) - K(r, j);
      reduced(r - 1, j) = sum / norm;
    }
  }
  return reduced.rows() <= reduced.cols() ? gram_extremes(gram_of_rows(reduced)).least : S(0);
}

template <class S>
S token_bound(const KernelAnalysis<S>& a, std::size_t i, std::size_t h, std::size_t token) {
  const KernelModel<S>& m = a.model();
  const Matrix<S> P = multiply(m.values(i, h), m.weights().W_O[h]), &K = m.keys(i, h);
  const std::size_t n = P.rows();
  S least = m.attention(i, h)(token, 0);
  for (std::size_t b = 1; b < n; ++b) least = min(least, m.attention(i, h)(token, b));
  const S factor = square(a.beta() * least);
  if (is_normalised(a.kernel())) return factor * least_squared_columns(centred(P)) * key_spread(K);
  Matrix<S> gaps(n, K.cols());
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t c = 0; c < K.cols(); ++c) gaps(b, c) = m.queries(i, h)(token, c) - K(b, c);
  return factor * least_squared_columns(P) * gram_extremes(gram_of_rows(gaps)).least;
}

}  // namespace

template <class S>
void query_only_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                       std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.pl_query_only", positive_text = "the bound is positive";
  const KernelFacts& facts = a.facts();
  const KernelInstance& k = a.instance();
  const std::size_t n = k.tokens(), p = k.output_dim(), d = k.key_dim();
  const std::size_t all_tokens = k.samples() * n;
  const Condition independent =
      known(facts.rank_of_tokens() == all_tokens, "rank X_stack = N n", "rank X_stack < N n");
  const bool rows = is_normalised(a.kernel());
  const Condition shape =
      rows ? known(p + 1 <= n && n <= d + 1, "p <= n - 1 <= d", "p <= n - 1 <= d does not hold")
           : known(p <= n && n <= d, "p <= n <= d", "p <= n <= d does not hold");
  evaluate_wanted<S>(
      id,
      {{"gram",
        [&] {
          const Condition mu = a.mu_positive(KernelBlock::query);
          std::optional<S> bound;
          Condition positive_bound =
              Condition::open(positive_text, positive_text + " is not proved");
          if (facts.token_readout.is_proved() && independent.is_proved() &&
              mu.holds != Ternary::certainly_false) {
            bound = gram_bound(a);
            positive_bound = shown(certainly(positive(*bound)), positive_text);
          }
          return kernel_rung<S>(id, "gram", {facts.token_readout, independent, mu, positive_bound},
                                [&] { return one_item<S>(*bound, a.mu(KernelBlock::query)); });
        }},
       {"token",
        [&] {
          std::vector<Item<S>> items;
          if (shape.is_proved())
            for (std::size_t i = 0; i < k.samples(); ++i)
              for (std::size_t h = 0; h < k.heads(); ++h)
                for (std::size_t t = 0; t < n; ++t) {
                  const S bound = token_bound(a, i, h, t);
                  if (!certainly(positive(bound))) continue;
                  items.push_back(
                      {bound, gram_extremes(gram_of_rows(a.model().query_slope(i, h, t))).least,
                       place(i, h, t)});
                }
          return kernel_rung<S>(
              id, "token", {shape, shown(!items.empty(), "the bound of some token is positive")},
              [&] { return items; });
        }}},
      wanted, all);
}

template void query_only_claims(const KernelAnalysis<DoubleBall>&, const Wanted&,
                                std::vector<RungValues<DoubleBall>>&);
template void query_only_claims(const KernelAnalysis<Ball>&, const Wanted&,
                                std::vector<RungValues<Ball>>&);

}  // namespace heed
