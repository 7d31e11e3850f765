// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by the scalars, so that code which uses them cannot be compiled with options that let the
// compiler change floating-point results: the error bounds assume IEEE 754 arithmetic as written.
// CMake refuses the same options when it configures; this also catches other build systems.

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 != 0) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "heed: remove -ffast-math (or -Ofast, ...): enclosures would be wrong"
#endif
