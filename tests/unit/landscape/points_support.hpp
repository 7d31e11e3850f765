// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/landscape/analyse.hpp"

namespace landscape_test {

/// A reference point: two coordinates of W_Q of a layer whose tokens share them, D < N n.
struct CoupledReference {
  heed::LandscapeProblem problem;
  heed::PointBox box;
  std::vector<heed::Rational> eigenvalues;  ///< of the Hessian, to 10 digits
  heed::Rational loss_low, loss_high;
  heed::KernelWeights<heed::Rational> witness;
  heed::Rational witness_loss;  ///< upper bound
};
CoupledReference coupled_reference(heed::AttentionKernel kernel);

/// N = 1, n = 2, D = 1: X = (6, 1), Y = (1, 5), W_K = W_V = W_O = 1; softmax, only W_Q trained.
heed::LandscapeProblem coupled_pair();

/// N = n = D = d = d_v = 1, p = 2, X = 1, Y = (1, 1), W_V = 1, W_O = (1, 0); W_V and W_O trained.
heed::LandscapeProblem two_outputs();

/// All five tokens of SM1 with W_Q trained.
heed::LandscapeProblem sm1();

/// A reference file of kernel attention with some blocks trained: `W_Q,W_K`.
heed::LandscapeProblem fixture_problem(const std::string& file, heed::AttentionKernel kernel,
                                       const std::string& trained);

std::vector<heed::Rational> constant(std::size_t count, const std::string& value);

/// Newton iterations at 512 bits from a centre: the point they end in, with |grad f| < 10^-100 over all
/// trained coordinates, and in the box; fails the test otherwise.
void require_stationary_at_high_precision(const heed::LandscapeProblem& problem,
                                          const heed::PointBox& box);

}  // namespace landscape_test
