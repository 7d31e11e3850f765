// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_landscape.hpp"

namespace heed {

std::vector<ClaimInfo> attsvm_landscape_claim_infos() {
  const std::string point = "a point W, a linear head",
                    optimal = "the optimal tokens are unique and feasible",
                    single = "one selected token an input",
                    E = "E: all scores but the optimal one are equal for every input",
                    C = "C: scores and logits of W_mm are ordered alike (follows from E, and from "
                        "S: every constraint of W_mm is active)",
                    margin = "Gamma = 1/||W_mm||_F, A = max_i max_t ||x_opt - x_t|| ||z_i||",
                    scores =
                        "Delta_i = least, R_i = largest score gap to the optimal token, "
                        "drop_i = gamma_opt - gbar_i, q_i = 1 - s_opt",
                    family = "attsvm_landscape";
  return {
      {"attsvm.no_stationary_points",
       "The loss falls along W_mm at every W, by at least this much: -<grad L, W_mm>. Says nothing "
       "about where a method ends.",
       {point, optimal, C},
       {scores},
       {{"probability", "(1/n) sum_i |l'_i| s_opt q_i Delta_i <= -<grad L, W_mm>"},
        {"gap", "(1/n) sum_i |l'_i| s_opt drop_i <= -<grad L, W_mm>"}},
       "gap: S holds; probability: moreover E holds",
       family},
      {"attsvm.gradient_alignment",
       "The negative gradient points towards W_mm at every W: corr(-grad L, W_mm).",
       {point, optimal, "equal_scores: " + E, "comonotone: " + C},
       {margin, scores},
       {{"equal_scores", "Gamma/A <= corr(-grad L, W_mm)"},
        {"comonotone", "(Gamma/A) min_i s_opt Delta_i/R_i <= corr(-grad L, W_mm)"}},
       "equal_scores: one constraint",
       family},
      {"attsvm.gradient_domination",
       "The slope along W_mm is at least a multiple of the excess loss E = L(W) - L_*, without a "
       "structural hypothesis.",
       {point, optimal, "excess: theta >= 0", "comonotone: " + C},
       {margin, scores,
        "theta = min_i (s_opt - q_i B_i R'_i/(4 Delta_i)), B_i = largest logit gap of W_mm and "
        "R'_i "
        "= range of scores among the other tokens"},
       {{"signed", "Gamma theta (1/n) sum_i |l'_i| drop_i <= -<grad L, W_mm>/||W_mm||"},
        {"excess", "Gamma theta E <= -<grad L, W_mm>/||W_mm||"},
        {"norm", "Gamma max(theta, 0) E <= ||grad L||_F"},
        {"comonotone", "Gamma (min_i s_opt) E <= -<grad L, W_mm>/||W_mm||"}},
       "signed: n = 1, T = 2; excess, norm, comonotone: moreover the correlation loss",
       family},
      {"attsvm.feasible_overparam",
       "Independent queries and independent token differences make every selection feasible: "
       "||W_mm||_F^2.",
       {single, "the queries are linearly independent",
        "the token differences of every input are linearly independent"},
       {"D_i = rows x_alpha - x_t, u_i = D_i^T (D_i D_i^T)^{-1} 1, U = [u_1 .. u_n]"},
       {{"norm", "tr(U (Z Z^T)^{-1} U^T)"}},
       "all constraints are active (S for the selected tokens)",
       family},
      {"attsvm.feasible_iff_vertex",
       "With independent queries a selection is feasible if and only if every selected token can "
       "be "
       "separated from its input's other tokens (1: yes, 0: no).",
       {single, "the queries are linearly independent"},
       {"separable: some u has (x_alpha - x_t)^T u > 0 for all t"},
       {{"only_if", "feasible <= all inputs separable"},
        {"if", "all inputs separable <= feasible"}},
       "always",
       family},
      {"attsvm.local_cone",
       "Around the direction of W_mm of locally optimal tokens, far out, there is no stationary "
       "point: 0 < -<grad L, W_mm>.",
       {point, single, "the selected tokens are feasible and locally optimal",
        "state: alpha leads at W", "cone: corr(W, W_mm) >= 1 - mu and ||W|| >= R_loc"},
       {"mu = (dd Gamma/A)^2/32, dd = min(2, least slack of the other constraints)",
        "R_loc = (2/(dd Gamma)) max(log 2, log(T^2 M1 N #others/(c1 Delta_loc #support)))",
        "N = B C_g + (B - 1) R_g (T - 1), B = largest <A_k, W_mm>, C_g = largest gamma_t - "
        "gamma_alpha off the support, R_g = largest range of scores"},
       {{"state", "(1/n) sum_i |l'_i| s_alpha (S_sup Delta_loc - S_non N) <= -<grad L, W_mm>"},
        {"cone", "0 <= -<grad L, W_mm>"},
        {"ray", "0 <= -<grad L, W_mm> at a multiple of W_mm in the cone"}},
       "state: every constraint is active and the support tokens have equal scores, with one "
       "support token an input",
       family},
  };
}

}  // namespace heed
