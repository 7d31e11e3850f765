// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checks/support/property.hpp"
#include "checks/support/textbook.hpp"

namespace heed::checks {

/// The constants of the ladders, from the statements of the notes and the textbook model.
struct TextbookBounds {
  /// Evaluates at the working precision.
  explicit TextbookBounds(const MhaInstance& instance);

  Textbook book;
  Ball R, M_U, mean_U2, theta;  ///< max ||x_t||, max_h ||U_h||, mean_h ||U_h||^2, max_h ||theta_h||
  Ball beta1, b1, beta2, b2;
  std::vector<Ball> grad_geom, grad_state;               ///< per sample
  std::vector<std::vector<Ball>> hess_geom, hess_state;  ///< per sample and head, without H^{-1/2}
};

/// Instances on which TextbookBounds is affordable and narrow; counts why others are not.
bool bounds_feasible(const MhaInstance& instance, Tally& tally);

/// (k + sqrt(k^2 + 4 s^2))/2
Ball lam(const Ball& s, const Ball& k);
Ball norm_of(const std::vector<Ball>& v);

}  // namespace heed::checks
