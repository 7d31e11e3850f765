// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/selftest.hpp"

namespace conformance {

/// The same operations in four forms, which compilers treat differently: folded (operands are
/// constants), inlined, in a loop (which may be vectorised), and behind a barrier (volatile operands,
/// no inlining). Each form of each scalar is held to the exact rational result, or to MPFR for
/// functions.
///
///   Ball, MPFI   contain it, in every environment
///   MPFR real    is the correctly rounded one, in every environment
///   double       is the nearest one, in the standard environment only
std::vector<heed::SelfTest> forms(const heed::FloatEnvironment& environment);

}  // namespace conformance
