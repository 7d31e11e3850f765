// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opt-in bridge from Ball to Arb's C interface; the other headers never include Arb.

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include "heed/numeric/ball.hpp"

namespace heed {

static_assert(sizeof(arb_struct) == sizeof(Ball) && alignof(arb_struct) <= alignof(Ball),
              "Ball stores an arb_struct in place");

inline arb_ptr arb(Ball& x) { return static_cast<arb_ptr>(x.raw()); }
inline arb_srcptr arb(const Ball& x) { return static_cast<arb_srcptr>(x.raw()); }

}  // namespace heed
