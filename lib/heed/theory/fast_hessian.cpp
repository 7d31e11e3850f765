// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/fast_hessian.hpp"

#include <algorithm>
#include <cmath>

#include "heed/linalg/fast_eigenvalue.hpp"
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

}  // namespace

std::optional<MhaInputs<double>> midpoints_for_kernels(const MhaInputs<DoubleBall>& in) {
  MhaInputs<double> out;
  out.loss = in.loss;
  out.y = in.y;
  if (take_midpoints(in.X, false, out.X) && take_midpoints(in.dX, true, out.dX) &&
      take_midpoints(in.U, true, out.U) && take_midpoints(in.W, false, out.W))
    return out;
  return std::nullopt;
}

FastHessian fast_hessian(const EnclosedMha& e, bool reduced) {
  const auto with_zero = [&](const DoubleBall& least) {
    return reduced ? min(least, DoubleBall(0)) : least;
  };
  const auto range = [](const FastEigenvalue& v) { return DoubleBall::between(v.lower, v.upper); };
  const PointSaddle a = e.hessian();
  FastEigenvalueOptions options;
  options.relative_width = 1e-12;
  FastHessian f;
  f.extremes.least = with_zero(range(fast_lambda_min(a, options)));
  f.extremes.largest = range(fast_lambda_max(a, options));
  if (reduced) f.extremes.largest = max(f.extremes.largest, DoubleBall(0));
  f.block_minima.resize(a.blocks().size());
  parallel_for(a.blocks().size(), [&](std::size_t h) {
    // Blocks and perturbation are scaled by 2^-exponent.
    const PointSaddle block({a.blocks()[h]}, Matrix<double>(), a.perturbation());
    f.block_minima[h] = with_zero(ldexp(range(fast_lambda_min(block, options)), a.exponent()));
  });
  return f;
}

FastHessian fast_hessian(const MhaReduced<DoubleBall>& reduction) {
  const std::optional<MhaInputs<double>> inputs = midpoints_for_kernels(reduction.inputs);
  if (!inputs) {
    const DoubleBall u = DoubleBall::unknown();
    return {{u, u}, std::vector<DoubleBall>(reduction.inputs.heads(), u)};
  }
  return fast_hessian(EnclosedMha(*inputs), reduction.reduced());
}

}  // namespace heed
