// SPDX-License-Identifier: Apache-2.0
#include "heed/train/loss_slice.hpp"

#include <algorithm>
#include <cmath>

namespace heed::approx {
namespace {

double column_norm(const Matrix<double>& m, std::size_t c) {
  double sum = 0;
  for (std::size_t r = 0; r < m.rows(); ++r) sum += m(r, c) * m(r, c);
  return std::sqrt(sum);
}

}  // namespace

std::vector<double> filter_normalised_direction(const KernelWeights<double>& weights,
                                                KernelBlocks trained, SplitMix64& stream) {
  std::vector<double> flat;
  for_each_matrix(weights, trained, [&](KernelBlock, std::size_t, const Matrix<double>& w) {
    Matrix<double> random = stream.normal_matrix(w.rows(), w.cols());
    for (std::size_t c = 0; c < w.cols(); ++c) {
      const double factor = column_norm(w, c) / column_norm(random, c);
      for (std::size_t r = 0; r < w.rows(); ++r) random(r, c) *= factor;
    }
    flat.insert(flat.end(), random.entries().begin(), random.entries().end());
  });
  return flat;
}

LossSlice loss_slice(FastKernel& model, const std::vector<double>& u, const std::vector<double>& v,
                     std::size_t points, double half) {
  const std::vector<double> centre(model.parameter_values().begin(),
                                   model.parameter_values().end());
  LossSlice slice{half, Matrix<double>(points, points)};
  std::vector<double> theta(centre.size());
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j) {
      const double a = slice.coordinate(i), b = slice.coordinate(j);
      for (std::size_t k = 0; k < theta.size(); ++k) theta[k] = centre[k] + a * u[k] + b * v[k];
      slice.losses(i, j) = model.evaluate(theta) / static_cast<double>(model.samples());
    }
  model.evaluate(centre);
  return slice;
}

SliceCurvature slice_curvature(const LossSlice& slice) {
  const Matrix<double>& f = slice.losses;
  const double h = 2 * slice.half / static_cast<double>(f.rows() - 1);
  SliceCurvature c;
  c.largest = -INFINITY;
  c.least = INFINITY;
  double count = 0;
  for (std::size_t i = 1; i + 1 < f.rows(); ++i)
    for (std::size_t j = 1; j + 1 < f.cols(); ++j) {
      const double xx = (f(i + 1, j) - 2 * f(i, j) + f(i - 1, j)) / (h * h),
                   yy = (f(i, j + 1) - 2 * f(i, j) + f(i, j - 1)) / (h * h),
                   xy = (f(i + 1, j + 1) - f(i + 1, j - 1) - f(i - 1, j + 1) + f(i - 1, j - 1)) /
                        (4 * h * h);
      const double mean = (xx + yy) / 2, spread = std::hypot((xx - yy) / 2, xy);
      const double low = mean - spread, high = mean + spread;
      c.largest = std::max(c.largest, high);
      c.least = std::min(c.least, low);
      c.negative_share += low < 0 ? 1 : 0;
      c.negative_ratio += std::fabs(std::min(low, 0.0)) / std::max(std::fabs(high), 1e-12);
      count += 1;
    }
  c.negative_share /= count;
  c.negative_ratio /= count;
  const auto [least, most] = std::minmax_element(f.entries().begin(), f.entries().end());
  c.range = *most - *least;
  return c;
}

}  // namespace heed::approx
