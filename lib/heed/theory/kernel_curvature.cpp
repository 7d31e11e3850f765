// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_curvature.hpp"

#include "heed/linalg/gram_extremes.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/singular_values.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"

namespace heed {
namespace {

Ball as_ball(const Ball& x) { return x; }
Ball as_ball(const DoubleBall& x) { return to_ball(x); }

template <class S>
Matrix<Ball> as_balls(const Matrix<S>& m) {
  return map(m, [](const S& x) { return as_ball(x); });
}

// A number known to be >= 0.
template <class S>
S nonnegative(const S& x) {
  return max(x, S(0));
}

Extremes<DoubleBall> spectrum_ends(const HessianEnds& ends, const KernelInstance&,
                                   const KernelModel<DoubleBall>&, KernelBlocks) {
  return {ends.least.value, ends.largest.value};
}
Extremes<Ball> spectrum_ends(const HessianEnds& ends, const KernelInstance& instance,
                             const KernelModel<Ball>& model, KernelBlocks blocks) {
  return sharpened_ends(ends, instance, model, blocks);
}

// Everything that `full` adds, but for the whole Hessian.
template <class S>
void add_arrays(KernelCurvature<S>& c, const KernelModel<S>& model) {
  const std::size_t N = model.inputs().samples(), H = model.heads();
  for (std::size_t i = 0; i < N; ++i) {
    c.outputs.push_back(model.outputs(i));
    for (std::size_t h = 0; h < H; ++h) c.attention.push_back(model.attention(i, h));
  }
  Matrix<S> sum;
  for (const KernelBlock block : kernel_blocks) {
    const Matrix<S> gram = model.jacobian_gram(block);
    c.gram[std::string(block_word(block))] = gram_extremes(gram);
    if (sum.size() == 0) sum = Matrix<S>(gram.rows(), gram.cols());
    for (std::size_t k = 0; k < sum.size(); ++k) sum.data()[k] += gram.data()[k];
  }
  c.gram["all"] = gram_extremes(sum);
  for (std::size_t h = 0; h < H; ++h) {
    c.sigma_B.push_back(singular_values(as_balls(model.features(h))));
    c.sigma_O.push_back(singular_values(as_balls(model.weights().W_O[h])));
  }
}

}  // namespace

template <class S>
KernelCurvature<S> kernel_curvature(const KernelInstance& instance, AttentionKernel kernel,
                                    const KernelCurvatureOptions& options) {
  const KernelModel<S> model = kernel_model<S>(instance, kernel);
  KernelCurvature<S> c;
  c.loss = model.loss();
  c.gradient = model.gradient(options.blocks);
  c.gradient_squared = nonnegative(squared_norm(flatten(c.gradient, options.blocks)));
  c.gradient_norm = sqrt_nonnegative(c.gradient_squared);
  for (const KernelBlock block : kernel_blocks)
    if (options.blocks.contains(block))
      c.squared[block] = nonnegative(squared_norm(flatten(c.gradient, block)));
  if (options.direction)
    c.hvp = model.hessian_vector_product(weights_as<S>(*options.direction), options.blocks);
  const std::size_t P = parameter_count(model.weights(), options.blocks);
  if (P <= max_full_hessian) {
    Matrix<S> hessian = model.hessian(options.blocks);
    c.hessian = extremes(hessian);
    if (options.full) {
      c.eigenvalues = symmetric_eigenvalues(as_balls(hessian));
      c.hessian_matrix = std::move(hessian);
    }
  } else {
    const auto ends =
        options.ends
            ? options.ends
            : std::make_shared<const HessianEnds>(hessian_ends(instance, kernel, options.blocks));
    c.hessian = spectrum_ends(*ends, instance, model, options.blocks);
  }
  if (options.full) add_arrays(c, model);
  return c;
}

template KernelCurvature<DoubleBall> kernel_curvature(const KernelInstance&, AttentionKernel,
                                                      const KernelCurvatureOptions&);
template KernelCurvature<Ball> kernel_curvature(const KernelInstance&, AttentionKernel,
                                                const KernelCurvatureOptions&);

}  // namespace heed
