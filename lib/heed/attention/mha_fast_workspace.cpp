// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "heed/attention/detail/mha_fast_workspace.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed::approx::detail {
namespace {

const MhaKernels& checked_kernels(const MhaInputs<double>& in, const std::string& set) {
  require_shapes(in, "mha kernel");
  if (!set.empty() && set != "baseline" && set != "avx2" && set != "avx512")
    throw std::invalid_argument("mha kernel: instruction set \"" + set +
                                "\", expected baseline, avx2 or avx512");
  return mha_kernels(set.c_str());
}

// About a millisecond of work for each chunk, to pay for a thread.
std::size_t chunk_count(std::size_t n, std::size_t T, std::size_t d, std::size_t H) {
  const double flops = static_cast<double>(n * H * T * d) * static_cast<double>(8 * T + 4 * d);
  const auto wanted = static_cast<std::size_t>(std::min(16.0, flops / 3e7));
  return std::clamp<std::size_t>(wanted, 1, n);
}

}  // namespace

MhaWorkspace::MhaWorkspace(const MhaInputs<double>& in, const std::string& instruction_set)
    : kernels(checked_kernels(in, instruction_set)),
      loss(in.loss),
      y(in.y),
      n(in.samples()),
      T(in.tokens()),
      d(in.dim()),
      H(in.heads()),
      groups((H + static_cast<std::size_t>(kernels.width) - 1) /
             static_cast<std::size_t>(kernels.width)),
      width(static_cast<std::size_t>(kernels.width)),
      sqrt_heads(std::sqrt(static_cast<double>(H))),
      phi(n),
      margins(n),
      gradient(in.parameters()),
      loss_values(n),
      slopes(n),
      bends(n) {
  std::size_t tokens = 0;
  for (const Matrix<double>& x : in.X) tokens += x.rows();
  const std::size_t lanes = groups * width;
  x_ = AlignedArray(tokens * d);
  dx_ = AlignedArray(tokens * d);
  U_ = AlignedArray(T * d * lanes);
  W_ = AlignedArray(d * d * lanes);
  dU_ = AlignedArray(T * d * lanes);
  dW_ = AlignedArray(d * d * lanes);
  std::size_t at = 0;
  for (const Matrix<double>& x : in.X) {
    const std::size_t i = samples_.size(), rows = x.rows();
    std::copy_n(x.data(), rows * d, x_.data() + at * d);
    for (std::size_t s = 0; s < rows; ++s)
      std::copy_n(in.difference(i, s, 0), d, dx_.data() + (at + s) * d);
    samples_.push_back({static_cast<std::ptrdiff_t>(rows), x_.data() + at * d, dx_.data() + at * d,
                        nullptr, nullptr, nullptr, nullptr});
    at += rows;
  }
  const std::size_t chunks = chunk_count(n, T, d, H);
  const auto block = static_cast<std::size_t>(row_block);
  for (std::size_t k = 0; k < chunks; ++k) {
    Chunk& c = chunks_.emplace_back();
    c.begin = k * n / chunks;
    c.end = (k + 1) * n / chunks;
    c.rows = AlignedArray(block * d * width);
    c.pairs = AlignedArray(2 * block * T * width);
    c.out = AlignedArray(2 * T * d * lanes);
    c.x = AlignedArray((T + 1) * d);
    c.U = AlignedArray(T * d * lanes);
    c.W = AlignedArray(d * d * lanes);
  }
  theta0.reserve(in.parameters());
  for (std::size_t h = 0; h < H; ++h) {
    theta0.insert(theta0.end(), in.U[h].entries().begin(), in.U[h].entries().end());
    theta0.insert(theta0.end(), in.W[h].entries().begin(), in.W[h].entries().end());
  }
}

void MhaWorkspace::pack(std::span<const double> flat, AlignedArray& U, AlignedArray& W) const {
  const double* p = flat.data();
  for (std::size_t h = 0; h < H; ++h) {
    double* u = U.data() + (h / width) * T * d * width + h % width;
    double* w = W.data() + (h / width) * d * d * width + h % width;
    for (std::size_t k = 0; k < T * d; ++k) u[k * width] = *p++;
    for (std::size_t k = 0; k < d * d; ++k) w[k * width] = *p++;
  }
}

// The sums of all chunks, in the order of the chunks.
void MhaWorkspace::add_up(std::span<double> flat) {
  Chunk& total = chunks_.front();
  for (std::size_t c = 1; c < chunks_.size(); ++c) {
    for (std::size_t k = 0; k < total.U.size(); ++k) total.U.data()[k] += chunks_[c].U.data()[k];
    for (std::size_t k = 0; k < total.W.size(); ++k) total.W.data()[k] += chunks_[c].W.data()[k];
  }
  double* p = flat.data();
  for (std::size_t h = 0; h < H; ++h) {
    const double* u = total.U.data() + (h / width) * T * d * width + h % width;
    const double* w = total.W.data() + (h / width) * d * d * width + h % width;
    for (std::size_t k = 0; k < T * d; ++k) *p++ = u[k * width];
    for (std::size_t k = 0; k < d * d; ++k) *p++ = w[k * width];
  }
}

KernelProblem MhaWorkspace::problem(const AlignedArray& U, const AlignedArray& W) const {
  return {static_cast<std::ptrdiff_t>(T), static_cast<std::ptrdiff_t>(d),
          static_cast<std::ptrdiff_t>(groups), U.data(), W.data()};
}

void MhaWorkspace::for_chunks(const std::function<void(Chunk&, std::size_t)>& body) {
  parallel_for(chunks_.size(), [&](std::size_t c) {
    for (std::size_t i = chunks_[c].begin; i < chunks_[c].end; ++i) body(chunks_[c], i);
  });
}

// All from one exponential.
void MhaWorkspace::set_loss_terms(std::size_t i) {
  const double t = margins[i];
  if (loss == Loss::exponential) {
    loss_values[i] = slopes[i] = std::exp(-t);
    bends[i] = 1;
    return;
  }
  const double e = std::exp(-std::fabs(t)), q = 1 / (1 + e);
  loss_values[i] = std::log1p(e) + (t < 0 ? -t : 0.0);
  slopes[i] = t < 0 ? q : e * q;
  bends[i] = t < 0 ? e * q : q;
}

KernelSample MhaWorkspace::passing_sample(Chunk& chunk, std::size_t i) const {
  KernelSample sample = samples_[i];
  sample.A = sample.F = nullptr;
  sample.O = chunk.out.data();
  sample.CU = sample.O + T * d * groups * width;
  return sample;
}

void MhaWorkspace::evaluate(std::span<const double> theta) {
  pack(theta, U_, W_);
  const KernelProblem p = problem(U_, W_);
  for (Chunk& c : chunks_) {
    c.U.clear();
    c.W.clear();
  }
  for_chunks([&](Chunk& chunk, std::size_t i) {
    const KernelSample sample = passing_sample(chunk, i);
    phi[i] = kernels.forward(p, sample, chunk.scratch()) / sqrt_heads;
    margins[i] = y[i] > 0 ? phi[i] : -phi[i];
    set_loss_terms(i);
    const double c = -y[i] * slopes[i] / (static_cast<double>(n) * sqrt_heads);
    kernels.add_gradient(p, sample, c, chunk.scratch(), chunk.sums());
  });
  add_up(gradient);
  attention_kept_ = false;
}

void MhaWorkspace::allocate_attention() {
  if (A_.size() != 0) return;
  std::size_t size = 0;
  for (const KernelSample& s : samples_) size += static_cast<std::size_t>(s.T * s.T);
  A_ = AlignedArray(size * groups * width);
  F_ = AlignedArray(size * groups * width);
  size = 0;
  for (KernelSample& s : samples_) {
    s.A = A_.data() + size;
    s.F = F_.data() + size;
    size += static_cast<std::size_t>(s.T * s.T) * groups * width;
  }
}

void MhaWorkspace::keep_attention() {
  if (attention_kept_) return;
  allocate_attention();
  const KernelProblem p = problem(U_, W_);
  for_chunks([&](Chunk& chunk, std::size_t i) {
    KernelSample sample = passing_sample(chunk, i);
    sample.A = samples_[i].A;
    sample.F = samples_[i].F;
    kernels.forward(p, sample, chunk.scratch());
  });
  attention_kept_ = true;
}

void MhaWorkspace::hessian_vector_product(std::span<const double> v, std::span<double> out) {
  keep_attention();
  pack(v, dU_, dW_);
  const KernelProblem p = problem(dU_, dW_);
  for (Chunk& c : chunks_) {
    c.U.clear();
    c.W.clear();
    if (c.products.size() == 0) c.products = AlignedArray(2 * groups * T * T * width);
  }
  for_chunks([&](Chunk& chunk, std::size_t i) {
    const double along = kernels.direction(p, samples_[i], chunk.scratch());
    const double first = -y[i] * slopes[i] / (static_cast<double>(n) * sqrt_heads);
    const double ratio = -y[i] * bends[i] * along / sqrt_heads;
    kernels.add_product(p, samples_[i], first, ratio, chunk.scratch(), chunk.sums());
  });
  add_up(out);
}

}  // namespace heed::approx::detail
