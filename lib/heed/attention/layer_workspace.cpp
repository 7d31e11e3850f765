// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/detail/layer_workspace.hpp"

#include <stdexcept>

namespace heed::approx::detail {
namespace {

using Size = LayerWorkspace::Size;

Size size(std::size_t count) { return static_cast<Size>(count); }

// Throws where the generic model would, before any size is read.
const KernelInputs<double>& checked(const KernelInputs<double>& in,
                                    const KernelWeights<double>& weights, KernelBlocks trained,
                                    const std::string& instruction_set) {
  KernelModel<double>(std::make_shared<const KernelInputs<double>>(in), AttentionKernel::softmax,
                      weights);
  if (trained.empty()) throw std::invalid_argument("FastKernel: expected blocks to train");
  if (!instruction_set.empty() && instruction_set != "baseline" && instruction_set != "avx2" &&
      instruction_set != "avx512")
    throw std::invalid_argument("FastKernel: instruction set " + instruction_set);
  return in;
}

PaddedRows stacked(const std::vector<Matrix<double>>& matrices) {
  const Size rows = size(matrices.front().rows()), cols = size(matrices.front().cols());
  PaddedRows all(size(matrices.size()) * rows, cols);
  Size next = 0;
  for (const Matrix<double>& m : matrices)
    for (Size r = 0; r < rows; ++r, ++next)
      std::copy_n(m.row(static_cast<std::size_t>(r)), cols, all.row(next));
  return all;
}

}  // namespace

LayerWorkspace::LayerWorkspace(const KernelInputs<double>& inputs, AttentionKernel kernel_,
                               const KernelWeights<double>& weights_, KernelBlocks trained_,
                               const std::string& instruction_set)
    : kernels(layer_kernels(instruction_set.c_str())),
      kernel(kernel_),
      trained(trained_),
      normalised(is_normalised(kernel)),
      distances(has_distances(kernel)),
      scores_trained(trained.contains(KernelBlock::query) || trained.contains(KernelBlock::key)),
      values_trained(trained.contains(KernelBlock::value)),
      N(size(checked(inputs, weights_, trained, instruction_set).samples())),
      n(size(inputs.tokens())),
      D(size(inputs.X.front().cols())),
      d(size(weights_.W_Q.front().cols())),
      v(size(weights_.W_V.front().cols())),
      p(size(weights_.W_O.front().cols())),
      m(size(inputs.readout.rows())),
      key_column(padded(d)),
      value_column(2 * padded(d)),
      columns(2 * padded(d) + padded(v)),
      beta(inputs.beta),
      X(stacked(inputs.X)),
      Y(stacked(inputs.Y)),
      U(stacked({inputs.readout})),
      heads(weights_.W_Q.size()),
      R(N * m, p),
      G(N * n, p),
      dG(n, p),
      mask(static_cast<std::size_t>(padded(n))),
      weights(weights_),
      theta(flatten(weights, trained)),
      gradient(theta.size()),
      sum_(n, p),
      change_(n, n),
      second_(n, n),
      dR_(m, p),
      moved_t_(std::max(d, v), n),
      dGo_(n, v),
      pulled_(n, columns) {
  std::fill_n(mask.begin(), n, 1.0);
  for (LayerHead& h : heads) {
    for (PackedHead* packed : {&h.weights, &h.direction})
      *packed = {PaddedRows(D, columns), PaddedRows(v, p), PaddedRows(p, v)};
    h.projected = PaddedRows(N * n, columns);
    h.keys_t = PaddedRows(N * d, n);
    h.values_t = PaddedRows(N * v, n);
    h.A = h.slope = h.Psi = PaddedRows(N * n, n);
    h.T = h.Go = PaddedRows(N * n, v);
    h.moved = PaddedRows(n, columns);
    h.dA = PaddedRows(n, n);
    h.dT = PaddedRows(n, v);
    h.W_sum = PaddedRows(D, columns);
    h.O_sum = PaddedRows(v, p);
    h.reference.assign(static_cast<std::size_t>(N * n), 0);
  }
  // Blocks that are not trained are packed here, once.
  pack(flatten(weights, KernelBlocks::all()), &LayerHead::weights);
}

void LayerWorkspace::pack(std::span<const double> flat, PackedHead LayerHead::*target) {
  const bool all = flat.size() != theta.size();
  const double* next = flat.data();
  for_each_matrix(weights, all ? KernelBlocks::all() : trained,
                  [&](KernelBlock block, std::size_t h, const Matrix<double>& w) {
                    PackedHead& packed = heads[h].*target;
                    const Size cols = size(w.cols());
                    for (Size r = 0; r < size(w.rows()); ++r, next += cols) {
                      if (block == KernelBlock::output) {
                        std::copy_n(next, cols, packed.O.row(r));
                        for (Size c = 0; c < cols; ++c) packed.OT.row(c)[r] = next[c];
                        continue;
                      }
                      double* row = packed.W.row(r) + column_of(block);
                      const double factor = block == KernelBlock::query && !distances ? beta : 1;
                      for (Size c = 0; c < cols; ++c) row[c] = factor * next[c];
                    }
                  });
}

Size LayerWorkspace::column_of(KernelBlock block) const {
  return block == KernelBlock::key ? key_column : block == KernelBlock::value ? value_column : 0;
}

void LayerWorkspace::clear_sums() {
  for (LayerHead& h : heads) {
    h.W_sum.clear();
    h.O_sum.clear();
  }
}

void LayerWorkspace::unpack(std::span<double> flat) const {
  double* next = flat.data();
  for_each_matrix(weights, trained, [&](KernelBlock block, std::size_t h, const Matrix<double>& w) {
    const bool output = block == KernelBlock::output;
    // W_Q, or a product with it, brought beta along where scores are products.
    const bool has_beta = block == KernelBlock::query || (block == KernelBlock::key && distances);
    const double factor = has_beta ? beta : 1;
    for (Size r = 0; r < size(w.rows()); ++r) {
      const double* row = output ? heads[h].O_sum.row(r) : heads[h].W_sum.row(r) + column_of(block);
      for (Size c = 0; c < size(w.cols()); ++c) *next++ = factor * row[c];
    }
  });
}

}  // namespace heed::approx::detail
