// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/mha_pairwise_workspace.hpp"

#include <algorithm>
#include <cmath>

namespace heed::approx {

PairwiseMha::Workspace::Workspace(MhaInputs<double> inputs)
    : in(std::move(inputs)),
      d(static_cast<Index>(in.dim())),
      T(static_cast<Index>(in.tokens())),
      H(static_cast<Index>(in.heads())),
      sqrt_heads(std::sqrt(static_cast<double>(H))),
      samples(in.samples()),
      phi(in.samples()),
      margins(in.samples()),
      gradient(in.parameters()),
      terms(in.samples()),
      U(d, T * H),
      U_out(d, T * H),
      W(H * d, d),
      left(d, 2 * T * H),
      pairs(T, 2 * T * H),
      reference(at(T * H)) {
  Index tokens = 0;
  for (const Matrix<double>& x : in.X) tokens += static_cast<Index>(x.rows());
  X.resize(d, tokens);
  rows.resize(H * d, tokens);
  tokens = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    PairwiseSample& s = samples[i];
    s.T = static_cast<Index>(in.X[i].rows());
    s.first_token = tokens;
    tokens += s.T;
    s.x = X.data() + s.first_token * d;
    s.dx = in.dX[i].data();
    X.middleCols(s.first_token, s.T) = ConstBlock(in.X[i].data(), d, s.T);
    s.natural.resize(at(s.T * H));
    s.start.resize(at(s.T) + 1);
    s.A.resize(s.T, s.T * H);
    s.F.resize(s.T, s.T * H);
    s.O.resize(d, s.T * H);
    s.CU.resize(d, s.T * H);
  }
}

void PairwiseMha::Workspace::pack(std::span<const double> flat) {
  const double* p = flat.data();
  for (Index h = 0; h < H; ++h) {
    for (Index t = 0; t < T; ++t, p += d)
      U.col(t * H + h) = Eigen::Map<const Eigen::VectorXd>(p, d);
    W.middleRows(h * d, d) = ConstBlock(p, d, d);
    p += d * d;
  }
}

void PairwiseMha::Workspace::unpack(std::span<double> flat) const {
  double* p = flat.data();
  for (Index h = 0; h < H; ++h) {
    for (Index t = 0; t < T; ++t, p += d) Eigen::Map<Eigen::VectorXd>(p, d) = U_out.col(t * H + h);
    Block(p, d, d) = W.middleRows(h * d, d);
    p += d * d;
  }
}

// From logits relative to token 0: wrong only by their rounding errors.
void PairwiseMha::Workspace::choose_references(const PairwiseSample& s, const ConstBlock& Q) {
  Block gaps(pairs.data(), s.T, s.T * H);
  gaps.noalias() = s.differences(0, d).transpose() * Q;
  for (Index k = 0; k < s.T * H; ++k) {
    const double* g = gaps.data() + k * s.T;
    reference[at(k)] = std::min_element(g, g + s.T) - g;
  }
}

void PairwiseMha::Workspace::sort_columns(PairwiseSample& s) const {
  std::fill(s.start.begin(), s.start.end(), 0);
  const std::size_t columns = s.natural.size();
  for (std::size_t k = 0; k < columns; ++k) ++s.start[at(reference[k]) + 1];
  for (std::size_t r = 1; r < s.start.size(); ++r) s.start[r] += s.start[r - 1];
  for (std::size_t k = 0; k < columns; ++k)  // start[r] runs to the end of r, the start of r + 1
    s.natural[at(s.start[at(reference[k])]++)] = static_cast<Index>(k);
  for (std::size_t r = s.start.size() - 1; r > 0; --r) s.start[r] = s.start[r - 1];
  s.start[0] = 0;
}

// pairs = -(y_s . q_t) and -(y_s . u_t), exact differences of tokens in every row.
void PairwiseMha::Workspace::products_with_differences(const PairwiseSample& s,
                                                       const ConstBlock& Q) {
  for (Index r = 0; r < s.T; ++r) {
    const auto [a, m] = s.group(r);
    if (m == 0) continue;
    Block qu(left.data() + 2 * a * d, d, 2 * m);
    for (Index k = 0; k < m; ++k) {
      const Index from = s.natural[at(a + k)];
      qu.col(k) = Q.col(from);
      qu.col(m + k) = U.col(from);
    }
    Block out(pairs.data() + 2 * a * s.T, s.T, 2 * m);
    out.noalias() = s.differences(r, d).transpose() * qu;
  }
}

// A reference with less than half the largest attention gives way; rounding errors of the first
// choice matter for logits beyond 1e15 only.
bool PairwiseMha::Workspace::improve_references(const PairwiseSample& s) {
  bool improved = false;
  for (Index r = 0; r < s.T; ++r) {
    const auto [a, m] = s.group(r);
    for (Index k = 0; k < m; ++k) {
      const double* g = pairs.data() + (2 * a + k) * s.T;
      const double* least = std::min_element(g, g + s.T);
      if (*least > -0.6) continue;
      reference[at(s.natural[at(a + k)])] = least - g;
      improved = true;
    }
  }
  return improved;
}

void PairwiseMha::Workspace::forward(PairwiseSample& s) {
  const Block Q_block = columns(s);
  const ConstBlock Q(Q_block.data(), d, s.T * H);
  choose_references(s, Q);
  Index rounds = 0;
  do {
    sort_columns(s);
    products_with_differences(s, Q);
  } while (++rounds <= s.T && improve_references(s));

  for (Index r = 0; r < s.T; ++r) {
    const auto [a, m] = s.group(r);
    if (m == 0) continue;
    Block gaps(pairs.data() + 2 * a * s.T, s.T, m), values(gaps.data() + m * s.T, s.T, m);
    for (Index k = 0; k < m; ++k) {
      auto g = gaps.col(k).array();
      auto v = values.col(k).array();
      const double least = g.minCoeff();
      double sum = 0;
      for (Index j = 0; j < s.T; ++j) sum += g[j] = std::exp(least - g[j]);
      s.A.col(a + k) = gaps.col(k) / sum;
      const double mean = s.A.col(a + k).dot(values.col(k));
      s.F.col(a + k).array() = mean - v;
      v = s.A.col(a + k).array() * (v - mean);  // -Gam, for -y
    }
    s.CU.middleCols(a, m).noalias() = s.differences(r, d) * values;
  }
  s.O.noalias() = ConstBlock(s.x, d, s.T) * s.A;
}

double PairwiseMha::Workspace::phi_of(const PairwiseSample& s) const {
  double sum = 0;
  for (Index k = 0; k < s.T * H; ++k) sum += U.col(s.natural[at(k)]).dot(s.O.col(k));
  return sum / sqrt_heads;
}

void PairwiseMha::Workspace::evaluate(std::span<const double> theta) {
  pack(theta);
  rows.noalias() = W * X;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    forward(samples[i]);
    phi[i] = phi_of(samples[i]);
    margins[i] = in.y[i] > 0 ? phi[i] : -phi[i];
    terms[i] = loss_terms_at(in.loss, margins[i]);
  }
  U_out.setZero();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const PairwiseSample& s = samples[i];
    const double slope = (in.y[i] > 0 ? -terms[i].slope : terms[i].slope) /
                         (static_cast<double>(samples.size()) * sqrt_heads);
    Block cu = columns(s);
    for (Index k = 0; k < s.T * H; ++k) {
      const Index to = s.natural[at(k)];
      U_out.col(to) += slope * s.O.col(k);
      cu.col(to) = slope * s.CU.col(k);
    }
  }
  W.noalias() = rows * X.transpose();
  unpack(gradient);
}

void PairwiseMha::Workspace::hessian_product_of(std::size_t i) {
  const PairwiseSample& s = samples[i];
  Block q = columns(s);  // dW^T x_t
  products_with_differences(s, ConstBlock(q.data(), d, s.T * H));
  double along = 0;  // sqrt(H) <grad Phi_i, v>
  for (Index k = 0; k < s.T * H; ++k) {
    const Index from = s.natural[at(k)];
    along += U.col(from).dot(s.O.col(k)) + q.col(from).dot(s.CU.col(k));
  }
  const double count = static_cast<double>(samples.size());
  const double first = -in.y[i] * terms[i].slope / (count * sqrt_heads);
  const double second = terms[i].second * along / (count * static_cast<double>(H));

  for (Index r = 0; r < s.T; ++r) {
    const auto [a, m] = s.group(r);
    if (m == 0) continue;
    Block logits(pairs.data() + 2 * a * s.T, s.T, m), values(logits.data() + m * s.T, s.T, m);
    for (Index k = 0; k < m; ++k) {
      const auto weight = s.A.col(a + k).array();
      const auto f = s.F.col(a + k).array();
      auto e = logits.col(k).array();
      auto g = values.col(k).array();
      e = (weight * e).sum() - e;  // derivative of a_s is a_s e_s
      const double mean = (weight * (e * f - g)).sum();
      g = weight * (e * f - g - mean);  // derivative of Gam_s, up to multiples of a_s
      e *= weight;
    }
    Block out(left.data() + 2 * a * d, d, 2 * m);
    out.noalias() = s.differences(r, d) * ConstBlock(logits.data(), s.T, 2 * m);
    for (Index k = 0; k < m; ++k) {
      const Index to = s.natural[at(a + k)];
      U_out.col(to) += second * s.O.col(a + k) - first * out.col(k);
      q.col(to) = second * s.CU.col(a + k) - first * out.col(m + k);
    }
  }
}

void PairwiseMha::Workspace::hessian_vector_product(std::span<const double> v,
                                                    std::span<double> out) {
  pack(v);
  rows.noalias() = W * X;
  U_out.setZero();
  for (std::size_t i = 0; i < samples.size(); ++i) hessian_product_of(i);
  W.noalias() = rows * X.transpose();
  unpack(out);
}

}  // namespace heed::approx
