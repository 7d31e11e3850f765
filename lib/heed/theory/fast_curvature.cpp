// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/fast_curvature.hpp"

#include <utility>

#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_reduced.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/theory/fast_hessian.hpp"

namespace heed {
namespace {

DoubleBall norm_of(const EnclosedMha& e) {
  DoubleBall sum;
  for (std::size_t k = 0; k < e.parameters(); ++k)
    sum += square(DoubleBall::enclose(e.gradient()[k], e.gradient_radius(k)));
  return sqrt_nonnegative(sum);
}

}  // namespace

std::optional<FastCurvature> fast_curvature(const MhaInstance& instance) {
  require_standard_float_environment();
  FastCurvature c;
  const MhaReduced<DoubleBall> reduction = mha_reduced_in_double(instance);
  const std::optional<MhaInputs<double>> inputs = midpoints_for_kernels(reduction.inputs);
  if (!inputs) return std::nullopt;
  const EnclosedMha e(*inputs);
  c.reduction = reduction.note();
  c.loss = DoubleBall(e.loss());
  c.mean_slope = e.mean_slope();
  c.gradient_norm = norm_of(e);
  FastHessian hessian = fast_hessian(e, reduction.reduced());
  c.hessian = hessian.extremes;
  c.block_minima = std::move(hessian.block_minima);
  const DoubleBall root = sqrt(DoubleBall(static_cast<int>(instance.heads())));
  c.ratios = curvature_ratios_of(c.hessian.least, root, c.loss, c.mean_slope);
  return c;
}

}  // namespace heed
