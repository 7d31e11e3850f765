// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/precision.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "heed/numeric/ball.hpp"

using heed::PrecisionScope;
using heed::working_precision;

TEST_CASE("PrecisionScope nests and restores") {
  const int before = working_precision();
  {
    const PrecisionScope outer(300);
    CHECK(working_precision() == 300);
    {
      const PrecisionScope inner(20);
      CHECK(working_precision() == 20);
    }
    CHECK(working_precision() == 300);
    try {
      const PrecisionScope inner(40);
      throw std::runtime_error("leave");
    } catch (const std::runtime_error&) {
    }
    CHECK(working_precision() == 300);
  }
  CHECK(working_precision() == before);
  CHECK(before == 128);
}

TEST_CASE("PrecisionScope refuses what is no precision, and changes nothing then") {
  for (const int bits : {1, 0, -5, 1'000'001}) {
    CHECK_THROWS_AS(PrecisionScope(bits), std::invalid_argument);
    CHECK(working_precision() == 128);
  }
  CHECK_NOTHROW(PrecisionScope(2));
  CHECK_NOTHROW(PrecisionScope(1'000'000));
}

TEST_CASE("The working precision belongs to the thread") {
  const PrecisionScope scope(500);
  int other = 0, other_inside = 0;
  std::thread([&] {
    other = working_precision();
    const PrecisionScope inner(60);
    other_inside = working_precision();
  }).join();
  CHECK(other == 128);
  CHECK(other_inside == 60);
  CHECK(working_precision() == 500);
}

TEST_CASE("The working precision decides the width of results") {
  using heed::Ball;
  const auto digits_of_sqrt2 = [](int bits) {
    const PrecisionScope scope(bits);
    const Ball root = sqrt(Ball(2));
    int digits = 0;
    while (root.has_relative_digits(digits + 1)) ++digits;
    return digits;
  };
  CHECK(digits_of_sqrt2(53) >= 14);
  CHECK(digits_of_sqrt2(53) <= 16);
  CHECK(digits_of_sqrt2(1000) >= 299);
  CHECK(digits_of_sqrt2(1000) <= 301);
}
