// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/kernel_support.hpp"

namespace {

using heed::Ball;
using heed::DoubleBall;
using heed::KernelBlock;
using heed::KernelBlocks;
using heed::KernelModel;
using heed::Matrix;
using heed::Rational;
using heed::test::KernelFixture;
using heed::test::KernelValues;

Ball ball(const Ball& x) { return x; }
Ball ball(const DoubleBall& x) { return Ball::hull(Ball(x.lower()), Ball(x.upper())); }

// The stored decimal has 50 digits; 60 were computed, so that small numbers among larger ones are
// known to 1e-55 of these only.
Ball reference(const Rational& value, const Rational& scale) {
  const Rational slack = abs(value) * Rational::parse("1e-49") + scale * Rational::parse("1e-55");
  return Ball(value) + Ball::symmetric(Ball(slack));
}

struct Check {
  double tolerance;  ///< of a radius, relative to the scale

  void operator()(const Ball& found, const Rational& value, const Rational& scale) const {
    CHECK(found.overlaps(reference(value, scale)));
    CHECK(certainly(less_equal(found.radius(), Ball(tolerance) * Ball(scale))));
  }
  template <class S>
  void operator()(const std::vector<S>& found, const std::vector<Rational>& value,
                  const Rational& scale) const {
    REQUIRE(found.size() == value.size());
    for (std::size_t k = 0; k < value.size(); ++k) {
      INFO("entry " << k);
      (*this)(ball(found[k]), value[k], scale);
    }
  }
};

Rational largest(const std::vector<Rational>& v) {
  Rational most;
  for (const Rational& q : v) most = std::max(most, abs(q));
  return most;
}

template <class S>
void check_values(double tolerance) {
  const Check check{tolerance};
  std::size_t count = 0;
  for (const KernelFixture& f : heed::test::kernel_fixtures()) {
    if (f.file == "kernel_05_underflow.json") continue;  // the next test
    for (const KernelValues& v : f.values) {
      INFO(f.file << " " << heed::kernel_word(v.kernel));
      const KernelModel<S> model = heed::kernel_model<S>(f.instance, v.kernel);
      const Rational one(1);
      for (std::size_t i = 0; i < f.instance.samples(); ++i) {
        for (std::size_t h = 0; h < f.instance.heads(); ++h) {
          const Matrix<Rational>& s = v.attention[i * f.instance.heads() + h];
          check(model.attention(i, h).entries(), s.entries(), one);
        }
        check(model.outputs(i).entries(), v.outputs[i].entries(),
              one + largest(v.outputs[i].entries()));
      }
      check(ball(model.loss()), v.loss, v.loss + one);
      const auto gradient = model.gradient();
      for (const KernelBlock block : heed::kernel_blocks) {
        INFO(heed::block_word(block));
        const auto expected = flatten(v.gradient, block);
        check(flatten(gradient, block), expected, largest(expected) + one);
      }
      const Matrix<S> hessian = model.hessian(KernelBlock::query);
      check(hessian.entries(), v.query_hessian.entries(), one + largest(v.query_hessian.entries()));
      ++count;
    }
  }
  CHECK(count == 22);
}

TEST_CASE("kernel attention: values and derivatives of the reference files, in balls") {
  const heed::PrecisionScope precision(256);
  check_values<Ball>(1e-60);
}

TEST_CASE("kernel attention: the same in double enclosures") { check_values<DoubleBall>(1e-11); }

TEST_CASE("ends of the spectra of the Hessian and of the Gram matrices") {
  const heed::PrecisionScope precision(256);
  const Check check{1e-50};
  for (const KernelFixture& f : heed::test::kernel_fixtures()) {
    if (f.file == "kernel_05_underflow.json") continue;
    for (const KernelValues& v : f.values) {
      INFO(f.file << " " << heed::kernel_word(v.kernel));
      const KernelModel<Ball> model = heed::kernel_model<Ball>(f.instance, v.kernel);
      const auto ends = extremes(model.hessian(KernelBlocks::all()));
      check(ends.largest, v.hessian_largest, v.hessian_largest + Rational(1));
      check(ends.least, v.hessian_least, v.hessian_largest + Rational(1));
      const KernelBlocks both = KernelBlocks(KernelBlock::query) | KernelBlock::key;
      const auto [low, high] =
          std::minmax_element(v.query_key_eigenvalues.begin(), v.query_key_eigenvalues.end());
      const auto of_both = extremes(model.hessian(both));
      check(of_both.largest, *high, abs(*high) + Rational(1));
      check(of_both.least, *low, abs(*high) + Rational(1));
      for (const auto& [word, gram] : v.grams) {
        INFO(word);
        const auto found = extremes(model.jacobian_gram(*KernelBlocks::parse(word)));
        check(found.largest, gram.largest, gram.largest + Rational(1));
        check(found.least, gram.least, gram.largest + Rational(1));
      }
    }
  }
}

TEST_CASE("attention far below the least double: gradients are small, not zero") {
  const heed::PrecisionScope precision(256);
  const KernelFixture f = heed::test::kernel_fixture("kernel_05_underflow.json");
  for (const KernelValues& v : f.values) {
    INFO(heed::kernel_word(v.kernel));
    const KernelModel<Ball> model = heed::kernel_model<Ball>(f.instance, v.kernel);
    const auto gradient = model.gradient();
    for (const KernelBlock block : heed::kernel_blocks) {
      INFO(heed::block_word(block));
      const auto expected = flatten(v.gradient, block);
      const auto found = flatten(gradient, block);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(found[k].overlaps(reference(expected[k], Rational(0))));
        CHECK(found[k].has_relative_digits(45));
      }
      const Ball squared = heed::squared_norm(found);
      CHECK(squared.overlaps(
          reference(v.gradient_squared.at(std::string(heed::block_word(block))), Rational(0))));
    }
    CHECK(!model.underflow());
    const KernelModel<double> in_double = heed::kernel_model<double>(f.instance, v.kernel);
    CHECK(in_double.underflow());
  }
}

TEST_CASE("kernel attention: values in double are right to 1e-12") {
  for (const KernelFixture& f : heed::test::kernel_fixtures()) {
    if (f.file == "kernel_05_underflow.json") continue;
    for (const KernelValues& v : f.values) {
      INFO(f.file << " " << heed::kernel_word(v.kernel));
      const KernelModel<double> model = heed::kernel_model<double>(f.instance, v.kernel);
      CHECK(!model.underflow());
      CHECK(model.loss() == Approx(v.loss.nearest_double()).epsilon(1e-12).margin(1e-300));
      const auto gradient = model.gradient();
      for (const KernelBlock block : heed::kernel_blocks) {
        const auto expected = flatten(v.gradient, block);
        const auto found = flatten(gradient, block);
        const double scale = largest(expected).nearest_double() + 1e-3;
        for (std::size_t k = 0; k < expected.size(); ++k)
          CHECK(std::fabs(found[k] - expected[k].nearest_double()) <= 1e-12 * scale);
      }
    }
  }
}

}  // namespace
