// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/mha.hpp"
#include "heed/attention/mha_enclosed.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed::checks {
namespace {

void contains(const MhaInstance& m, Tally& tally) {
  const char* const sets[] = {"baseline", "avx2", "avx512"};
  const EnclosedMha e(mha_inputs<double>(m), sets[m.parameters() % 3]);
  const PrecisionScope scope(512);
  const MhaModel<Ball> exact(mha_inputs<Ball>(m));
  for (std::size_t i = 0; i < m.samples(); ++i)
    require_overlap("Phi of sample " + std::to_string(i), e.phi_ball(i), exact.phi()[i]);
  require_overlap("G", to_ball(e.mean_slope()), exact.mean_slope());
  require_overlap("L", e.loss(), exact.loss());
  const std::vector<Ball> gradient = exact.gradient();
  double radius = 0, largest = 0;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    require_overlap("entry " + std::to_string(k) + " of grad L", e.gradient_ball(k), gradient[k]);
    require(std::isfinite(e.gradient()[k]) && e.gradient_radius(k) >= 0, "no enclosure");
    radius = std::max(radius, e.gradient_radius(k));
    largest = std::max(largest, std::fabs(approx::to_double(gradient[k])));
  }
  ++tally[!std::isfinite(radius)     ? "nothing is known"
          : radius <= 1e-9 * largest ? "within 1e-9 of the largest entry"
          : radius <= 1e-3 * largest ? "within 1e-3 of the largest entry"
                                     : "wide"];
}

// The distance of the exact Hessian from the stored one, by the largest eigenvalues of both signs.
void hessian(const MhaInstance& m, Tally& tally) {
  if (m.parameters() > 40) {
    ++tally["too many parameters for a dense Hessian"];
    return;
  }
  const PointSaddle a = EnclosedMha(mha_inputs<double>(m)).hessian();
  if (!a.is_finite()) {
    ++tally["nothing is known"];
    return;
  }
  const PrecisionScope scope(512);
  const MhaModel<Ball> exact(mha_inputs<Ball>(m));
  std::vector<SaddleBlock<Ball>> blocks;
  const auto ball = [](double x) { return Ball(x); };
  for (const SaddleBlock<double>& b : a.blocks())
    blocks.push_back({map(b.M, ball), map(b.K, ball)});
  Matrix<Ball> difference = saddle_matrix(blocks, map(a.J(), ball));
  const Matrix<Ball> dense = exact.dense_hessian();
  for (std::size_t k = 0; k < difference.size(); ++k)
    difference.data()[k] -= ldexp(dense.data()[k], -a.exponent());
  const Ball distance = extremes(difference).norm();
  require(!certainly(less(Ball(a.perturbation()), distance)),
          "the exact Hessian is farther from the stored one than its perturbation");
  ++tally[a.perturbation() <= 1e-9   ? "perturbation below 1e-9 of the largest entry"
          : a.perturbation() <= 1e-3 ? "perturbation below 1e-3 of the largest entry"
                                     : "wide"];
}

}  // namespace

std::vector<Property> gradient_enclosure_properties() {
  return {{"gradient_enclosure.contains",
           "Phi, L, G and grad L in double with radii contain the exact values",
           draw_instance,
           500,
           contains,
           {}},
          {"gradient_enclosure.hessian",
           "the exact Hessian is within the perturbation of the one in double",
           draw_instance,
           150,
           hessian,
           {}}};
}

}  // namespace heed::checks
