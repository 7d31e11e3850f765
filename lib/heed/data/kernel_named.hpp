// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "heed/data/kernel_instance.hpp"

namespace heed {

struct KernelName {
  std::string_view name, description;
};

/// The named instances of model kernel, in this order:
///
///     SM1 GA1 PAIR VAL3 FOUR      separate tokens: N = 1, D = n, X = U = I_n, H = d = d_v = p = 1,
///                                 beta = 1, W_K the keys, W_V the values, W_O = 1, one target for
///                                 all tokens; then f = sum_a g(q_a) with the queries q = W_Q, and
///                                 every token has the same g(q) = (phi(q) - y)^2 / 2
///     COUPLED                     D = 1 < n = 2: both tokens share the query weight
///     KRAWCZYK-S KRAWCZYK-G       D = 2 < n = 4, W_Q at a bad minimum to 20 digits
///     J1 J1G                      N = 1, D = n = 2, X = U = I_2, W_Q = W_K = 0
///     RANK-TOKEN RANK-POOLED      the rank of the features differs between the kernels
///     HEADS-COVER                 two heads, H D = N n > D: full row rank all the same
///     AFFINE                      D = 2, n = 4, H = 2, rows of X on an affine line
///
/// `kernel` of an instance is set where the description speaks of one kernel. Source: the
/// constructions of proofs-notes/landscape_1d.md, and counterexamples found by search.
const std::vector<KernelName>& kernel_names();

/// The instance, all numbers exact; `name` and `origin` say which it is.
/// Errors: InputError that lists the names.
KernelInstance kernel_instance_named(std::string_view name);

}  // namespace heed
