// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_factors.hpp"

#include "heed/linalg/nuclear_norm.hpp"
#include "heed/linalg/product.hpp"
#include "heed/theory/identity_check.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

template <class S>
Matrix<S> in_scalar(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return Scalar<S>::from(q); });
}

template <class S>
Matrix<S> minus(Matrix<S> a, const Matrix<S>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a.data()[k] -= b.data()[k];
  return a;
}

const QueryWeights* factors_of(const QueryPointFacts* point) {
  return point && point->point.weights.K && point->point.weights.Q ? &point->point.weights
                                                                   : nullptr;
}

template <class S>
IdentityResult balance(const QueryAnalysis<S>& a) {
  IdentityCheck check("attsvm.kq_balance",
                      "a gradient step on (K, Q) moves K^T K - Q^T Q by Q^T G^T G Q - K^T G G^T K");
  const QueryWeights* w = factors_of(a.point());
  if (!w || !a.linear_loss().is_proved())
    return std::move(check).result(w ? a.linear_loss().failure : "no K, Q");
  const Matrix<S> K = in_scalar<S>(*w->K), Q = in_scalar<S>(*w->Q), G = a.model().gradient(),
                  GQ = multiply(G, Q), GK = transposed_multiply(G, K), next_K = minus(K, GQ),
                  next_Q = minus(Q, GK);
  const Matrix<S> moved = minus(minus(gram_of_columns(next_K), gram_of_columns(next_Q)),
                                minus(gram_of_columns(K), gram_of_columns(Q)));
  const Matrix<S> expected = minus(gram_of_columns(GQ), gram_of_columns(GK));
  check.equal(moved.entries(), expected.entries());
  return std::move(check).result("");
}

template <class S>
IdentityResult slope_routes(const QueryAnalysis<S>& a) {
  IdentityCheck check("attsvm.gradient",
                      "<grad L, W_mm> by the matrix and by the sum over pairs of tokens");
  const SelectionFacts& f = a.facts().selected();
  for (const Condition& c : {a.linear_loss(), f.feasible})
    if (!c.is_proved()) return std::move(check).result(c.failure);
  check.zero(S(dot(a.model().gradient().entries(), in_scalar<S>(f.W).entries()) +
               a.descent_along_margin(f)));
  return std::move(check).result("");
}

}  // namespace

template <class S>
std::vector<RungValues<S>> attsvm_factors_claims(const QueryAnalysis<S>& a, const Wanted& wanted) {
  std::vector<RungValues<S>> all;
  const std::string id = "attsvm.kq_variational", text = "factors K, Q are given";
  const QueryWeights* w = factors_of(a.point());
  const Condition factors =
      w ? Condition::proved(text) : Condition::open(text, a.point() ? "no K, Q" : "no W");
  evaluate_wanted<S>(
      id,
      {{"factors",
        [&] {
          return rung_under<S>(id, "factors", {factors}, [&] {
            const Rational bound = (squared_norm(*w->K) + squared_norm(*w->Q)) / Rational(2);
            const bool balanced = gram_of_columns(*w->K) == gram_of_columns(*w->Q);
            const Ball norm = nuclear_norm(map(w->W, [](const Rational& q) { return Ball(q); }));
            return std::vector<Item<S>>{decided_item<S>(S(norm), Scalar<S>::from(bound), balanced)};
          });
        }}},
      wanted, all);
  return all;
}

std::vector<ClaimInfo> attsvm_factors_claim_infos() {
  return {{"attsvm.kq_variational",
           "Weight decay on K and Q bounds the nuclear norm of W = K Q^T: ||W||_*.",
           {"factors K, Q are given"},
           {"the minimum over all factorisations with m >= rank W is ||W||_*"},
           {{"factors", "(||K||_F^2 + ||Q||_F^2)/2"}},
           "K^T K = Q^T Q",
           "attsvm_factors"}};
}

template <class S>
std::vector<IdentityResult> check_query_identities(const QueryAnalysis<S>& a) {
  return {balance(a), slope_routes(a)};
}

template std::vector<RungValues<DoubleBall>> attsvm_factors_claims(const QueryAnalysis<DoubleBall>&,
                                                                   const Wanted&);
template std::vector<RungValues<Ball>> attsvm_factors_claims(const QueryAnalysis<Ball>&,
                                                             const Wanted&);
template std::vector<IdentityResult> check_query_identities(const QueryAnalysis<DoubleBall>&);
template std::vector<IdentityResult> check_query_identities(const QueryAnalysis<Ball>&);

}  // namespace heed
