// SPDX-License-Identifier: Apache-2.0
// hess L with a bound of its error; names and numbers are those of proofs-notes/hessian_enclosure.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/attention/detail/mha_fast_workspace.hpp"
#include "heed/attention/detail/radius_bounds.hpp"
#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed::approx::detail {

struct MhaWorkspace::RowData {
  AlignedArray alpha, gam_error, gam_size;  // lanes, n x groups x T
  AlignedArray O, CU;                       // lanes, per sample groups x T_i x d
};

MhaWorkspace::RowData MhaWorkspace::enclose_rows() {
  allocate_attention();
  const std::size_t size = groups * T * width, entries = x_.size() * groups * width;
  RowData rows{AlignedArray(n * size), AlignedArray(n * size), AlignedArray(n * size),
               AlignedArray(entries), AlignedArray(entries)};
  const KernelProblem p = problem(U_, W_);
  for_chunks([&](Chunk& chunk, std::size_t i) {
    alignas(64) double beta_max[8];
    double phi_error = 0;
    const KernelRadii radii =
        radii_of(i, chunk, rows.alpha.data() + i * size, rows.gam_error.data() + i * size,
                 rows.gam_size.data() + i * size, beta_max, &phi_error);
    KernelSample sample = samples_[i];
    sample.O = rows.O.data() + first_token(i) * d * groups * width;
    sample.CU = rows.CU.data() + first_token(i) * d * groups * width;
    kernels.forward_enclosed(p, sample, chunk.scratch(), radii);
  });
  attention_kept_ = true;
  return rows;
}

double MhaWorkspace::hessian_row(const RowData& rows, std::size_t i, double* row) const {
  const KernelSample& s = samples_[i];
  const auto Ti = static_cast<std::size_t>(s.T);
  const double rho = rho_[i], delta = delta_[i], *x = s.x;
  // l'' and its square root: |l'''| <= l'', so l'' moves by a factor of at most e^r within r.
  const double e = kernels.exp_nonpositive(-std::fabs(margins[i])), q = 1 / (1 + e), t = margins[i];
  const double second = loss == Loss::logistic ? e * q * q : t < 0 ? 1 / e : e;
  const double r = phi_radius[i];
  const double relative = r <= 1 ? r + r * r + 0x1p-46 : infinity;
  const double weight = std::sqrt(second / (static_cast<double>(n) * static_cast<double>(H)));
  double error2 = 0;
  for (std::size_t h = 0; h < H; ++h) {
    const std::size_t g = h / width, lane = h % width, block = (T + d) * d;
    double* const U = row + h * block;
    double* const W = U + T * d;
    const std::size_t begin = (first_token(i) * groups + g * Ti) * d * width + lane;
    const double* const O = rows.O.data() + begin;
    const double* const CU = rows.CU.data() + begin;
    double of_W = 0;
    for (std::size_t t0 = 0; t0 < Ti; ++t0) {
      for (std::size_t c = 0; c < d; ++c) U[t0 * d + c] = O[(t0 * d + c) * width];
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t c = 0; c < d; ++c)
          W[b * d + c] += x[t0 * d + b] * CU[(t0 * d + c) * width];
      const std::size_t at = ((i * groups + g) * T + t0) * width + lane;
      const double size = rows.gam_size.data()[at];
      const double of_U =
          1.02 * (delta * (rows.alpha.data()[at] + factors_.sum_tokens) + 4 * half_unit * rho) +
          underflow;
      error2 += of_U * of_U;
      of_W += x_norms_[first_token(i) + t0] * 1.02 * delta *
              (rows.gam_error.data()[at] + (factors_.sum_tokens + gamma(T + 5)) * size);
    }
    error2 += of_W * of_W;
  }
  const double size = norm_bound(row, H * (T + d) * d);
  for (std::size_t k = 0; k < H * (T + d) * d; ++k) row[k] *= weight;
  const double error = up * std::sqrt(error2) + underflow;
  // 2^-500 per size: a slope flushed to 0 is below 2^-1019, its root below 2^-509.
  return up * weight * ((1 + relative) * error + (relative + 8 * half_unit) * size) +
         0x1p-500 * (size + error) + underflow;
}

SaddleBlock<double> MhaWorkspace::hessian_block(const RowData& rows, std::size_t h,
                                                const double* tokens, const double* C,
                                                const double* K, double& error) const {
  const heed::detail::DenseKernels& dense = heed::detail::dense_kernels();
  const std::size_t lane = h % width, g = h / width, pairs = d * (d + 1) / 2, d2 = d * d;
  const std::size_t count = x_norms_.size();
  const double scale = static_cast<double>(n) * sqrt_heads;
  const double sum_of_all = gamma(count + T + n + 24);
  SaddleBlock<double> block{Matrix<double>(T * d, d2), Matrix<double>(d2, d2)};
  std::vector<double> right(count * pairs), at_t(n * d2), x_t(n * d), product(d * d2);
  double K_error = 0, M_error2 = 0;
  for (std::size_t t = 0; t < T; ++t) {
    double M_error = 0;
    std::size_t present = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const KernelSample& s = samples_[i];
      if (t >= static_cast<std::size_t>(s.T)) continue;
      const std::size_t token = first_token(i) + t, at = ((i * groups + g) * T + t) * width + lane;
      const double c = -y[i] * slopes[i] / scale;
      const double *second = C + token * pairs * width + lane,
                   *third = K + token * pairs * width + lane;
      std::size_t p = 0;
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b <= a; ++b, ++p) {
          right[p * count + token] = c * third[p * width];
          at_t[present + (a * d + b) * n] = at_t[present + (b * d + a) * n] = c * second[p * width];
        }
      for (std::size_t b = 0; b < d; ++b) x_t[present + b * n] = s.x[t * d + b];
      ++present;

      const double delta = delta_[i], rho = x_norms_[token], alpha = rows.alpha.data()[at];
      const double gam = rows.gam_error.data()[at], size = rows.gam_size.data()[at];
      const double e_x = 1.02 * delta * (alpha + factors_.sum_tokens + 5 * half_unit);
      const double e_C =
          1.06 * (delta * delta * (alpha + factors_.sum_tokens) + 2 * delta * e_x) + underflow;
      const double e_K =
          1.06 * 4 * delta * (delta * (gam + factors_.sum_tokens * size) + (size + gam) * e_x) +
          underflow;
      const double of_c = c_radius[i] + std::fabs(c) * sum_of_all;
      M_error += rho * (std::fabs(c) * e_C + of_c * 1.06 * delta * delta);
      K_error += rho * rho * (std::fabs(c) * e_K + of_c * 1.06 * 4 * delta * delta * (size + gam));
    }
    std::fill(product.begin(), product.end(), 0.0);
    dense.add_product_tn({product.data(), d, d2, d}, 1, {x_t.data(), present, d, n},
                         {at_t.data(), present, d2, n});
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t e = 0; e < d; ++e)
          block.M(t * d + a, b * d + e) = product[b + (a * d + e) * d];
    M_error2 += M_error * M_error;
  }
  std::vector<double> kk(pairs * pairs);
  dense.add_product_tn({kk.data(), pairs, pairs, pairs}, 1, {tokens, count, pairs, count},
                       {right.data(), count, pairs, count});
  const auto pair = [](std::size_t a, std::size_t b) {
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
  };
  for (std::size_t b = 0; b < d; ++b)
    for (std::size_t e = 0; e < d; ++e)
      for (std::size_t c = 0; c < d; ++c)
        for (std::size_t f = 0; f < d; ++f)
          block.K(b * d + c, e * d + f) = kk[pair(b, e) + pair(c, f) * pairs];
  error = up * (std::sqrt(M_error2) + K_error) + underflow;
  return block;
}

PointSaddle MhaWorkspace::enclose_hessian() {
  require_rounding_to_nearest();
  const RowData rows = enclose_rows();
  const std::size_t count = x_norms_.size(), pairs = d * (d + 1) / 2, P = H * (T + d) * d;
  Matrix<double> J(n, P);
  std::vector<double> row_error(n);
  parallel_for(n, [&](std::size_t i) { row_error[i] = hessian_row(rows, i, J.row(i)); });
  double J_error2 = 0;
  for (const double e : row_error) J_error2 += e * e;
  const double J_error = up * std::sqrt(J_error2) + underflow;

  std::vector<double> tokens(count * pairs);  // x_b x_e by token, column-major
  for (std::size_t k = 0; k < count; ++k) {
    const double* x = x_.data() + k * d;
    std::size_t p = 0;
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t e = 0; e <= b; ++e, ++p) tokens[p * count + k] = x[b] * x[e];
  }
  AlignedArray C(count * pairs * width), K(count * pairs * width);
  std::vector<SaddleBlock<double>> blocks(H);
  std::vector<double> block_error(H);
  const KernelProblem p = problem(U_, W_);
  for (std::size_t g = 0; g < groups; ++g) {
    parallel_for(n, [&](std::size_t i) {
      AlignedArray centred(T * (d + 2) * width);
      const std::size_t at = first_token(i) * pairs * width;
      kernels.moments(p, samples_[i], static_cast<std::ptrdiff_t>(g), centred.data(), C.data() + at,
                      K.data() + at);
    });
    const std::size_t first = g * width, heads = std::min(width, H - first);
    parallel_for(heads, [&](std::size_t k) {
      blocks[first + k] =
          hessian_block(rows, first + k, tokens.data(), C.data(), K.data(), block_error[first + k]);
    });
  }
  bool known = small_;
  double perturbation = 0;
  for (const double e : block_error) {
    known = known && e < infinity;
    perturbation = std::max(perturbation, e);
  }
  perturbation += J_error * (2 * norm_bound(J.data(), n * P) + J_error);
  perturbation = up * perturbation + underflow;
  for (const double r : phi_radius) known = known && r < infinity;
  if (!known || !(perturbation >= 0)) perturbation = infinity;
  return PointSaddle(std::move(blocks), std::move(J), perturbation);
}

}  // namespace heed::approx::detail
