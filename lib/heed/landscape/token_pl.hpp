// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/data/kernel_instance.hpp"
#include "heed/landscape/positive_certificate.hpp"

namespace heed {

/// landscape.lojasiewicz, of kernel.softmax_q_only.lojasiewicz: with the hypotheses of kernel.decouple but for any H, d and
/// p, and keys of every sample and head affinely independent, softmax and gaussian_normalised have
/// at every W_Q
///
///     |grad_{W_Q} f| >= sigma_min(X_stack) sqrt(sum_{i,a} c_ia^2 (g_ia - inf g_ia)^2)
///     c_ia = (beta / sqrt H) min_h (smallest S_ab^h) sigma_{n-1}(Pi K_i^h),   Pi = I - 1 1^T / n
///
/// so no stationary point of f as a function of W_Q is non-global. All hypotheses are decided
/// exactly.
/// Constants, at the W_Q of the instance: `sigma_min_tokens`, `least_token_constant` = min c_ia,
/// `constant` = sigma_min c / sqrt(N n), with |grad f| >= constant (f - inf f). None for n = 1,
/// where f does not depend on W_Q.
/// Errors: std::runtime_error outside of the standard float environment. Cost: N H exact ranks and
/// singular values, N n^3 H exponentials. Note: proofs-notes/landscape_1d.md.
PositiveCertificate certify_lojasiewicz(const KernelInstance& instance, AttentionKernel kernel);

/// landscape.overshoot, of kernel.gauss_q_only.overshoot: gradient descent on W_Q with a Gaussian kernel (gaussian,
/// gaussian_over_n) from the W_Q of the instance converges linearly to f = 0. Hypotheses: H = p =
/// 1, read-out I, X_stack X_stack^T = I, every query has a component q_perp /= 0 orthogonal to the
/// affine hull of its sample's keys, and phi_ia >= Y_ia > 0. With step eta <= `step_bound`, for
/// every token:
///
///     g_{t+1} <= (1 - eta beta^2 |q_perp,0|^2 Y_ia^2) g_t
///
/// Constants: `step_bound` = min_ia 1 / (G^2 + L2 r_ia), G^2 = (beta/e)(sum |P|)^2, L2 = beta sum
/// |P|; `pl_constant` = min_ia beta^2 |q_perp|^2 Y_ia^2; `rate` = 1 - step_bound pl_constant. All
/// but phi >= y is decided exactly; that by enclosures, so phi = y is not applicable.
/// Note: proofs-notes/landscape_1d.md.
PositiveCertificate certify_overshoot(const KernelInstance& instance, AttentionKernel kernel);

}  // namespace heed
