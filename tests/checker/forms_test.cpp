// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "landscape_series.hpp"

namespace {

using heedcheck::Form;
using heedcheck::FormDomain;
using heedcheck::Interval;
using heedcheck::Rationals;

struct Draw {
  std::uint64_t state = 3;
  // In [-1, 1].
  mpq_class operator()() {
    state = state * 6364136223846793005U + 1442695040888963407U;
    mpq_class x(static_cast<long>((state >> 33) % 2001) - 1000, 1000);
    x.canonicalize();
    return x;
  }
};

// v in the domain, close to its boundary in some coordinates.
Rationals point(Draw& draw, bool ball, const Rationals& half) {
  Rationals v;
  mpq_class squared = 0;
  for (std::size_t k = 0; k < half.size(); ++k) {
    v.push_back(draw());
    squared += v[k] * v[k];
  }
  // For a ball at least divided by its length: |v| <= (1 + |v|^2) / 2.
  const mpq_class size = ball ? mpq_class((1 + squared) / 2) : mpq_class(1);
  for (std::size_t k = 0; k < half.size(); ++k) v[k] *= half[k] / size;
  return v;
}

FormDomain domain(bool ball, const Rationals& half) {
  FormDomain d{ball, {}};
  for (const mpq_class& h : half) d.half.push_back(Interval(h).hi());
  return d;
}

// Written once for forms and for intervals.
template <class S>
std::vector<S> functions(const S& x, const S& y) {
  const S one(mpq_class(1)), e = exponential(S(x * y)),
                             f = reciprocal(S(one + exponential(S(x - y))));
  return {S(x * y), e, f, S(f * f - x * e), S(square(S(x + e)) * f), reciprocal(x), S(x - x + y)};
}

}  // namespace

TEST_CASE("forms hold their functions to first order, and the rest is of second order") {
  Draw draw;
  for (const bool ball : {false, true}) {
    for (const long part : {5L, 1000L, 1000000L}) {
      Interval::set_bits(160);
      const Rationals half = {mpq_class(1, part),
                              ball ? mpq_class(1, part) : mpq_class(1, 3 * part)};
      Form::set_domain(domain(ball, half));
      const mpq_class cx(3, 8), cy(-5, 4);
      const auto forms = functions(Form::coordinate(cx, 0), Form::coordinate(cy, 1));
      for (int trial = 0; trial < 60; ++trial) {
        const Rationals v = point(draw, ball, half);
        for (const mpq_class& s : {mpq_class(1), mpq_class(1, 2), mpq_class(1, 64)}) {
          const auto exact =
              functions(Interval(mpq_class(cx + s * v[0])), Interval(mpq_class(cy + s * v[1])));
          for (std::size_t k = 0; k < forms.size(); ++k) {
            Interval gap = exact[k] - forms[k].value();
            for (std::size_t j = 0; j < forms[k].slope().size(); ++j) {
              gap -= Interval(mpq_class(s * v[j])) * forms[k].slope()[j];
            }
            const mpq_class rest = s * s * Interval::between(0, forms[k].rest()).upper();
            CHECK((gap.lower() <= rest));
            CHECK((-gap.upper() <= rest));
          }
        }
      }
      for (const Form& form : forms) {
        CHECK((Interval::between(0, form.rest()).upper() * part * part < 100));
      }
      CHECK((forms.back().rest() == 0));
    }
  }
  Interval::set_bits(128);
}

TEST_CASE("the series bounds the Hessian all over its domain") {
  using heedcheck::Kernel;
  Interval::set_bits(128);
  for (const Kernel kernel :
       {Kernel::softmax, Kernel::gaussian, Kernel::gaussian_over_n, Kernel::gaussian_normalised}) {
    for (const bool all_blocks : {false, true}) {
      Draw draw;
      heedcheck::Layer l;
      l.kernel = kernel;
      l.N = l.H = l.d_v = 1;
      l.n = l.m = l.D = 3;
      l.d = l.p = 1;
      l.beta_power = mpq_class(1, 2);
      const auto fill = [&](Rationals& list, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) list.push_back(draw());
      };
      fill(l.X, 9);
      fill(l.Y, 3);
      l.U = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      for (const auto block : {heedcheck::W_Q, heedcheck::W_K, heedcheck::W_V, heedcheck::W_O}) {
        fill(l.weights[block], l.rows(block) * l.cols(block));
        l.trained[block] = all_blocks || block == heedcheck::W_K;
      }
      Rationals centre;
      std::vector<std::size_t> all;
      for (std::size_t k = 0; k < l.coordinates(); ++k) {
        centre.push_back(draw());
        all.push_back(k);
      }
      const heedcheck::Model<Interval> model(l, beta_of(l));
      const heedcheck::Model<Form> forms(l, Form(beta_of(l)));
      for (const bool ball : {false, true}) {
        const Rationals half(centre.size(), mpq_class(1, 25));
        const heedcheck::HessianSeries series(forms, centre, domain(ball, half));
        const auto plain = series.plain_bounds(1, 1), point_bounds = series.plain_bounds(0, 0);
        const mpq_class least = series.least(1, 1),
                        third = series.least(mpq_class(1, 3), mpq_class(1, 6));
        CHECK((plain.least <= least));
        CHECK((least <= third));
        CHECK((third <= point_bounds.least));
        // Not far from the spectrum at the centre.
        CHECK((point_bounds.least - plain.least < point_bounds.most - point_bounds.least + 1));
        for (int trial = 0; trial < 12; ++trial) {
          const Rationals v = point(draw, ball, half);
          std::vector<Interval> theta;
          for (std::size_t k = 0; k < centre.size(); ++k) {
            theta.emplace_back(mpq_class(centre[k] + v[k]));
          }
          const auto H =
              symmetric_matrix(model.loss(theta, all, model.all()).second, centre.size());
          const auto ends = heedcheck::spectrum_bounds(H);  // narrow: lower and upper bounds
          heedcheck::IntervalMatrix shifted = H;
          // No eigenvalue is certainly below `least`: H - (least - 2^-60) I is positive definite.
          for (std::size_t k = 0; k < H.rows; ++k) {
            shifted.at(k, k) -= Interval(mpq_class(least - mpq_class(1, mpz_class(1) << 60)));
          }
          CHECK(is_positive_definite(shifted));
          CHECK((ends.most <= plain.most + abs(plain.most) / 100 + mpq_class(1, 1000)));
        }
      }
    }
  }
}

TEST_CASE("where the slope of the Hessian vanishes the rest alone bounds it") {
  // One query, keys -5, -4, 0, 4, 5 and values 1, 0, 3/2, 0, 1: a minimum at 0, symmetric around it.
  Interval::set_bits(128);
  heedcheck::Layer l;
  l.kernel = heedcheck::Kernel::softmax;
  l.N = l.H = l.d = l.d_v = l.p = 1;
  l.n = l.m = l.D = 5;
  l.beta_power = 1;
  l.X = l.U = Rationals(25, 0);
  for (std::size_t k = 0; k < 5; ++k) l.X[6 * k] = l.U[6 * k] = 1;
  l.Y = Rationals(5, mpq_class(9, 10));
  l.weights[heedcheck::W_Q] = Rationals(5, 0);
  l.weights[heedcheck::W_K] = {-5, -4, 0, 4, 5};
  l.weights[heedcheck::W_V] = {1, 0, mpq_class(3, 2), 0, 1};
  l.weights[heedcheck::W_O] = {1};
  l.trained[heedcheck::W_Q] = true;
  const heedcheck::Model<Interval> model(l, beta_of(l));
  const heedcheck::Model<Form> forms(l, Form(beta_of(l)));
  const Rationals centre(5, 0), half(5, mpq_class(1, 50));
  const heedcheck::HessianSeries series(forms, centre, domain(true, half));
  const std::vector<std::size_t> first = {0};
  std::vector<Interval> theta(centre.begin(), centre.end());
  theta[0] = Interval(mpq_class(1, 50));
  const mpq_class there = model.loss(theta, first, model.all()).second[0].upper(),
                  least = series.least(1, 1),
                  by_cell = second_derivative(forms, centre, 0, {{0, 0}}, mpq_class(1, 50)).least;
  CHECK((there < mpq_class(37, 125)));
  CHECK((least < there));
  CHECK((by_cell < there));
  CHECK((by_cell > -1));
  // Cells a tenth as wide are a hundred times as sharp.
  const mpq_class near = second_derivative(forms, centre, 0, {{0, 0}}, mpq_class(1, 500)).least;
  CHECK((mpq_class(37, 125) - near < (mpq_class(37, 125) - by_cell) / 50));
}
