// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/selftest.hpp"

namespace conformance {

/// Inertia counts and extreme eigenvalues of small random saddle-shaped matrices, held to exact counts
/// over the rationals; and their width where the environment is standard.
heed::SelfTest check_saddles(const heed::FloatEnvironment& environment);

}  // namespace conformance
