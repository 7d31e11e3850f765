// SPDX-License-Identifier: Apache-2.0
#include "unit/attention/uncertain_instances.hpp"

namespace heed::test {

MhaInstance uncertain_slope(Loss loss, std::size_t samples, long length) {
  MhaInstance m;
  m.loss = loss;
  const Matrix<Rational> none(2, 2);
  const Rational size = Rational::parse("1e16"), small = Rational::parse("1e-8");
  for (std::size_t i = 0; i < samples; ++i) {
    Matrix<Rational> x(3, 2);
    const long shifts[3][2] = {{0, 0}, {10, 3}, {-2, 7 + static_cast<long>(i)}};
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t c = 0; c < 2; ++c)
        x(s, c) = size * Rational(c == 0 ? 7 : 3, 9 + static_cast<long>(i)) +
                  Rational(length * shifts[s][c]);
    m.X.push_back(x);
    m.y.push_back(i % 2 == 0 ? 1 : -1);
  }
  Matrix<Rational> u(3, 2);
  const Rational rows[3] = {Rational(1), Rational(2), Rational(-1, 3)};
  for (std::size_t t = 0; t < 3; ++t) {
    u(t, 0) = small * rows[t] * Rational(3, 7);
    u(t, 1) = -small * rows[t];
  }
  m.weights.emplace();
  m.weights->U.push_back(u);
  m.weights->W.push_back(none);
  return m;
}

// Tokens on one line and an antisymmetric W: every logit is 0.
MhaInstance uncertain_weights() {
  MhaInstance m;
  Matrix<Rational> x(3, 2), w(2, 2);
  const long multiples[3] = {1, 3, 7};
  for (std::size_t s = 0; s < 3; ++s) {
    x(s, 0) = Rational(1000000 * multiples[s], 3);
    x(s, 1) = Rational(1000000 * multiples[s], 7);
  }
  w(0, 1) = Rational(1, 30000);
  w(1, 0) = -w(0, 1);
  m.X.push_back(x);
  m.y.push_back(1);
  m.weights.emplace();
  m.weights->U.emplace_back(3, 2);
  m.weights->W.push_back(w);
  return m;
}

}  // namespace heed::test
