// SPDX-License-Identifier: Apache-2.0
#include <heed/numeric/ball_arb.hpp>
#include <iostream>

int main() {
  const heed::Ball pi = heed::Ball::pi();
  std::cout << "consumer: pi with " << arb_rel_accuracy_bits(heed::arb(pi)) << " bits\n";
  return arb_rel_accuracy_bits(heed::arb(pi)) > 100 ? 0 : 1;
}
