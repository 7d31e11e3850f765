// SPDX-License-Identifier: Apache-2.0
#include "forms.hpp"

#include <algorithm>
#include <cfenv>

#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/logistic.hpp"
#include "operands.hpp"

namespace conformance {
namespace {

using heed::Ball;
using heed::SelfTest;
using Mpfi = heed::Interval<50>;
using Mpfr = heed::Real<50>;

// What the result of an operation whose exact value is q has to satisfy.
bool right(const Ball& x, const Rational& q) { return x.is_finite() && x.contains(q); }
bool right(const Mpfi& x, const Rational& q) {
  return mpfr_cmp_q(&x.backend().data()->left, q.raw()) <= 0 &&
         mpfr_cmp_q(&x.backend().data()->right, q.raw()) >= 0;
}
bool right(const Mpfr& x, const Rational& q) { return x == heed::Scalar<Mpfr>::from(q); }
bool right(double x, const Rational& q) { return x == q.nearest_double(); }

Rational rounded(const Ball&, const Rational& q) { return q; }
Rational rounded(const Mpfi&, const Rational& q) { return q; }
Rational rounded(const Mpfr& like, const Rational& q) {
  Mpfr x = like;
  mpfr_set_q(x.backend().data(), q.raw(), MPFR_RNDN);
  Rational r;
  mpfr_get_q(r.raw(), x.backend().data());
  return r;
}
Rational rounded(double, const Rational& q) { return Rational(q.nearest_double()); }

// The exact result, with the product rounded as the scalar rounds it.
template <class S, class F>
Rational exact(const Rational& x, const Rational& y) {
  if constexpr (std::is_same_v<F, MultiplyAdd>) return rounded(S(0), x * y) + x;
  return F()(x, y);
}

// Only the first `readable` operands count.
template <class S, class F>
void arithmetic(SelfTest& t, std::size_t readable) {
  using P = Pairs<S, F>;
  for (const auto& values : {P::folded(), P::inlined(), P::looped(), P::behind_barrier()}) {
    t.expect(values.size() == pair_count);
    for (std::size_t k = 0; k < pair_count; ++k) {
      if (std::max(first(k), second(k)) >= readable) continue;
      const Rational q = exact<S, F>(Rational(operands[first(k)]), Rational(operands[second(k)]));
      if (std::isfinite(q.nearest_double())) t.expect(right(values[k], q));
    }
  }
}

template <class S>
SelfTest arithmetic(const std::string& name, std::size_t readable) {
  SelfTest t{name + ": arithmetic in four forms", 0, 0};
  arithmetic<S, Add>(t, readable);
  arithmetic<S, Subtract>(t, readable);
  arithmetic<S, Multiply>(t, readable);
  arithmetic<S, Divide>(t, readable);
  arithmetic<S, MultiplyAdd>(t, readable);
  return t;
}

bool holds(const Ball& x, mpfr_srcptr down, mpfr_srcptr up) {
  Ball ends[2];
  arf_set_mpfr(arb_midref(arb(ends[0])), down);
  arf_set_mpfr(arb_midref(arb(ends[1])), up);
  return x.is_finite() && x.contains(ends[0]) && x.contains(ends[1]);
}
bool holds(const Mpfi& x, mpfr_srcptr down, mpfr_srcptr up) {
  return mpfr_lessequal_p(&x.backend().data()->left, down) != 0 &&
         mpfr_lessequal_p(up, &x.backend().data()->right) != 0;
}

struct Exp {
  static constexpr auto reference = mpfr_exp;
  template <class S>
  S operator()(const S& x) const {
    return exp(x);
  }
};
struct Log {
  static constexpr auto reference = mpfr_log;
  template <class S>
  S operator()(const S& x) const {
    return log(x);
  }
};
struct Tanh {
  static constexpr auto reference = mpfr_tanh;
  template <class S>
  S operator()(const S& x) const {
    return tanh(x);
  }
};
struct Sqrt {
  static constexpr auto reference = mpfr_sqrt;
  template <class S>
  S operator()(const S& x) const {
    return sqrt(x);
  }
};

template <class S, class F>
[[gnu::noinline]] S call(const S& x) {
  return F()(x);
}

template <class S, class F, std::size_t... K>
void functions(SelfTest& t, std::size_t count, std::index_sequence<K...>) {
  std::vector<S> x, folded{F()(S(operands[K]))...}, looped(count);
  for (std::size_t k = 0; k < count; ++k) x.emplace_back(operands[k]);
  for (std::size_t k = 0; k < count; ++k) looped[k] = F()(x[k]);
  mpfr_t down, up;
  // exp of a subnormal number differs from 1 in bit 1074.
  mpfr_inits2(2400, down, up, nullptr);
  for (std::size_t k = 0; k < count; ++k) {
    // exp(1e22) is beyond every exponent of MPFR, log and sqrt of negative numbers are not defined.
    if (operands[k] < 0 || operands[k] > 1000) continue;
    volatile double argument = operands[k];
    const S barrier = call<S, F>(S(double(argument)));
    const Rational exact_argument(operands[k]);
    mpfr_set_q(down, exact_argument.raw(), MPFR_RNDN);
    mpfr_set(up, down, MPFR_RNDN);
    F::reference(down, down, MPFR_RNDD);
    F::reference(up, up, MPFR_RNDU);
    for (const S& value : {folded[k], looped[k], barrier}) t.expect(holds(value, down, up));
  }
  mpfr_clears(down, up, nullptr);
}

template <class S>
SelfTest functions(const std::string& name, std::size_t count) {
  SelfTest t{name + ": functions in three forms", 0, 0};
  constexpr std::make_index_sequence<operands.size()> all;
  functions<S, Exp>(t, count, all);
  functions<S, Log>(t, count, all);
  functions<S, Tanh>(t, count, all);
  functions<S, Sqrt>(t, count, all);
  return t;
}

[[gnu::noinline]] double loss_behind_barrier(double x) { return heed::Logistic<double>::value(x); }

SelfTest double_loss() {
  SelfTest t{"double: the logistic loss in three forms, to 2^-49", 0, 0};
  constexpr std::size_t n = 64;
  double folded[n], looped[n], x[n];
  const auto argument = [](std::size_t k) { return (static_cast<double>(k) - 31.5) * 0.77; };
  for (std::size_t k = 0; k < n; ++k) folded[k] = heed::Logistic<double>::value(argument(k));
  for (std::size_t k = 0; k < n; ++k) x[k] = argument(k);
  for (std::size_t k = 0; k < n; ++k) looped[k] = heed::Logistic<double>::value(x[k]);
  for (std::size_t k = 0; k < n; ++k) {
    volatile double hidden = x[k];
    const Ball exact = heed::Logistic<Ball>::value(Ball(x[k]));
    for (const double value : {folded[k], looped[k], loss_behind_barrier(hidden)})
      t.expect(certainly(less_equal(abs(Ball(value) / exact - Ball(1)), Ball(0x1p-49))));
  }
  return t;
}

}  // namespace

std::vector<SelfTest> forms(const heed::FloatEnvironment& environment) {
  const bool standard = environment.rounding == FE_TONEAREST && !environment.flush;
  const heed::FloatEnvironmentScope scope(environment);
  // MPFI and MPFR read a subnormal double as 0 where the processor does.
  const std::size_t readable = environment.flush ? normal_operands : operands.size();
  std::vector<SelfTest> all{arithmetic<Ball>("Ball", operands.size()),
                            functions<Ball>("Ball", operands.size()),
                            arithmetic<Mpfi>("MPFI", readable), functions<Mpfi>("MPFI", readable),
                            arithmetic<Mpfr>("MPFR", readable)};
  if (standard)
    all.insert(all.end(), {arithmetic<double>("double", operands.size()), double_loss()});
  for (SelfTest& t : all) t.name = std::string(environment.name) + ": " + t.name;
  return all;
}

}  // namespace conformance
