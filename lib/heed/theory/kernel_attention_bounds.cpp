// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_attention_bounds.hpp"

#include "heed/linalg/product.hpp"
#include "heed/theory/kernel_rungs.hpp"

namespace heed {
namespace {

template <class S>
S norm(const std::vector<S>& v) {
  return sqrt_nonnegative(squared_norm(v));
}

template <class S>
std::vector<S> row_gap(const Matrix<S>& a, std::size_t r, const Matrix<S>& b, std::size_t s) {
  std::vector<S> gap;
  for (std::size_t c = 0; c < a.cols(); ++c) gap.push_back(a(r, c) - b(s, c));
  return gap;
}

// The third central moment constant, range of scores and of values 1: 1 / (6 sqrt 3).
template <class S>
S third() {
  return S(1) / (S(6) * sqrt(S(3)));
}

/// What kernel.lip_attention compares: lhs and rhs of the first and the second derivative.
template <class S>
struct JetItems {
  std::vector<Item<S>> first, second;
};

// Along the scores of the row themselves, and along each single score.
template <class S>
void softmax_items(const KernelAnalysis<S>& a, std::size_t i, std::size_t h, std::size_t t,
                   JetItems<S>& out) {
  const KernelModel<S>& m = a.model();
  const Matrix<S>&Q = m.queries(i, h), &K = m.keys(i, h);
  const std::size_t n = K.rows();
  const std::vector<S> s(m.attention(i, h).row(t), m.attention(i, h).row(t) + n);
  std::vector<std::vector<S>> directions(n + 1, std::vector<S>(n, S(0)));
  for (std::size_t b = 0; b < n; ++b) {
    directions[b][b] = S(1);
    S score(0);
    for (std::size_t c = 0; c < K.cols(); ++c)
      score += has_distances(a.kernel()) ? S(-square(Q(t, c) - K(b, c)) / S(2)) : Q(t, c) * K(b, c);
    directions[n][b] = a.beta() * score;
  }
  for (std::size_t k = 0; k <= n; ++k) {
    const std::vector<S>& z = directions[k];
    const std::string where =
        place(i, h, t) + (k < n ? ", along score " + std::to_string(k) : ", along the scores");
    const SoftmaxJet<S> jet = softmax_jet(s, z);
    out.first.push_back({norm(jet.first), norm(z) / S(2), where});
    out.second.push_back({norm(jet.second), sqrt(S(6)) / S(9) * max(squared_norm(z), S(0)), where});
  }
}

// Along the gap of query and key, and along one axis: the entry with the largest ratio of each row.
template <class S>
void gaussian_items(const KernelAnalysis<S>& a, std::size_t i, std::size_t h, std::size_t t,
                    JetItems<S>& out) {
  const KernelModel<S>& m = a.model();
  const S scale = a.kernel() == AttentionKernel::gaussian_over_n
                      ? S(1) / count<S>(a.instance().tokens())
                      : S(1);
  const S root = sqrt(a.beta() * exp(S(-1)));
  for (std::size_t b = 0; b < a.instance().tokens(); ++b) {
    const std::vector<S> gap = row_gap(m.queries(i, h), t, m.keys(i, h), b);
    std::vector<S> axis(gap.size(), S(0));
    axis.front() = S(1);
    for (const std::vector<S>* w : std::initializer_list<const std::vector<S>*>{&gap, &axis}) {
      const std::string where = place(i, h, t) + ", key " + std::to_string(b) +
                                (w == &gap ? ", along q - k" : ", along an axis");
      const GaussianJet<S> jet = gaussian_jet(m.attention(i, h)(t, b), a.beta(), gap, *w);
      out.first.push_back({abs(jet.first), scale * root * norm(*w), where});
      out.second.push_back(
          {abs(jet.second), scale * a.beta() * max(squared_norm(*w), S(0)), where});
    }
  }
}

template <class S>
JetItems<S> jet_items(const KernelAnalysis<S>& a) {
  JetItems<S> items;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h)
      for (std::size_t t = 0; t < a.instance().tokens(); ++t)
        is_normalised(a.kernel()) ? softmax_items(a, i, h, t, items)
                                  : gaussian_items(a, i, h, t, items);
  return items;
}

// D^2 (phi_c) by the query of token t: d x d.
template <class S>
Matrix<S> output_curvature(const KernelAnalysis<S>& a, std::size_t i, std::size_t h, std::size_t t,
                           const Matrix<S>& P, std::size_t c) {
  const Matrix<S>&Q = a.model().queries(i, h), &K = a.model().keys(i, h),
        &A = a.model().attention(i, h);
  const std::size_t n = K.rows(), d = K.cols();
  const bool rows = is_normalised(a.kernel());
  Matrix<S> D(d, d);
  for (std::size_t b = 0; b < n; ++b) {
    S weight(0);
    std::vector<S> u(d, S(0));
    if (rows) {
      for (std::size_t l = 0; l < n; ++l) {
        weight += A(t, l) * (P(b, c) - P(l, c));
        for (std::size_t e = 0; e < d; ++e) u[e] += A(t, l) * (K(b, e) - K(l, e));
      }
    } else {
      weight = P(b, c);
      u = row_gap(K, b, Q, t);
    }
    weight *= A(t, b);
    for (std::size_t e = 0; e < d; ++e) {
      for (std::size_t f = 0; f <= e; ++f)
        D(e, f) += weight * square(a.beta()) * (e == f ? square(u[e]) : S(u[e] * u[f]));
      if (!rows) D(e, e) -= weight * a.beta();
    }
  }
  for (std::size_t e = 0; e < d; ++e)
    for (std::size_t f = 0; f < e; ++f) D(f, e) = D(e, f);
  return D;
}

template <class S>
S curvature_bound(const KernelAnalysis<S>& a, const RowSizes<S>& r) {
  if (is_normalised(a.kernel())) return square(a.beta() * r.dK) * r.dP * third<S>();
  const S bound = a.beta() * r.sum_P;
  return a.kernel() == AttentionKernel::gaussian_over_n ? bound / count<S>(a.instance().tokens())
                                                        : bound;
}

template <class S>
std::vector<Item<S>> curvature_items(const KernelAnalysis<S>& a) {
  std::vector<Item<S>> items;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const Matrix<S> P = multiply(a.model().values(i, h), a.model().weights().W_O[h]);
      const S bound = curvature_bound(a, row_sizes(a, i, h));
      for (std::size_t t = 0; t < a.instance().tokens(); ++t)
        for (std::size_t c = 0; c < P.cols(); ++c)
          items.push_back({extremes(output_curvature(a, i, h, t, P, c)).norm(), bound,
                           place(i, h, t) + ", output " + std::to_string(c)});
    }
  return items;
}

// n = 2: where the supremum for rows that sum to 1 exceeds the bound of the gaussian kernel.
template <class S>
std::vector<Item<S>> gap_items(const KernelAnalysis<S>& a) {
  std::vector<Item<S>> items;
  for (std::size_t i = 0; i < a.instance().samples(); ++i)
    for (std::size_t h = 0; h < a.instance().heads(); ++h) {
      const RowSizes<S> r = row_sizes(a, i, h);
      const S gaussian = a.beta() * r.sum_P, rows = square(a.beta() * r.dK) * r.dP * third<S>();
      if (certainly(less(gaussian, rows)))
        items.push_back(
            {gaussian, rows, "sample " + std::to_string(i) + ", head " + std::to_string(h)});
    }
  return items;
}

}  // namespace

template <class S>
SoftmaxJet<S> softmax_jet(const std::vector<S>& s, const std::vector<S>& z) {
  const std::size_t n = s.size();
  std::vector<S> centred(n, S(0));
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t l = 0; l < n; ++l) centred[b] += s[l] * (z[b] - z[l]);
  SoftmaxJet<S> jet;
  for (std::size_t b = 0; b < n; ++b) {
    S excess(0);
    for (std::size_t l = 0; l < n; ++l)
      excess += s[l] * ((centred[b] - centred[l]) * (centred[b] + centred[l]));
    jet.first.push_back(s[b] * centred[b]);
    jet.second.push_back(s[b] * excess);
  }
  return jet;
}

template <class S>
GaussianJet<S> gaussian_jet(const S& s, const S& beta, const std::vector<S>& u,
                            const std::vector<S>& w) {
  const S along = dot(u, w);
  return {-(beta * s * along), s * beta * (beta * square(along) - squared_norm(w))};
}

template <class S>
RowSizes<S> row_sizes(const KernelAnalysis<S>& a, std::size_t i, std::size_t h) {
  const Matrix<S> P = multiply(a.model().values(i, h), a.model().weights().W_O[h]);
  const Matrix<S>& K = a.model().keys(i, h);
  RowSizes<S> r{S(0), S(0), S(0), S(0)};
  for (std::size_t b = 0; b < P.rows(); ++b) {
    const S size = sqrt_nonnegative(dot(P.cols(), P.row(b), 1, P.row(b), 1));
    r.sum_P += size;
    r.max_P = max(r.max_P, size);
    for (std::size_t l = 0; l < b; ++l) {
      r.dP = max(r.dP, norm(row_gap(P, b, P, l)));
      r.dK = max(r.dK, norm(row_gap(K, b, K, l)));
    }
  }
  return r;
}

template <class S>
void attention_bound_claims(const KernelAnalysis<S>& a, const Wanted& wanted,
                            std::vector<RungValues<S>>& all) {
  const std::string lip = "kernel.lip_attention", gap = "kernel.smoothness_gap";
  if (any_wanted(wanted, lip, {"d1", "d2"})) {
    JetItems<S> items = jet_items(a);
    if (wanted(lip, "d1"))
      all.push_back(kernel_rung<S>(lip, "d1", {}, [&] { return std::move(items.first); }));
    if (wanted(lip, "d2"))
      all.push_back(kernel_rung<S>(lip, "d2", {}, [&] { return std::move(items.second); }));
  }
  const Condition pair = known(a.instance().tokens() == 2, "n = 2", "n is not 2");
  evaluate_wanted<S>(
      gap,
      {{"curvature",
        [&] { return kernel_rung<S>(gap, "curvature", {}, [&] { return curvature_items(a); }); }},
       {"gap",
        [&] {
          std::vector<Item<S>> items;
          if (pair.is_proved() && a.facts().normalised.is_proved()) items = gap_items(a);
          return kernel_rung<S>(
              gap, "gap",
              {pair, a.facts().normalised,
               shown(!items.empty(), "beta dK^2 dP > 6 sqrt 3 sum |P_b| for some head")},
              [&] { return items; });
        }}},
      wanted, all);
}

#define HEED_INSTANTIATE(S)                                                         \
  template void attention_bound_claims(const KernelAnalysis<S>&, const Wanted&,     \
                                       std::vector<RungValues<S>>&);                \
  template SoftmaxJet<S> softmax_jet(const std::vector<S>&, const std::vector<S>&); \
  template GaussianJet<S> gaussian_jet(const S&, const S&, const std::vector<S>&,   \
                                       const std::vector<S>&);                      \
  template RowSizes<S> row_sizes(const KernelAnalysis<S>&, std::size_t, std::size_t);
HEED_INSTANTIATE(DoubleBall)
HEED_INSTANTIATE(Ball)
#undef HEED_INSTANTIATE

}  // namespace heed
