// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/landscape_infos.hpp"

namespace heed {
namespace {

ClaimInfo entry(std::string id, std::string statement, std::vector<std::string> hypotheses,
                std::string family, std::string header) {
  ClaimInfo info{std::move(id),    std::move(statement), std::move(hypotheses), {}, {}, "",
                 std::move(family)};
  info.header = "heed/landscape/" + std::move(header) + ".hpp";
  return info;
}

}  // namespace

std::vector<ClaimInfo> landscape_claim_infos() {
  return {
      entry("landscape.stationary",
            "K = c - A g(c) + (I - A H(box))(box - c) strictly inside the box: exactly one zero of "
            "the free gradient in it, a stationary point of all trained blocks",
            {"the frozen coordinates are transversal to the flat directions"}, "landscape",
            "stationary"),
      entry(
          "landscape.stationary_exact", "the gradient at the point is exactly 0",
          {"the attention is rational: all scores of a row equal, or every query meets every key"},
          "landscape", "stationary_exact"),
      entry("landscape.minimum",
            "the free Hessian is positive definite over the box: a strict local minimum, or one "
            "strict modulo flat directions, or one in the slice of the frozen coordinates",
            {"landscape.stationary"}, "landscape", "curvature_test"),
      entry("landscape.not_minimum", "v^T H(box) v < 0 for a direction v",
            {"landscape.stationary or landscape.stationary_exact"}, "landscape", "curvature_test"),
      entry("landscape.saddle", "v^T H v < 0 < u^T H u over the box",
            {"landscape.stationary or landscape.stationary_exact"}, "landscape", "curvature_test"),
      entry("landscape.non_global", "a witness has a lower loss than the whole box",
            {"the witness agrees with the instance in the untrained blocks"}, "landscape",
            "non_global"),
      entry("landscape.trap",
            "theta_0 in B, f(theta_0) < f on the boundary of B, eta < 2/L, L >= |hess f| on B: "
            "gradient descent stays in B and f_t >= inf_B f",
            {"B compact and convex in the trained coordinates",
             "not softmax W_Q and W_K, nor W_V and W_O, trained together"},
            "landscape", "trap"),
      entry("landscape.complete_1d",
            "all critical points of the loss of every token, with their kinds, both limits and "
            "whether every local minimum is global",
            {"only W_Q is trained, H = d = p = 1, read-out I, all tokens independent"},
            "landscape_1d", "complete_1d"),
      entry("kernel.softmax_q_only.lojasiewicz",
            "|grad_{W_Q} f| >= constant (f - inf f): no stationary point of W_Q is bad",
            {"rows of S sum to 1", "read-out I, all tokens independent",
             "the keys of every sample and head are affinely independent"},
            "landscape_1d", "token_pl"),
      entry("kernel.gauss_q_only.overshoot",
            "gradient descent on W_Q converges linearly to f = 0: g_{t+1} <= (1 - eta beta^2 "
            "|q_perp|^2 y^2) g_t",
            {"gaussian or gaussian/n, H = p = 1, read-out I, orthonormal tokens",
             "phi(q_0) >= y > 0 for every token",
             "every query has a component orthogonal to the affine hull of the keys"},
            "landscape_1d", "token_pl"),
      entry("landscape.lojasiewicz",
            "every stationary point of f as a function of W_Q is a global minimum",
            {"those of kernel.softmax_q_only.lojasiewicz"}, "landscape_1d", "token_pl"),
      entry("landscape.overshoot",
            "gradient descent on W_Q from the weights of the instance converges linearly to f = 0",
            {"those of kernel.gauss_q_only.overshoot"}, "landscape_1d", "token_pl"),
      entry("landscape.pl",
            "|grad f|^2 >= 2 mu f at every value of the one trained block: every stationary point "
            "has f = 0, and gradient descent reaches it linearly from anywhere",
            {"only W_V or only W_O is trained", "mu = lambda_min(J J^T) > 0"}, "kernel_pl",
            "descent_pl"),
      entry("landscape.init",
            "gradient descent on the trained blocks from the weights of the instance stays within "
            "R = "
            "4 |r| / sigma of them and converges linearly to f = 0",
            {"those of kernel.init_condition.all, for the trained blocks"}, "kernel_convergence",
            "descent_pl")};
}

}  // namespace heed
