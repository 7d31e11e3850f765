// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/fast_curvature.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/attention/mha_enclosed.hpp"
#include "heed/attention/mha_reduced.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/parallel.hpp"

namespace heed {
namespace {

// Midpoints of numbers side by side, if they are what EnclosedMha asks for.
bool qualify(const DoubleBall* x, std::size_t count) {
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, std::fabs(x[k].mid()));
  for (std::size_t k = 0; k < count; ++k)
    if (!(x[k].rad() <= 0x1p-52 * std::fabs(x[k].mid()) || x[k].rad() <= 0x1p-112 * largest ||
          x[k].rad() <= 0x1p-1022))
      return false;
  return true;
}

bool take_midpoints(const std::vector<Matrix<DoubleBall>>& from, bool by_rows,
                    std::vector<Matrix<double>>& to) {
  for (const Matrix<DoubleBall>& m : from) {
    for (std::size_t i = 0; by_rows && i < m.rows(); ++i)
      if (!qualify(m.row(i), m.cols())) return false;
    if (!by_rows && !qualify(m.data(), m.size())) return false;
    to.push_back(map(m, [](const DoubleBall& x) { return x.mid(); }));
  }
  return true;
}

std::optional<MhaInputs<double>> midpoints(const MhaInputs<DoubleBall>& in) {
  MhaInputs<double> out;
  out.loss = in.loss;
  out.y = in.y;
  if (take_midpoints(in.X, false, out.X) && take_midpoints(in.dX, true, out.dX) &&
      take_midpoints(in.U, true, out.U) && take_midpoints(in.W, false, out.W))
    return out;
  return std::nullopt;
}

DoubleBall range(double lower, double upper) { return DoubleBall::between(lower, upper); }

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
  const std::optional<MhaInputs<double>> inputs = midpoints(reduction.inputs);
  if (!inputs) return std::nullopt;
  const EnclosedMha e(*inputs);
  const auto with_zero = [&](const DoubleBall& least) {
    return reduction.reduced() ? min(least, DoubleBall(0)) : least;
  };
  c.reduction = reduction.note();
  c.loss = DoubleBall(e.loss());
  c.mean_slope = e.mean_slope();
  c.gradient_norm = norm_of(e);

  const PointSaddle a = e.hessian();
  FastEigenvalueOptions options;
  options.relative_width = 1e-12;
  const FastEigenvalue least = fast_lambda_min(a, options), largest = fast_lambda_max(a, options);
  c.hessian.least = with_zero(range(least.lower, least.upper));
  c.hessian.largest = range(largest.lower, largest.upper);
  if (reduction.reduced()) c.hessian.largest = max(c.hessian.largest, DoubleBall(0));
  c.block_minima.resize(a.blocks().size());
  parallel_for(a.blocks().size(), [&](std::size_t h) {
    // Blocks and perturbation are scaled by 2^-exponent.
    const PointSaddle block({a.blocks()[h]}, Matrix<double>(), a.perturbation());
    const FastEigenvalue least_of_block = fast_lambda_min(block, options);
    c.block_minima[h] =
        with_zero(ldexp(range(least_of_block.lower, least_of_block.upper), a.exponent()));
  });
  const DoubleBall root = sqrt(DoubleBall(static_cast<int>(instance.heads())));
  c.ratios = curvature_ratios_of(c.hessian.least, root, c.loss, c.mean_slope);
  return c;
}

}  // namespace heed
