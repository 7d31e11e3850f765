// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_rank.hpp"

#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/gram_extremes.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/identity_check.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

template <class S>
std::vector<Item<S>> integers(std::size_t lhs, std::size_t rhs) {
  return {exact_item<S>(Rational(static_cast<long>(lhs)), Rational(static_cast<long>(rhs)))};
}

template <class S>
S sigma_squared(const Matrix<S>& m) {
  return gram_extremes(gram_of_rows(m)).least;
}

template <class S>
std::string head_name(const KernelAnalysis<S>&, std::size_t h) {
  return "head " + std::to_string(h);
}

template <class S>
void cover_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.rank.cover", affine = "kernel.rank.affine_tokens";
  const KernelFacts& f = a.facts();
  const KernelInstance& k = a.instance();
  const auto mu = [&] { return a.mu_positive(KernelBlock::value); };
  const std::size_t rows = k.samples() * k.rows();
  evaluate_wanted<S>(
      id,
      {{"necessary",
        [&] {
          return kernel_rung<S>(id, "necessary", {a.small(), mu()},
                                [&] { return integers<S>(k.residuals(), f.cover_bound()); });
        }},
       {"sufficient",
        [&] {
          bool some = false;
          for (std::size_t h = 0; h < k.heads(); ++h)
            some = some || f.rank_W_O(h) == k.output_dim();
          const Condition full =
              known(some && rows <= k.dim() && f.features_bound() == rows,
                    "rank W_O^h = p for some head, and N m <= rank of the tokens",
                    "no head can have rank W_O = p and rank B = N m");
          S most(0);
          if (full.is_proved() && a.small().is_proved())
            for (std::size_t h = 0; h < k.heads(); ++h)
              most = max(most, a.least_squared_W_O(h) * a.least_squared(a.features(h)));
          return kernel_rung<S>(
              id, "sufficient",
              {a.small(), full,
               shown(certainly(positive(most)), "rank W_O^h = p and rank B_h = N m for some head")},
              [&] { return one_item<S>(most, a.mu(KernelBlock::value)); });
        }},
       {"tokens",
        [&] {
          const Condition independent = known(f.rank_of_tokens() == f.stacked_tokens().rows(),
                                              "rank X_stack = N n", "rank X_stack < N n");
          return kernel_rung<S>(id, "tokens", {a.small(), f.token_readout, independent}, [&] {
            std::vector<Item<S>> items;
            for (std::size_t h = 0; h < k.heads(); ++h) {
              S least = sigma_squared(a.model().attention(0, h));
              for (std::size_t i = 1; i < k.samples(); ++i)
                least = min(least, sigma_squared(a.model().attention(i, h)));
              items.push_back(
                  {least * a.tokens().least, a.least_squared(a.features(h)), head_name(a, h)});
            }
            return items;
          });
        }}},
      wanted, all);
  evaluate_wanted<S>(affine,
                     {{"necessary",
                       [&] {
                         return kernel_rung<S>(
                             affine, "necessary",
                             {f.normalised, f.affine_tokens, f.readout_sees_one, a.small(), mu()},
                             [&] { return integers<S>(k.residuals(), f.affine_bound()); });
                       }}},
                     wanted, all);
}

/// The diagonal matrices of S_soft = Lambda_1 S_gauss Lambda_2, scaled by the least |k_b|^2.
template <class S>
struct Scalings {
  std::vector<S> rows, cols;
};

template <class S>
Scalings<S> scalings(const KernelAnalysis<S>& a, const Matrix<S>& gauss, const Matrix<S>& K) {
  Scalings<S> s;
  std::vector<S> norms;
  for (std::size_t b = 0; b < K.rows(); ++b)
    norms.push_back(dot(K.cols(), K.row(b), 1, K.row(b), 1));
  std::size_t reference = 0;
  for (std::size_t b = 1; b < K.rows(); ++b)
    if (approx::less(norms[b], norms[reference])) reference = b;
  for (std::size_t b = 0; b < K.rows(); ++b)
    s.cols.push_back(exp(a.beta() * (norms[b] - norms[reference]) / S(2)));
  for (std::size_t q = 0; q < gauss.rows(); ++q) {
    S sum(0);
    for (std::size_t l = 0; l < K.rows(); ++l) sum += gauss(q, l) * s.cols[l];
    s.rows.push_back(S(1) / sum);
  }
  return s;
}

template <class S>
S least_of(const std::vector<S>& v) {
  S m = v.front();
  for (const S& x : v) m = min(m, x);
  return m;
}

template <class S>
S largest_of(const std::vector<S>& v) {
  S m = v.front();
  for (const S& x : v) m = max(m, x);
  return m;
}

// The kernel of queries minus keys that is set against softmax: that of the instance, or gaussian.
template <class S>
AttentionKernel partner(const KernelAnalysis<S>& a) {
  return has_distances(a.kernel()) ? a.kernel() : AttentionKernel::gaussian;
}

// sigma_min(S) from the other kernel of the pair, for every sample and head.
template <class S>
std::vector<Item<S>> equivalent_sigmas(const KernelAnalysis<S>& a) {
  const bool soft = a.kernel() == AttentionKernel::softmax;
  const KernelModel<S> other = a.model_of(soft ? partner(a) : AttentionKernel::softmax);
  std::vector<Item<S>> items;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const Matrix<S>&mine = a.model().attention(i, h), &theirs = other.attention(i, h);
      const Scalings<S> s = scalings(a, soft ? theirs : mine, a.model().keys(i, h));
      const S factor = soft ? least_of(s.rows) * least_of(s.cols)
                            : S(1) / (largest_of(s.rows) * largest_of(s.cols));
      items.push_back({factor * sqrt_nonnegative(sigma_squared(theirs)),
                       sqrt_nonnegative(sigma_squared(mine)),
                       "sample " + std::to_string(i) + ", " + head_name(a, h)});
    }
  return items;
}

// 1 - max_a sum_{b /= a} S_ab <= lambda_min(S) for the gaussian kernel; where the left is positive.
template <class S>
std::vector<Item<S>> gershgorin(const KernelAnalysis<S>& a) {
  const KernelModel<S> gauss = a.model_of(AttentionKernel::gaussian);
  std::vector<Item<S>> items;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const Matrix<S>& A = gauss.attention(i, h);
      S most(0);
      for (std::size_t r = 0; r < A.rows(); ++r) {
        S sum(0);
        for (std::size_t c = 0; c < A.cols(); ++c)
          if (c != r) sum += A(r, c);
        most = max(most, sum);
      }
      if (certainly(less(most, S(1))))
        items.push_back({S(1) - most, gram_extremes(A).least,
                         "sample " + std::to_string(i) + ", " + head_name(a, h)});
    }
  return items;
}

template <class S>
void matrix_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                   std::vector<RungValues<S>>& all) {
  const KernelFacts& f = a.facts();
  const std::string tied = "kernel.rank.tied_qk", same = "kernel.rank_equivalence",
                    zero = "kernel.zero_qk";
  evaluate_wanted<S>(tied,
                     {{"gershgorin",
                       [&] {
                         std::vector<Item<S>> items;
                         if (f.tied_qk.is_proved()) items = gershgorin(a);
                         return kernel_rung<S>(
                             tied, "gershgorin",
                             {f.tied_qk, shown(!items.empty(), "some bound is positive")},
                             [&] { return items; });
                       }}},
                     wanted, all);
  evaluate_wanted<S>(
      same,
      {{"sigma",
        [&] { return kernel_rung<S>(same, "sigma", {}, [&] { return equivalent_sigmas(a); }); }}},
      wanted, all);
  const Condition rational = known(f.attention().has_value(), "the attention is rational",
                                   "J J^T is too large for exact ranks");
  evaluate_wanted<S>(
      zero,
      {{"rank",
        [&] {
          return kernel_rung<S>(zero, "rank", {f.zero_qk, rational}, [&] {
            const KernelInstance& k = a.instance();
            std::vector<Item<S>> items;
            for (std::size_t h = 0; h < k.heads(); ++h) {
              Matrix<Rational> B(k.samples() * k.rows(), k.dim());
              for (std::size_t i = 0; i < k.samples(); ++i) {
                const auto part =
                    multiply(k.readout, multiply((*f.attention())[i * k.heads() + h], k.X[i]));
                std::copy(part.entries().begin(), part.entries().end(), B.row(i * k.rows()));
              }
              items.push_back(exact_item<S>(Rational(static_cast<long>(exact_rank(B))),
                                            Rational(static_cast<long>(k.samples())),
                                            head_name(a, h)));
            }
            return items;
          });
        }}},
      wanted, all);
}

// S_soft(a, b) sum_l S_gauss(a, l) e^{beta (|k_l|^2 - |k_b|^2)/2} = S_gauss(a, b), multiplied out.
template <class S>
IdentityResult equivalence(const KernelAnalysis<S>& a) {
  IdentityCheck check("kernel.rank_equivalence", "S_soft = Lambda_1 S_gauss Lambda_2");
  const KernelModel<S> soft = a.model_of(AttentionKernel::softmax), gauss = a.model_of(partner(a));
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const Matrix<S>& A = gauss.attention(i, h);
      const Scalings<S> s = scalings(a, A, a.model().keys(i, h));
      for (std::size_t r = 0; r < A.rows(); ++r)
        for (std::size_t c = 0; c < A.cols(); ++c)
          check.zero(S(soft.attention(i, h)(r, c) - s.rows[r] * A(r, c) * s.cols[c]));
    }
  return std::move(check).result("");
}

template <class S>
IdentityResult affine_column(const KernelAnalysis<S>& a) {
  IdentityCheck check("kernel.rank.affine_tokens", "B_h w = U 1 for every head where X_i w = 1");
  const KernelFacts& f = a.facts();
  for (const Condition& c : {f.normalised, f.affine_tokens})
    if (!c.is_proved()) return std::move(check).result(c.failure);
  std::vector<S> w;
  for (const Rational& x : f.affine_w()) w.push_back(Scalar<S>::from(x));
  const Matrix<Rational>& U = a.instance().readout;
  for (std::size_t h = 0; h < a.instance().heads(); ++h) {
    const std::vector<S> Bw = multiply(a.features(h), w);
    for (std::size_t r = 0; r < Bw.size(); ++r) {
      Rational sum;
      for (std::size_t t = 0; t < U.cols(); ++t) sum += U(r % U.rows(), t);
      check.zero(S(Bw[r] - Scalar<S>::from(sum)));
    }
  }
  return std::move(check).result("");
}

}  // namespace

template <class S>
std::vector<RungValues<S>> kernel_rank_claims(const KernelAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  cover_claims(a, wanted, all);
  matrix_claims(a, wanted, all);
  return all;
}

std::vector<ClaimInfo> kernel_rank_claim_infos() {
  return {
      {"kernel.rank.cover",
       "Full row rank of J_V (mu_V > 0) by counting ranks of features and of W_O.",
       {"necessary: mu_V > 0", "sufficient: one head with rank W_O = p and rank B = N m",
        "tokens: read-out I, rank X_stack = N n"},
       {"M_r = N m p", "b = min(rank X_stack, N m, sum_i min(rank U, rank X_i)) >= rank B_h"},
       {{"necessary", "M_r <= b sum_h rank(W_O^h)"},
        {"sufficient", "max_h sigma_p(W_O^h)^2 sigma_Nm(B_h)^2 <= mu_V"},
        {"tokens", "min_i sigma_min(S_ih)^2 sigma_Nn(X_stack)^2 <= sigma_Nn(B_h)^2"}},
       "sufficient: H = 1; tokens: N = 1 and X_stack X_stack^T a multiple of I",
       "kernel_rank"},
      {"kernel.rank.affine_tokens",
       "Rows of S sum to 1 and X_i w = 1: all heads share the feature column U 1.",
       {"rows of S sum to 1", "X_i w = 1 for all i for some w", "U 1 /= 0", "mu_V > 0"},
       {},
       {{"necessary", "M_r <= (D - 1) sum_h rank W_O^h + rank [W_O^1T .. W_O^HT]"}},
       "generic weights with that many residuals",
       "kernel_rank"},
      {"kernel.rank.tied_qk",
       "W_Q = W_K and different projected tokens: S is nonsingular for every kernel.",
       {"W_Q = W_K", "projected tokens of a sample are pairwise different",
        "the bound is positive for some sample and head"},
       {},
       {{"gershgorin", "1 - max_a sum_{b /= a} S_ab <= lambda_min(S), S of the gaussian kernel"}},
       "n = 1; n = 2",
       "kernel_rank"},
      {"kernel.rank_equivalence",
       "S_soft = Lambda_1 S Lambda_2 with positive diagonal matrices, for every other kernel S: "
       "equal "
       "rank of S.",
       {"none"},
       {"Lambda_2 = exp(beta |k_b|^2 / 2), Lambda_1 = 1 / sum_l S(a, l) Lambda_2(l)",
        "S_gauss: of the kernel of the instance, gaussian if that is softmax"},
       {{"sigma",
         "min Lambda_1 min Lambda_2 sigma_min(S_gauss) <= sigma_min(S_soft); sigma_min(S_soft) / "
         "(max Lambda_1 max Lambda_2) <= sigma_min(S_gauss)"}},
       "all keys of one norm and all row sums equal",
       "kernel_rank"},
      {"kernel.zero_qk",
       "W_Q = W_K = 0: S is constant, so features have the rank of one token a sample.",
       {"W_Q = W_K = 0"},
       {},
       {{"rank", "rank B_h <= N"}},
       "the means of the tokens are linearly independent",
       "kernel_rank"}};
}

template <class S>
std::vector<IdentityResult> check_kernel_rank_identities(const KernelAnalysis<S>& a) {
  return {equivalence(a), affine_column(a)};
}

template std::vector<RungValues<DoubleBall>> kernel_rank_claims(const KernelAnalysis<DoubleBall>&,
                                                                const Wanted&);
template std::vector<RungValues<Ball>> kernel_rank_claims(const KernelAnalysis<Ball>&,
                                                          const Wanted&);
template std::vector<IdentityResult> check_kernel_rank_identities(
    const KernelAnalysis<DoubleBall>&);
template std::vector<IdentityResult> check_kernel_rank_identities(const KernelAnalysis<Ball>&);

}  // namespace heed
