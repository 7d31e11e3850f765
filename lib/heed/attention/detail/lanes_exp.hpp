// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/attention/detail/lanes.hpp"

namespace heed::lanes {
inline namespace HEED_ISA {

/// Below this argument exp_nonpositive returns 0; the true value is then below 2^-1019.
inline constexpr double exp_cutoff = -707;
/// Relative error of exp_nonpositive from the cut-off to 0, in round-to-nearest: 2^-50 (8 half units;
/// about 1 is measured). Note: proofs-notes/lanes_exp.md.
inline constexpr double exp_error = 0x1p-50;

/// e^x for x <= 0 in every lane; NaN for x = NaN or -inf. What it returns for x > 0 is unspecified.
///
/// x = k ln 2 + r with |r| < 0.3466, e^r = 1 + r + r^2 Q(r) with a minimax Q of degree 9, and 2^k by
/// adding k to the exponent.
inline Lanes exp_nonpositive(Lanes x) {
  constexpr double round = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const Lanes shifted = multiply_add(x, splat(0x1.71547652b82fep+0), splat(round));
  const Lanes k = shifted - round;
  // The first product is exact: 42 bits times 11.
  const Lanes r = multiply_add(k, splat(-0x1.ef35793c7673p-45),
                               multiply_add(k, splat(-0x1.62e42fefa3800p-1), x));
  constexpr double q[10] = {0x1.000000000000bp-1,  0x1.5555555555561p-3,  0x1.5555555550030p-5,
                            0x1.111111110d642p-7,  0x1.6c16c185a751dp-10, 0x1.a01a01badf235p-13,
                            0x1.a0199693cf72ep-16, 0x1.71dddfd3a60bap-19, 0x1.28b049009386bp-22,
                            0x1.af857a5042f7ep-26};
  Lanes p = splat(q[9]);
  for (int j = 8; j >= 0; --j) p = multiply_add(p, r, splat(q[j]));
  const Lanes e = multiply_add(r * r, p, r) + 1;
  // Far below the cut-off the sum wraps around: unsigned, and not used.
  const Words scaled = (Words)e + ((Words)shifted << 52);
  const Lanes value = select(x < exp_cutoff, Lanes{}, (Lanes)scaled);
  return value + (x - x);  // NaN stays NaN
}

}  // namespace HEED_ISA
}  // namespace heed::lanes
