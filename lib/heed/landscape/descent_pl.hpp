// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/kernel_blocks.hpp"
#include "heed/data/kernel_instance.hpp"
#include "heed/landscape/positive_certificate.hpp"

namespace heed {

/// landscape.pl, of kernel.pl_value_only: only W_V or only W_O is trained, so that J does not depend on
/// the trained block, and mu = lambda_min(J J^T) > 0. At every value of the block
///
///     |grad f|^2 >= 2 mu f,   inf f = 0 is attained,
///
/// so every stationary point is a global minimum; descent with a step eta <= 1/L, L =
/// lambda_max(J J^T), has f_{t+1} <= (1 - eta mu)^2 f_t from any start.
/// Constants: `mu`, `L`, enclosed at the working precision.
/// Not applicable for other blocks, for more than max_kernel_residuals residuals, and where mu > 0 is
/// not proved.
/// Cost: one Jacobian, one symmetric eigenvalue problem of order N m p.
/// Note: proofs-notes/kernel_pl.md.
PositiveCertificate certify_pl(const KernelInstance& instance, AttentionKernel kernel,
                               KernelBlocks trained);

/// landscape.init, of kernel.init_condition.all for any trained blocks: at the weights of the instance
/// sigma = sigma_min(J) > 0 by the trained blocks and, with R = 4 |r| / sigma, L_J(R) R <= sigma / 2.
/// Descent on f with a step eta <= 1/L from there has f_t <= (1 - eta mu)^t f_0, stays within R of
/// the start (of all trained blocks together) and converges to a point of f = 0.
/// Constants: `sigma`, `J` = |J|, `L_J` = L_J(R), `R`, `mu` = sigma^2 / 4 and `L`.
/// Not applicable if f = 0, or a hypothesis is not proved: then |r| is too large, in general.
/// Note: proofs-notes/kernel_convergence.md.
PositiveCertificate certify_init(const KernelInstance& instance, AttentionKernel kernel,
                                 KernelBlocks trained);

}  // namespace heed
