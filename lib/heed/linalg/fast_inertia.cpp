// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/linalg/detail/signed_factor.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed {
namespace {

using detail::ConstView;
using detail::gamma;
using detail::infinity;
using detail::norm_bound;
using detail::SignedFactor;
using detail::underflow;
using detail::Upper;

// Frobenius norm of rows x cols entries with a stride between columns.
Upper strided_norm(ConstView a) {
  Upper sum;
  for (std::size_t j = 0; j < a.cols; ++j) {
    const Upper column = norm_bound(a.data + j * a.stride, a.rows);
    sum = sum + column * column;
  }
  return sqrt(sum);
}

// Frobenius norm of the symmetric matrix of which the lower triangle is stored.
Upper lower_norm(const std::vector<double>& a, std::size_t n) {
  Upper sum;
  for (std::size_t j = 0; j < n; ++j) {
    const Upper column = norm_bound(a.data() + j * (n + 1), n - j);
    sum = sum + Upper(2) * column * column;
  }
  return sqrt(sum);
}

// Largest column sum of |a|, a square and full.
Upper largest_column_sum(const std::vector<double>& a, std::size_t n) {
  Upper largest;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::fabs(a[i + j * n]);
    largest = max(largest, (Upper(sum) + underflow(n)) * (Upper(1) + gamma(2 * n)));
  }
  return largest;
}

}  // namespace

bool InertiaCount::is_known() const { return lower_error < infinity; }

FastInertia::FastInertia(const PointSaddle& a) : a_(a) {
  if (!a.is_finite()) return;
  const std::size_t heads = a.blocks().size(), n = a.rank(), size = a.size();
  const detail::DenseKernels& kernels = detail::dense_kernels();
  gram_.resize(heads);
  projected_.resize(heads);
  gram_norm_.resize(heads);
  gram_error_.resize(heads);
  projected_norm_.resize(heads);
  projected_error_.resize(heads);
  jw_norm_.resize(heads);
  std::vector<std::vector<double>> u_gram(heads), w_gram(heads);
  parallel_for(heads, [&](std::size_t h) {
    const SaddleBlock<double>& b = a.blocks()[h];
    const std::size_t u = b.M.rows(), w = b.K.rows();
    // Row-major storage of M and J is column-major storage of their transposes.
    const ConstView mt{b.M.data(), w, u, w};
    const ConstView jut{a.J().data() + a.offset(h), u, n, size};
    const ConstView jwt{a.J().data() + a.offset(h) + u, w, n, size};
    const auto sides = static_cast<double>(u + w + n);
    gram_[h].resize(w * w);
    kernels.add_gram({gram_[h].data(), w, w, w}, 1, mt);
    gram_norm_[h] = lower_norm(gram_[h], w).value();
    const Upper m(a.m_norm(h)), ju = strided_norm(jut);
    gram_error_[h] = (gamma(u + 4) * m * m + underflow(u) * Upper(sides)).value();
    projected_[h].resize(w * n);
    kernels.add_product({projected_[h].data(), w, n, w}, 1, mt, jut);
    projected_norm_[h] = norm_bound(projected_[h].data(), w * n).value();
    projected_error_[h] = (gamma(u + 4) * m * ju + underflow(u) * Upper(sides)).value();
    jw_norm_[h] = strided_norm(jwt).value();
    u_gram[h].resize(n * n);
    w_gram[h].resize(n * n);
    kernels.add_product_tn({u_gram[h].data(), n, n, n}, 1, jut, jut);
    kernels.add_product_tn({w_gram[h].data(), n, n, n}, 1, jwt, jwt);
  });
  ju_gram_.resize(n * n);
  std::vector<double> j_gram(n * n);
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t k = 0; k < n * n; ++k) {
      ju_gram_[k] += u_gram[h][k];
      j_gram[k] += u_gram[h][k] + w_gram[h][k];
    }
  const Upper j(a.j_norm());
  std::size_t longest = 0;
  for (const SaddleBlock<double>& b : a.blocks()) longest = std::max(longest, b.size());
  const Upper absolute =
      underflow(longest + heads) * Upper(4 * static_cast<double>((n + 1) * (heads + 1)));
  const Upper rounding = gamma(longest + heads + 8) * j * j + absolute;
  ju_gram_norm_ = norm_bound(ju_gram_.data(), n * n).value();
  ju_gram_error_ = rounding.value();
  // Column sums bound the spectral norm of the exact J J^T; those of its error are at most n^{1/2}
  // times its Frobenius norm.
  const Upper sums = largest_column_sum(j_gram, n) + Upper(static_cast<double>(n + 1)) * rounding;
  j_spectral_ = min(j, sqrt(sums)).value();
}

struct FastInertia::Head {
  std::size_t below = 0;
  Upper block_error{infinity};     // of S_h - s, carried to the block
  Upper row_error;                 // of J_h, Frobenius norm
  std::vector<double> complement;  // Y^T Sigma Y, n x n
  Upper complement_norm, complement_error;
};

FastInertia::Head FastInertia::head(std::size_t h, double s, bool with_rank) const {
  Head result;
  const SaddleBlock<double>& b = a_.blocks()[h];
  const std::size_t u = b.M.rows(), w = b.K.rows(), n = a_.rank(), size = a_.size();
  const double inverse = 1 / s;
  const Upper inverse_bound = Upper(1) / std::fabs(s);
  const auto sides = static_cast<double>(u + w + n + 1);
  const Upper absolute = underflow(8) * Upper(4 * sides * sides);

  std::vector<double> S(w * w);
  for (std::size_t j = 0; j < w; ++j) {
    const double* k = b.K.row(j);
    for (std::size_t i = j; i < w; ++i) S[i + j * w] = k[i] + gram_[h][i + j * w] * inverse;
    S[j + j * w] -= s;
  }
  const Upper shifted_error =
      Upper(gram_error_[h]) * inverse_bound +
      gamma(6) *
          (Upper(a_.k_norm(h)) + Upper(gram_norm_[h]) * inverse_bound + Upper(std::fabs(s))) +
      absolute;
  const SignedFactor factor(std::move(S), w);
  if (!factor.error().is_finite()) return result;
  result.below = factor.negative() + (s > 0 ? u : 0);
  result.block_error = shifted_error + factor.error();
  if (!with_rank || n == 0) return result;

  std::vector<double> y(w * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double* g = a_.J().data() + i * size + a_.offset(h) + u;
    for (std::size_t k = 0; k < w; ++k) y[k + i * w] = g[k] + projected_[h][k + i * w] * inverse;
  }
  const Upper residual = factor.solve({y.data(), w, n, w});
  result.row_error = residual + Upper(projected_error_[h]) * inverse_bound +
                     gamma(6) * (Upper(jw_norm_[h]) + Upper(projected_norm_[h]) * inverse_bound) +
                     absolute;
  std::vector<double> z(y);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < w; ++k) z[k + i * w] *= factor.signs()[k];
  result.complement.resize(n * n);
  detail::dense_kernels().add_product_tn({result.complement.data(), n, n, n}, 1,
                                         {y.data(), w, n, w}, {z.data(), w, n, w});
  const Upper norm = norm_bound(y.data(), y.size());
  result.complement_norm = norm_bound(result.complement.data(), n * n);
  result.complement_error = gamma(w + 4) * norm * norm + underflow(w) * Upper(sides);
  return result;
}

InertiaCount FastInertia::count(double s, bool with_rank) const {
  InertiaCount result{s, 0, infinity, infinity};
  if (!a_.is_finite() || !(std::fabs(s) > 0x1p-400 && std::fabs(s) < 0x1p400)) return result;
  const std::size_t heads = a_.blocks().size(), n = with_rank ? a_.rank() : 0;
  std::vector<Head> parts(heads);
  parallel_for(heads, [&](std::size_t h) { parts[h] = head(h, s, with_rank); });

  Upper block_error, row_squares;
  for (const Head& p : parts) {
    block_error = max(block_error, p.block_error);
    row_squares = row_squares + p.row_error * p.row_error;
    result.below += p.below;
  }
  if (!block_error.is_finite()) return result;
  block_error = block_error + Upper(a_.perturbation());
  // If B - s > 0, as J^T J >= 0, nothing that could be said of Q matters.
  if (n == 0 || result.below == 0) {
    result.lower_error = block_error.value();
    if (n == 0) result.upper_error = result.lower_error;
    return result;
  }

  std::vector<double> q(n * n);
  const double inverse = 1 / s;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) q[i + j * n] = -ju_gram_[i + j * n] * inverse;
  const Upper inverse_bound = Upper(1) / std::fabs(s);
  Upper terms = Upper(ju_gram_norm_) * inverse_bound;
  Upper q_error = Upper(ju_gram_error_) * inverse_bound;
  for (const Head& p : parts) {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) q[i + j * n] += p.complement[i + j * n];
    terms = terms + p.complement_norm;
    q_error = q_error + p.complement_error;
  }
  // Rows of J are shrunk by (1 + slack)^{1/2}, slack >= tau + the error of Q: then that error, however
  // large J is, cannot make the matrix larger, and the row errors d count as d^2 / tau.
  const Upper d = sqrt(row_squares);
  const double tau = std::max(d.value() / std::sqrt(std::fabs(s)), detail::unit_roundoff);
  double slack = 2 * (tau + q_error.value() + gamma(4 * n + 8).value() * (1 + terms.value()));
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::vector<double> shrunk(q);
    for (std::size_t j = 0; j < n; ++j) shrunk[j * (n + 1)] += 1 + slack;
    const SignedFactor factor(std::move(shrunk), n);
    const Upper e = q_error + gamma(heads + 6) * (Upper(1) + Upper(slack) + terms) +
                    underflow(heads + 6) * Upper(4 * static_cast<double>(n + 1)) + factor.error();
    const double needed = (e + Upper(tau)).value();
    if (!(needed < 0x1p300)) break;
    if (!(needed <= slack)) {
      slack = 2 * needed;
      continue;
    }
    // #neg = sum of #neg(blocks) + #pos(Q) - n.
    if (result.below < factor.negative()) break;
    result.below -= factor.negative();
    const Upper j(j_spectral_), moved = j + d;
    result.lower_error = (block_error + d * d / tau).value();
    result.upper_error =
        (block_error + d * (Upper(2) * j + d) + moved * moved * (Upper(slack) + e)).value();
    return result;
  }
  return result;
}

InertiaCount FastInertia::count(double s) const { return count(s, true); }
InertiaCount FastInertia::count_blocks(double s) const { return count(s, false); }

double FastInertia::approx_error(double s) const {
  double largest = 0;
  for (std::size_t h = 0; h < a_.blocks().size(); ++h)
    largest = std::max(largest, a_.m_norm(h) * a_.m_norm(h) / std::fabs(s) + a_.k_norm(h));
  return detail::unit_roundoff * (largest + a_.j_norm() * a_.j_norm() + std::fabs(s)) * 16;
}

}  // namespace heed
