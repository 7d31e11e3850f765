// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/kernel_attention.hpp"

namespace heed::approx {
namespace detail {
struct LayerWorkspace;
}

/// Loss, gradient and Hessian-vector products of the layer of kernel_attention.hpp in double, as fast
/// as the processor allows: loops for SSE2, AVX2 with FMA and AVX-512 chosen when the program runs, no
/// allocation after construction. For training, search and candidates.
///
/// The parameters are those of the trained blocks in the order of kernel_blocks.hpp (block, head, row,
/// column); the other blocks keep the weights given first.
///
/// Accuracy: scores and slopes are taken relative to the largest score of their row, and distances as
/// differences, as in KernelModel, so saturated rows lose nothing. Other than there, sums over keys and
/// values of a normalised row are products with a row that sums to 0: where tokens nearly coincide
/// compared with their size, digits are lost by that ratio.
/// NOT guaranteed: a bound; KernelModel<DoubleBall> has one. Numbers that overflow give infinities or
/// NaN, never an exception. The last bits depend on the instruction set.
///
/// Memory: about N H (4 n (n + 7) + 4 n (2 d + 2 d_v)) doubles. Not thread-safe: one object a thread.
/// Cost: see KernelModel, a few times less.
class FastKernel {
 public:
  /// Evaluates at `weights`. Throws std::invalid_argument for shapes that do not fit, for an empty
  /// set of blocks and for an instruction set ("baseline", "avx2", "avx512") that is unknown; one that
  /// the processor lacks is replaced by the widest that it has.
  FastKernel(const KernelInputs<double>& inputs, AttentionKernel kernel,
             const KernelWeights<double>& weights, KernelBlocks trained = KernelBlocks::all(),
             const std::string& instruction_set = "");
  ~FastKernel();
  FastKernel(FastKernel&&) noexcept;
  FastKernel& operator=(FastKernel&&) noexcept;

  KernelBlocks trained() const;
  std::size_t parameters() const;
  std::size_t samples() const;  ///< N
  std::string instruction_set() const;
  /// All weights, those of the trained blocks at the last theta.
  KernelWeights<double> weights() const;

  /// Moves to theta (length parameters(), else std::invalid_argument) and returns the loss
  /// f = 1/2 sum_i |F_i - Y_i|^2 there. All values below are those at the last theta.
  double evaluate(std::span<const double> theta);
  std::span<const double> parameter_values() const;
  double loss() const;
  std::span<const double> gradient() const;
  /// An entry of the attention is 0 in double: a gradient that vanishes then says nothing.
  bool underflow() const;
  /// F_i, m x p.
  Matrix<double> outputs(std::size_t sample) const;

  /// (hess f) v over the trained blocks into `out`; both of length parameters(), else
  /// std::invalid_argument. They may be the same.
  void hessian_vector_product(std::span<const double> v, std::span<double> out);
  /// Hessian over the trained blocks, exactly symmetric. Cost: one product a parameter.
  Matrix<double> hessian();

 private:
  std::unique_ptr<detail::LayerWorkspace> work_;
};

}  // namespace heed::approx
