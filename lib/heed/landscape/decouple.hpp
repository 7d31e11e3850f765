// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/complete_1d.hpp"

namespace heed {

/// The loss f as a function of W_Q alone splits into one problem a token.
struct Decoupling {
  bool applies = false;
  std::string reason;   ///< the hypothesis that fails; empty if none
  bool square = false;  ///< D = N n: W_Q -> (q_ia) is one to one
  /// X_stack X_stack^T = I: gradient descent on W_Q is gradient descent on each q_ia.
  bool orthonormal = false;
  std::vector<TokenProblem> tokens;  ///< of token a of sample i at i n + a
  std::vector<Rational> queries;     ///< q_ia = (X_i W_Q)_a at the weights of the instance
};

/// kernel.decouple for H = d = p = 1: with read-out U = I and X_stack (N n x D, all tokens) of full
/// row rank,
///
///     f(W_Q) = sum_{i,a} g_ia(q_ia),   g_ia(q) = (phi_ia(q) - Y_ia)^2 / 2,
///
/// keys (X_i W_K)_b and values (X_i W_V W_O)_b, and W_Q -> (q_ia) is linear and onto. So W_Q is a
/// stationary point or a local minimum of f if and only if every q_ia is one of g_ia, and inf f =
/// sum inf g_ia. Every hypothesis is decided in exact arithmetic.
/// Note: proofs-notes/landscape_1d.md.
Decoupling decouple(const KernelInstance& instance, AttentionKernel kernel);

/// What the landscapes of all tokens say of f as a function of W_Q.
struct LandscapeOfSum {
  /// Number of points (q_ia) that are strict local minima, of those with f = inf f, and of the
  /// others; absent where a token leaves it open. Counted in queries, so for D > N n of families of
  /// W_Q.
  std::optional<Rational> minima, global_minima, bad_minima;
  /// Strict local minima in W_Q: `minima` if D = N n, none if D > N n.
  std::optional<Rational> strict_minima;
  Ball infimum;
  Ternary attained = Ternary::unknown;
  Ternary benign = Ternary::unknown;  ///< every local minimum is global
};

/// Precondition: `applies`, and one landscape a token, in the same order.
LandscapeOfSum combine(const Decoupling& decoupling, const std::vector<Landscape1d>& tokens);

}  // namespace heed
