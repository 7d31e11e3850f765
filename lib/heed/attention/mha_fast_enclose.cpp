// SPDX-License-Identifier: Apache-2.0
// The radii of EnclosedMha; names and numbers are those of proofs-notes/gradient_enclosure.md.
#include <cmath>
#include <stdexcept>

#include "heed/attention/detail/mha_fast_workspace.hpp"
#include "heed/attention/detail/radius_bounds.hpp"
#include "heed/numeric/float_environment.hpp"

namespace heed::approx::detail {
void MhaWorkspace::prepare_radii() {
  if (!U_radius.empty()) return;
  const std::size_t lanes = groups * width;
  factors_ = {.query = gamma(d + 4),
              .logit = gamma(d + 3),
              .weight_rest = 2.08 * 0x1p-50 + 1.05 * gamma(2 * T + 4),
              .weight = 2.08,
              .value = 2 * gamma(d + 5),
              .sum_tokens = gamma(T + 2),
              .row = 1.02 * gamma(d + 6),
              .sum_rows = 1.02 * gamma(T * groups + width + 2)};
  outer_sum_ = gamma(T + n + 24);
  phi_radius.resize(n);
  slope_radius.resize(n);
  c_radius.resize(n);
  U_radius.resize(H * T);
  W_radius.resize(H * d);
  u_norms_ = AlignedArray(T * lanes);
  w_norms_ = AlignedArray(lanes);
  for (const KernelSample& s : samples_) {
    const auto rows = static_cast<std::size_t>(s.T);
    rho_max_.push_back(largest_entry(s.x, rows * d));
    delta_max_.push_back(largest_entry(s.dx, rows * d));
    double rho = 0, delta = 0;
    for (std::size_t t = 0; t < rows; ++t) {
      x_norms_.push_back(norm_bound(s.x + t * d, d) +
                         input_floor * std::sqrt(static_cast<double>(d)) * rho_max_.back());
      rho = std::max(rho, x_norms_.back());
      delta = std::max(delta, norm_bound(s.dx + t * d, d));
    }
    rho_.push_back(rho);
    delta_.push_back(delta);
  }
  for (Chunk& c : chunks_) {
    c.alpha = AlignedArray(T * lanes);
    c.gam_error = AlignedArray(T * lanes);
    c.gam_size = AlignedArray(T * lanes);
    c.W_error = AlignedArray(d * lanes);
    c.W_size = AlignedArray(d * lanes);
    c.U_radius = AlignedArray(T * lanes);
    c.W_radius = AlignedArray(d * lanes);
  }
}

// Norms of the weights; false unless everything is below 2^64 and the sums are short.
bool MhaWorkspace::measure_norms() {
  constexpr double limit = 0x1p64;
  constexpr std::size_t longest = 1 << 20;
  bool small = n < longest && T * groups * width < longest && d < longest;
  for (std::size_t i = 0; i < n; ++i) small = small && rho_[i] <= limit && delta_[i] <= limit;
  for (std::size_t h = 0; h < H; ++h) {
    const std::size_t g = h / width, lane = h % width;
    for (std::size_t t = 0; t < T; ++t) {
      const double u = norm_bound(U_.data() + (g * T + t) * d * width + lane, d, width);
      u_norms_.data()[(g * T + t) * width + lane] = u;
      small = small && u <= limit;
    }
    const double w = norm_bound(W_.data() + g * d * d * width + lane, d * d, width);
    w_norms_.data()[g * width + lane] = w;
    small = small && w <= limit;
  }
  return small;
}

KernelRadii MhaWorkspace::radii_of(std::size_t i, Chunk& chunk, double* alpha, double* gam_error,
                                   double* gam_size, double* beta_max, double* phi_error) const {
  return {&factors_,
          u_norms_.data(),
          w_norms_.data(),
          x_norms_.data() + first_token(i),
          rho_[i],
          delta_[i],
          input_floor * rho_max_[i],
          delta_max_[i],
          alpha,
          gam_error,
          gam_size,
          beta_max,
          chunk.W_error.data(),
          chunk.W_size.data(),
          phi_error};
}

void MhaWorkspace::enclose_sample(Chunk& chunk, std::size_t i, const KernelProblem& p) {
  const KernelSample& s = samples_[i];
  const KernelSample sample = passing_sample(chunk, i);
  const auto rows = static_cast<std::size_t>(s.T);
  alignas(64) double beta_max[8] = {};
  double rows_radius = 0;
  const KernelRadii radii = radii_of(i, chunk, chunk.alpha.data(), chunk.gam_error.data(),
                                     chunk.gam_size.data(), beta_max, &rows_radius);
  phi[i] = kernels.forward_enclosed(p, sample, chunk.scratch(), radii) / sqrt_heads;
  margins[i] = y[i] > 0 ? phi[i] : -phi[i];
  bool known = true;
  for (std::size_t k = 0; k < width; ++k) known = known && beta_max[k] <= 0x1p-10;
  const double r =
      known ? up * (rows_radius / sqrt_heads + 2.1 * half_unit * std::fabs(phi[i])) + underflow
            : infinity;
  phi_radius[i] = r;

  // |l'| at the computed margin, and how far it moves within r.
  const double t = margins[i], e = kernels.exp_nonpositive(-std::fabs(t));
  double slope = t < 0 ? 1 / (1 + e) : e / (1 + e);
  if (loss == Loss::exponential) slope = t < 0 ? 1 / e : e;
  const double relative = r <= 1 ? r + r * r : infinity;
  double moved = slope > 0 ? slope * relative : (r <= 1 ? underflow : infinity);
  if (loss == Loss::logistic) moved = std::min(moved, r / 4);
  slope_radius[i] = up * (moved + 0x1p-49 * slope) + underflow;
  slopes[i] = slope;

  const double scale = static_cast<double>(n) * sqrt_heads;
  const double c = -y[i] * slope / scale;
  kernels.add_gradient(p, sample, c, chunk.scratch(), chunk.sums());
  const double size = std::fabs(c);
  c_radius[i] = up * (slope_radius[i] / scale + 4.1 * half_unit * size) + underflow;
  const double of_U = up * size, of_W = up * (size * outer_sum_ + c_radius[i]);
  const double fixed =
      size * (1.02 * (delta_max_[i] * factors_.sum_tokens + 4 * half_unit * rho_max_[i]) +
              1.01 * outer_sum_ * rho_max_[i]) +
      c_radius[i] * rho_max_[i] + underflow;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t k = 0; k < rows * width; ++k)
      chunk.U_radius.data()[g * T * width + k] +=
          of_U * 1.02 * delta_max_[i] * chunk.alpha.data()[g * T * width + k] + fixed;
    for (std::size_t k = g * d * width; k < (g + 1) * d * width; ++k)
      chunk.W_radius.data()[k] += of_U * chunk.W_error.data()[k] +
                                  of_W * (chunk.W_size.data()[k] + chunk.W_error.data()[k]);
  }
}

void require_rounding_to_nearest() {
  if (!rounds_to_nearest())
    throw std::runtime_error(
        "EnclosedMha: the rounding mode must be to nearest (FE_TONEAREST); its bounds hold for no "
        "other");
}

void MhaWorkspace::enclose(std::span<const double> theta) {
  require_rounding_to_nearest();
  prepare_radii();
  pack(theta, U_, W_);
  small_ = measure_norms();
  const KernelProblem p = problem(U_, W_);
  for (Chunk& c : chunks_) {
    c.U.clear();
    c.W.clear();
    c.U_radius.clear();
    c.W_radius.clear();
  }
  for_chunks([&](Chunk& chunk, std::size_t i) { enclose_sample(chunk, i, p); });
  add_up(gradient);
  attention_kept_ = false;
  // A radius that is NaN or negative would be a lie; a sum is finite only if all its terms are.
  const auto radius = [&](double r) { return small_ && r >= 0 ? up * r + underflow : infinity; };
  for (std::size_t h = 0; h < H; ++h) {
    for (std::size_t b = 0; b < d; ++b) {
      double w = 0;
      for (const Chunk& c : chunks_)
        w += c.W_radius.data()[((h / width) * d + b) * width + h % width];
      W_radius[h * d + b] = radius(w);
    }
    for (std::size_t t = 0; t < T; ++t) {
      double u = 0;
      for (const Chunk& c : chunks_)
        u += c.U_radius.data()[((h / width) * T + t) * width + h % width];
      U_radius[h * T + t] = radius(u);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    phi_radius[i] = radius(phi_radius[i]);
    slope_radius[i] = radius(slope_radius[i]);
  }
  // Infinite radii elsewhere do not reach rows that no sample uses; a midpoint must be a number.
  const std::size_t block = (T + d) * d;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    if (std::isfinite(gradient[k])) continue;
    const std::size_t h = k / block, j = k % block;
    gradient[k] = 0;
    (j < T * d ? U_radius[h * T + j / d] : W_radius[h * d + j / d - T]) = infinity;
  }
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(phi[i])) {
      phi[i] = 0;
      phi_radius[i] = infinity;
    }
}

}  // namespace heed::approx::detail
