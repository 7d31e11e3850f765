// SPDX-License-Identifier: Apache-2.0
#include <heed/numeric/ball.hpp>
#include <heed/numeric/precision.hpp>
#include <heed/numeric/rational.hpp>
#include <iostream>

int main() {
  const heed::PrecisionScope precision(200);
  const heed::Rational third = heed::Rational::parse("1/3");
  const heed::Ball ball(third);
  if (third + third + third != heed::Rational(1) || !ball.contains(third) || ball.is_exact()) {
    std::cerr << "consumer: the ball of 1/3 is wrong\n";
    return 1;
  }
  std::cout << "consumer: the ball of " << third.to_string() << " contains it\n";
  return 0;
}
