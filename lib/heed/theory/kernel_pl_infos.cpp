// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_pl.hpp"

namespace heed {

std::vector<ClaimInfo> kernel_pl_claim_infos() {
  const std::string mu_V = "mu_V > 0", no = "none";
  std::vector<RungInfo> blocks;
  for (const std::string b : {"W_Q", "W_K", "W_V", "W_O", "all"}) {
    blocks.push_back({b, "2 mu f <= |grad f|^2 for the block " + b + "; needs mu > 0"});
    blocks.push_back({b + "_upper", "|grad f|^2 <= 2 L f for the block " + b});
  }
  return {
      {"kernel.pl_block",
       "Polyak-Lojasiewicz: the gradient by a block lies between the ends of J J^T, times 2 f.",
       {no},
       {"mu, L: least and largest eigenvalue of J J^T, J the Jacobian of all outputs by the block"},
       blocks,
       "the residual is an eigenvector of the end; for M_r = 1 always",
       "kernel_pl"},
      {"kernel.pl_all",
       "J J^T of all blocks is the sum of those of the blocks: sum_b mu_b <= mu_all.",
       {"mu of some block > 0"},
       {},
       {{"weyl", "mu_all"}},
       "one block alone has a Jacobian that is not 0",
       "kernel_pl"},
      {"kernel.pl_value_only",
       "W_V alone: a constant that does not depend on W_V, and its size.",
       {mu_V, "general: the rank of J_V is known exactly instead"},
       {"B_h = stack_i(U S_ih X_i)", "sigma_k: k-th largest singular value"},
       {{"value", "2 mu_V f <= |grad f|^2, here and at W_V = 0"},
        {"general", "2 sigma_+^2 (f - f*) <= |grad f|^2, sigma_+ the least nonzero one of J_V"},
        {"factored", "sum_h sigma_p(W_O^h)^2 sigma_Nm(B_h)^2 <= mu_V"},
        {"common", "sigma_p(W_O)^2 sigma_Nm([B_1 .. B_H])^2 <= mu_V, one W_O for all heads"}},
       "factored: H = 1; common: always",
       "kernel_pl"},
      {"kernel.gd_value_only",
       "Gradient descent on W_V alone contracts f at a rate known in advance.",
       {mu_V},
       {"rho = 1 - mu_V / L_V at step 1 / L_V; (L_V - mu_V) / (L_V + mu_V) at 2 / (L_V + mu_V)"},
       {{"contraction", "f_{t+1} <= rho^2 f_t, step 1 / L_V, four steps"},
        {"fastest", "f_{t+1} <= rho^2 f_t, step 2 / (L_V + mu_V), four steps"},
        {"distance", "|W_t - W_0| <= sqrt(2 f_0 / mu_V), step 1 / L_V"}},
       "the residual is an eigenvector of an end",
       "kernel_pl"},
      {"kernel.value_stationary_is_global",
       "With mu_V > 0 a point of f > 0 is not stationary, whatever blocks besides W_V are trained.",
       {mu_V, "f > 0"},
       {},
       {{"gradient", "sqrt(2 mu_V f) <= |grad f|"}},
       "as kernel.pl_block, where the other blocks have no gradient",
       "kernel_pl"},
      {"kernel.pl_query_only",
       "W_Q alone, read-out I: mu_Q from the tokens and from the slope C of each output.",
       {"read-out I", "gram: rank X_stack = N n",
        "token: p <= n - 1 <= d (rows of S sum to 1), p <= n <= d (others)"},
       {"C = d phi / d q of a token and head", "Pi = I - 1 1^T / n"},
       {{"gram", "sigma_Nn(X_stack)^2 min lambda_min(sum_h C C^T) <= mu_Q"},
        {"token",
         "[beta min S sigma_p(Pi P) sigma_{n-1}(Pi K)]^2, or [beta min S sigma_p(P) "
         "sigma_n(1 q^T - K)]^2, <= lambda_min(C C^T)"}},
       "gram: X_stack X_stack^T = I",
       "kernel_pl"}};
}

}  // namespace heed
