// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "heed/numeric/precision.hpp"
#include "unit/landscape/support.hpp"

using namespace landscape_test;
using heed::PrecisionScope;
using heed::TokenValue;

namespace {

// phi by the definition; cancels, so at many bits.
Ball by_definition(const TokenProblem& token, const Ball& q) {
  const Ball beta = enclose(token.beta);
  Ball weighted, total;
  for (std::size_t b = 0; b < token.keys.size(); ++b) {
    const Ball k(token.keys[b]);
    const Ball w = token.kernel == AttentionKernel::softmax ? exp(beta * q * k)
                                                            : exp(-beta * square(q - k) / Ball(2));
    weighted += w * Ball(token.values[b]);
    total += w;
  }
  if (heed::is_normalised(token.kernel)) return weighted / total;
  if (token.kernel == AttentionKernel::gaussian) return weighted;
  return weighted / Ball(static_cast<long>(token.keys.size()));
}

// Central differences of the definition, with an error far below the tolerance of the tests.
TokenValue reference(const TokenProblem& token, const Rational& q) {
  const PrecisionScope scope(1024);
  const Rational h = Rational::power_of_two(-150);
  const Ball left = by_definition(token, Ball(q - h)), at = by_definition(token, Ball(q)),
             right = by_definition(token, Ball(q + h));
  return {at, at - Ball(token.target), (right - left) / Ball(Rational(2) * h),
          (right - at - (at - left)) / Ball(h * h)};
}

bool agrees(const Ball& a, const Ball& b) {
  return certainly(less(abs(a - b), ldexp(Ball(1), -90)));
}

}  // namespace

TEST_CASE("phi and its derivatives agree with the definition, and are narrow") {
  for (const char* name : {"SM1", "GA1", "PAIR", "VAL3", "FOUR"})
    for (const AttentionKernel kernel : all_kernels())
      for (const char* q : {"0", "1/3", "-7/4", "23/4", "-12", "40"})
        for (const bool root : {false, true}) {
          INFO(name << " " << heed::kernel_word(kernel) << " " << q);
          TokenProblem token = named(name, kernel);
          if (root) token.beta = {Rational(1, 3), true};
          const TokenValue value = evaluate(token, Ball(Rational::parse(q)));
          const TokenValue expected = reference(token, Rational::parse(q));
          CHECK(agrees(value.phi, expected.phi));
          CHECK(agrees(value.residual, expected.residual));
          CHECK(agrees(value.first, expected.first));
          CHECK(agrees(value.second, expected.second));
          CHECK(value.loss().overlaps(ldexp(square(expected.residual), -1)));
        }
}

TEST_CASE("every point of a wide ball is enclosed, with finite bounds") {
  for (const char* name : {"SM1", "VAL3", "FOUR"})
    for (const AttentionKernel kernel : all_kernels())
      for (const char* radius : {"1e-9", "1/8", "3", "100"}) {
        INFO(name << " " << heed::kernel_word(kernel) << " " << radius);
        const TokenProblem token = named(name, kernel);
        const Rational centre(1, 3), r = Rational::parse(radius);
        const TokenValue wide = evaluate(token, Ball::hull(Ball(centre - r), Ball(centre + r)));
        CHECK(wide.phi.is_finite());
        CHECK(wide.first.is_finite());
        CHECK(wide.second.is_finite());
        for (int k = -8; k <= 8; ++k) {
          const TokenValue point = evaluate(token, Ball(centre + r * Rational(k, 8)));
          CHECK(wide.phi.contains(point.phi.midpoint()));
          CHECK(wide.first.contains(point.first.midpoint()));
          CHECK(wide.second.contains(point.second.midpoint()));
        }
        if (r < Rational(1, 100)) CHECK(wide.second.has_absolute_digits(5));
      }
}

TEST_CASE("no digits are lost where attention saturates") {
  TokenProblem token = named("PAIR", AttentionKernel::softmax);
  // phi = 1 + sigmoid(6 q): phi' = 6 s (1 - s), far out about 6 e^{-6 q}.
  const Ball q(200), s = exp(Ball(-1200));
  const TokenValue value = evaluate(token, q);
  CHECK(value.first.has_relative_digits(30));
  CHECK((value.first / (Ball(6) * s)).overlaps(Ball(1) / square(Ball(1) + s)));
  CHECK(value.second.has_relative_digits(30));
}
