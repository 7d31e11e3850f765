// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/kernel_attention.hpp"
#include "heed/attention/kernel_blocks.hpp"

namespace heed {

/// The loss of a layer as a function of the blocks that are trained; the other blocks stay at the
/// weights of the instance. Coordinates are those of the flat vector: block, head, row, column.
struct LandscapeProblem {
  KernelInstance instance;
  AttentionKernel kernel = AttentionKernel::softmax;
  KernelBlocks trained = KernelBlock::query;

  std::size_t parameters() const { return parameter_count(instance.weights, trained); }
  /// The trained coordinates of the instance's own weights.
  std::vector<Rational> start() const { return flatten(instance.weights, trained); }
  /// All weights with the trained coordinates replaced.
  KernelWeights<Rational> weights(const std::vector<Rational>& flat) const;
};

/// The box of all theta with theta_k = centre_k where k is frozen and |theta_k - centre_k| <= radius
/// elsewhere. Coordinates are frozen where the loss is constant along a curve through every point.
struct PointBox {
  std::vector<Rational> centre;     ///< all trained coordinates
  Rational radius;                  ///< >= 0; 0 is the centre alone
  std::vector<std::size_t> frozen;  ///< flat indices, rising, none twice

  std::vector<std::size_t> free_indices() const;
};

/// The words of a flat index: `W_K[head 0](2, 1)`, zero-based.
std::string coordinate_name(const LandscapeProblem& problem, std::size_t index);

/// Throws std::invalid_argument unless the box fits the problem: sizes, indices, radius >= 0.
void require_fits(const LandscapeProblem& problem, const PointBox& box);

/// The loss and its derivatives by the trained coordinates, in balls at the working precision at which
/// the object was made.
class LandscapeModel {
 public:
  explicit LandscapeModel(const LandscapeProblem& problem);

  /// The model for every point of the balls. Precondition: one ball a trained coordinate.
  KernelModel<Ball> at(const std::vector<Ball>& flat) const;
  /// The model at an exact point.
  KernelModel<Ball> at(const std::vector<Rational>& flat) const;
  KernelBlocks trained() const { return trained_; }

 private:
  std::shared_ptr<const KernelInputs<Ball>> inputs_;
  AttentionKernel kernel_;
  KernelBlocks trained_;
  KernelWeights<Ball> weights_;
};

/// Balls around the trained coordinates: of the centre, and of the whole box. They contain the exact
/// ones and are wider by rounding only.
std::vector<Ball> enclose_centre(const PointBox& box);
std::vector<Ball> enclose_box(const PointBox& box);

/// df at the free coordinates, and their rows and columns of the Hessian.
std::vector<Ball> free_gradient(const KernelModel<Ball>& model, KernelBlocks trained,
                                const std::vector<std::size_t>& free);
Matrix<Ball> free_hessian(const KernelModel<Ball>& model, KernelBlocks trained,
                          const std::vector<std::size_t>& free);

}  // namespace heed
