// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "heed/landscape/detail/trap_groups.hpp"
#include "heed/landscape/trap.hpp"

namespace heed::detail {

/// Bounds of a function over a set that was cut into cells.
struct CoverBound {
  double bound;  ///< proved: lower bound of an infimum, upper bound of a supremum
  double
      attained;  ///< a value on the other side, at a point of the set (proved); inf if none is known
  bool complete;  ///< the tolerance was reached
};

/// The functions of a trap in enclosures in double, over boxes of region coordinates z.
class TrapCover {
 public:
  TrapCover(const LandscapeProblem& problem, const TrapRegion& region, const TrapOptions& options);

  const std::vector<TrapGroup>& groups() const { return groups_; }
  std::size_t cells() const { return cells_; }

  /// inf over the region of the part of f of a group, up to `tolerance`.
  CoverBound infimum(const TrapGroup& group, double tolerance);
  /// inf over the part of the boundary in the coordinates of the group: all faces, or the sphere. Work
  /// beyond a tenth of the cells goes only into a bound that does not exceed `enough`.
  CoverBound boundary_infimum(const TrapGroup& group, double tolerance, double enough);
  /// sup over the region of |Hess|, of the block of the group. Relative tolerance.
  CoverBound curvature(const TrapGroup& group, double tolerance);

 private:
  struct Cell;
  enum class Part { region, sphere };

  Cell whole_region(const TrapGroup& group) const;
  KernelModel<DoubleBall> at(const std::vector<DoubleBall>& z) const;
  DoubleBall group_loss(const KernelModel<DoubleBall>& model, const TrapGroup& group) const;
  std::vector<DoubleBall> slope(const KernelModel<DoubleBall>& model, const TrapGroup& group) const;
  Matrix<DoubleBall> hessian(const KernelModel<DoubleBall>& model, const TrapGroup& group,
                             bool in_frame) const;
  std::vector<DoubleBall> middle_of(const Cell& cell) const;
  std::vector<DoubleBall> box_of(const Cell& cell) const;
  double attained_in_ball(const std::vector<DoubleBall>& m, const TrapGroup& group,
                          Part part) const;
  bool certainly_inside(const Cell& cell, const std::vector<DoubleBall>& m,
                        const TrapGroup& group) const;
  void evaluate(Cell& cell, const TrapGroup& group, Part part);
  /// False only if the box has no point in common with that part of the ball.
  bool may_meet(const std::vector<DoubleBall>& box, Part part) const;
  CoverBound minimise(std::vector<Cell> cells, const TrapGroup& group, Part part, double tolerance,
                      double enough);

  const LandscapeProblem& problem_;
  const TrapRegion& region_;
  TrapOptions options_;
  std::shared_ptr<const KernelInputs<DoubleBall>> inputs_;
  KernelWeights<DoubleBall> weights_;
  std::vector<DoubleBall> origin_;
  std::optional<Matrix<DoubleBall>> frame_;
  std::vector<std::pair<DoubleBall, DoubleBall>> ends_;
  std::vector<DoubleBall> middle_;
  std::vector<TrapGroup> groups_;
  std::size_t cells_ = 0;
};

}  // namespace heed::detail
