// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_smooth.hpp"

#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_attention_bounds.hpp"
#include "heed/theory/kernel_jacobian.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

/// Largest number of entries of W_Q for which the Hessian is enclosed.
constexpr std::size_t max_query_parameters = 128;

template <class S>
S norm_of(const KernelAnalysis<S>& a, const Matrix<S>& m) {
  return sqrt_nonnegative(a.spectral_squared(m));
}

template <class S>
void value_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.smooth.value";
  const std::size_t H = a.instance().heads(), n = a.instance().tokens();
  evaluate_wanted<S>(
      id,
      {{"features",
        [&] {
          return kernel_rung<S>(id, "features", {a.small()}, [&] {
            S sum(0);
            for (std::size_t h = 0; h < H; ++h)
              sum += a.spectral_squared(a.model().weights().W_O[h]) *
                     a.spectral_squared(a.features(h));
            return one_item<S>(a.L(KernelBlock::value), sum);
          });
        }},
       {"attention",
        [&] {
          return kernel_rung<S>(id, "attention", {}, [&] {
            const S bound = is_normalised(a.kernel())                        ? sqrt(count<S>(n))
                            : a.kernel() == AttentionKernel::gaussian_over_n ? S(1)
                                                                             : count<S>(n);
            std::vector<Item<S>> items;
            for (std::size_t i = 0; i < a.instance().samples(); ++i)
              for (std::size_t h = 0; h < H; ++h)
                items.push_back({norm_of(a, a.model().attention(i, h)), bound,
                                 "sample " + std::to_string(i) + ", head " + std::to_string(h)});
            return items;
          });
        }}},
      wanted, all);
}

// max_ia L_ia, a bound of the Hessian of one token's loss by its queries of all heads.
template <class S>
S query_curvature_bound(const KernelAnalysis<S>& a) {
  const S beta = a.beta(), third = S(1) / (S(6) * sqrt(S(3)));
  const bool rows = is_normalised(a.kernel());
  const S scale = a.kernel() == AttentionKernel::gaussian_over_n
                      ? S(1) / count<S>(a.instance().tokens())
                      : S(1);
  S most(0);
  for (std::size_t i = 0; i < a.instance().samples(); ++i) {
    S slopes(0), curvature(0), reach(0);
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const RowSizes<S> r = row_sizes(a, i, h);
      if (rows) {
        slopes += square(beta * r.dP * r.dK / S(4));
        curvature = max(curvature, square(beta * r.dK) * r.dP * third);
        reach += r.max_P;
      } else {
        slopes += beta * exp(S(-1)) * square(scale * r.sum_P);
        curvature = max(curvature, beta * scale * r.sum_P);
        reach += scale * r.sum_P;
      }
    }
    const Matrix<S>& Y = a.model().inputs().Y[i];
    for (std::size_t t = 0; t < Y.rows(); ++t) {
      const S y = sqrt_nonnegative(dot(Y.cols(), Y.row(t), 1, Y.row(t), 1));
      most = max(most, slopes + curvature * (reach + y));
    }
  }
  return most;
}

template <class S>
void query_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                  std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.smooth.query", most = std::to_string(max_query_parameters);
  const bool few =
      parameter_count(a.instance().weights, KernelBlock::query) <= max_query_parameters;
  evaluate_wanted<S>(
      id,
      {{"all_queries",
        [&] {
          return kernel_rung<S>(
              id, "all_queries",
              {a.facts().token_readout,
               known(few, "W_Q has at most " + most + " entries", "W_Q has more than " + most)},
              [&] {
                return one_item<S>(extremes(a.model().hessian(KernelBlock::query)).norm(),
                                   a.tokens().largest * query_curvature_bound(a));
              });
        }}},
      wanted, all);
}

// |J(W) - J(c W)|_2 <= L_J |W - c W|, on the ball of that radius.
template <class S>
std::vector<Item<S>> jacobian_items(const KernelAnalysis<S>& a, const S& c) {
  const KernelModel<S> other =
      a.model_at(map(a.model().weights(), [&](const S& w) { return S(c * w); }));
  const S distance =
      abs(S(1) - c) *
      sqrt_nonnegative(squared_norm(flatten(a.model().weights(), KernelBlocks::all())));
  Matrix<S> gram(a.residual().size(), a.residual().size());
  for (const KernelBlock block : kernel_blocks) {
    Matrix<S> gap = a.jacobian(block);
    const Matrix<S> there = other.jacobian(block);
    for (std::size_t k = 0; k < gap.size(); ++k) gap.data()[k] -= there.data()[k];
    const Matrix<S> part = gram_of_rows(gap);
    for (std::size_t k = 0; k < gram.size(); ++k) gram.data()[k] += part.data()[k];
  }
  return one_item<S>(sqrt_nonnegative(lambda_max(gram)),
                     jacobian_lipschitz(a, distance) * distance);
}

template <class S>
void jacobian_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                     std::vector<RungValues<S>>& all) {
  const std::string id = "kernel.jac_lipschitz.all";
  const auto rung = [&](const std::string& name, const Rational& c) {
    return std::pair<std::string, std::function<RungValues<S>()>>(name, [&a, id, name, c] {
      return kernel_rung<S>(id, name, {a.small()},
                            [&] { return jacobian_items(a, Scalar<S>::from(c)); });
    });
  };
  evaluate_wanted<S>(id, {rung("half", Rational(1, 2)), rung("eighth", Rational(9, 8))}, wanted,
                     all);
}

}  // namespace

template <class S>
std::vector<RungValues<S>> kernel_smooth_claims(const KernelAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  attention_bound_claims(a, wanted, all);
  value_claims(a, wanted, all);
  query_claims(a, wanted, all);
  jacobian_claims(a, wanted, all);
  return all;
}

std::vector<ClaimInfo> kernel_smooth_claim_infos() {
  return {
      {"kernel.lip_attention",
       "First and second derivative of attention, along scores or along query minus key.",
       {"none"},
       {"sqrt 6 / 9 = 0.2722 and 1/2 (rows sum to 1)", "sqrt(beta / e) and beta (gaussian)"},
       {{"d1", "|s'[z]| <= |z| / 2; |S'[w]| <= sqrt(beta / e) |w|"},
        {"d2", "|s''[z, z]| <= (sqrt 6 / 9) |z|^2; |S''[w, w]| <= beta |w|^2"}},
       "all constants are sharp: two tokens of masses (3 -+ sqrt 3)/6; |q - k|^2 = 1/beta; q = k",
       "kernel_smooth"},
      {"kernel.smooth.value",
       "The loss as a function of W_V has the smoothness constant L_V.",
       {"none"},
       {},
       {{"features", "L_V <= sum_h |W_O^h|^2 |B_h|^2"},
        {"attention", "|S|_2 <= sqrt n (rows sum to 1), n (gaussian), 1 (gaussian/n)"}},
       "features: H = 1; attention: all queries see one token, all tokens agree",
       "kernel_smooth"},
      {"kernel.smooth.query",
       "The Hessian by W_Q, read-out I: a bound that holds at every W_Q.",
       {"read-out I"},
       {"Pi_h = sum_b |P_b^h|; dP, dK: diameters of value rows and keys"},
       {{"all_queries",
         "|X_stack|^2 max_ia L_ia; gaussian (beta/e) sum_h Pi_h^2 + beta max_h Pi_h (sum_h Pi_h + "
         "|y|); softmax sum_h (beta dP dK / 4)^2 + beta^2 max_h dP dK^2 / (6 sqrt 3) (sum_h max_b "
         "|P_b^h| + |y|)"}},
       "in the limit |y| -> infinity",
       "kernel_smooth"},
      {"kernel.smoothness_gap",
       "The curvature of an output by its query: bounded for gaussian keys anywhere, not for rows "
       "that "
       "sum to 1.",
       {"gap: rows of S sum to 1, n = 2, beta dK^2 dP > 6 sqrt 3 sum |P_b|"},
       {},
       {{"curvature",
         "|D^2 phi| <= beta sum |P_b|; rows that sum to 1: beta^2 dP dK^2 / (6 sqrt 3)"},
        {"gap",
         "the bound for gaussian is below the supremum for this kernel with the same values"}},
       "curvature: rows that sum to 1 with n = 2 at masses (3 -+ sqrt 3)/6; gaussian with all keys "
       "at q",
       "kernel_smooth"},
      {"kernel.jac_lipschitz.all",
       "The Jacobian by all blocks is Lipschitz on a ball around the weights.",
       {"none"},
       {"L_J = max_h lambda_max(A^h), A^h: 4 x 4 over (Q, K, V, O), norms enlarged by the radius"},
       {{"half", "|J(W) - J(W/2)| <= L_J |W/2|"}, {"eighth", "|J(W) - J(9W/8)| <= L_J |W/8|"}},
       "N = n = 1 and small weights; gaussian-normalised: n = 2, W_Q and W_K small against W_V, "
       "W_O",
       "kernel_smooth"}};
}

template std::vector<RungValues<DoubleBall>> kernel_smooth_claims(const KernelAnalysis<DoubleBall>&,
                                                                  const Wanted&);
template std::vector<RungValues<Ball>> kernel_smooth_claims(const KernelAnalysis<Ball>&,
                                                            const Wanted&);

}  // namespace heed
