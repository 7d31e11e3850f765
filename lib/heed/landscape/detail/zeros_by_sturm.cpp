// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stdexcept>
#include <utility>

#include "heed/landscape/detail/sturm.hpp"
#include "heed/landscape/detail/token_zeros.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::detail {
namespace {

long whole(const Rational& k) { return mpz_get_si(mpq_numref(k.raw())); }

// sum = e^{beta (least exponent) q} p(u), u = e^{beta step q}.
Polynomial polynomial_of(const ExpSum& sum, const Rational& step) {
  const Rational& least = sum.terms.back().e1;
  std::vector<Rational> c(static_cast<std::size_t>(whole((sum.terms.front().e1 - least) / step)) +
                          1);
  for (const ExpTerm& t : sum.terms)
    c[static_cast<std::size_t>(whole((t.e1 - least) / step))] = t.u;
  return Polynomial(c);
}

ExpSum sum_of(const Polynomial& p, const Rational& step, const KernelBeta& beta) {
  std::vector<ExpTerm> terms;
  for (long k = 0; k <= p.degree(); ++k)
    terms.push_back({p.coefficient(k), {}, {}, Rational(k) * step, {}});
  return exp_sum(std::move(terms), beta);
}

// The interval in q, inside of that in u: the signs at its ends prove that the zero is in it.
IsolatedZero in_queries(const RootInterval& root, const ExpSum& sum, const Rational& step) {
  for (int bits = 64; bits <= 1 << 17; bits *= 2) {
    const PrecisionScope scope(bits);
    const Ball slope = enclose(sum.beta) * Ball(step);
    const Ball lo = (log(Ball(root.lo)) / slope).upper(), hi = (log(Ball(root.hi)) / slope).lower();
    const PreparedSum prepared(sum);
    if (certainly(less(lo, hi)) && prepared.sign(lo) == root.sign_lo &&
        prepared.sign(hi) == -root.sign_lo)
      return {lo, hi, root.sign_lo};
  }
  throw std::runtime_error("complete_1d: two zeros are closer than 2^-100000");
}

// The sign of the sum at the zero of another one, which is not a zero of it.
int sign_at(const ExpSum& sum, const ExpSum& of, IsolatedZero zero) {
  for (int bits = 64; bits <= 1 << 17; bits *= 2) {
    refine(of, zero, bits);
    const PrecisionScope scope(2 * bits);
    const PreparedSum prepared(sum);
    const std::size_t reference = prepared.reference(zero.lo);
    if (const int sign = prepared.ranges(zero.lo, zero.hi, reference, 0)[0].sign()) return sign;
  }
  throw std::runtime_error("complete_1d: two zeros are closer than 2^-100000");
}

class Collector {
 public:
  Collector(const TokenSums& sums, bool of_residual)
      : step_(sums.step),
        beta_(sums.slope.beta),
        whole_(polynomial_of(of_residual ? sums.residual : sums.slope, sums.step)),
        of_residual_(of_residual) {}

  const Polynomial& polynomial() const { return whole_; }

  void add_factor(Polynomial factor, long multiplicity, std::vector<TokenZero>& out) const {
    if (factor.sign_at(Rational(1)) == 0) {
      const Polynomial linear(std::vector<Rational>{Rational(-1), Rational(1)});
      out.push_back(zero(linear, {Ball(), Ball(), -1}, multiplicity));
      factor = exact_quotient(factor, linear);
    }
    const ExpSum sum = sum_of(factor, step_, beta_);
    for (const RootInterval& root : positive_roots(factor))
      out.push_back(zero(factor, in_queries(root, sum, step_), multiplicity));
  }

 private:
  TokenZero zero(const Polynomial& factor, IsolatedZero at, long multiplicity) const {
    TokenZero z{sum_of(factor, step_, beta_), std::move(at), of_residual_, multiplicity, 0, 0};
    if (of_residual_) return z;
    const Polynomial rest = exact_quotient(whole_, power(factor, multiplicity));
    const int sign = sign_at(sum_of(rest, step_, beta_), z.sum, z.at);
    z.slope_left = multiplicity % 2 == 0 ? sign : sign * z.at.sign_left;
    z.slope_right = multiplicity % 2 == 0 ? sign : -sign * z.at.sign_left;
    return z;
  }

  Rational step_;
  KernelBeta beta_;
  Polynomial whole_;
  bool of_residual_;
};

}  // namespace

Rational slope_degree(const TokenSums& sums) {
  if (sums.slope.terms.empty()) return {};
  return (sums.slope.terms.front().e1 - sums.slope.terms.back().e1) / sums.step;
}

TokenZeros zeros_by_sturm(const TokenSums& sums) {
  TokenZeros result;
  const Collector residual(sums, true), slope(sums, false);
  for (const SquareFreeFactor& f : square_free_factors(residual.polynomial()))
    residual.add_factor(f.factor, f.multiplicity, result.zeros);
  for (const SquareFreeFactor& f : square_free_factors(slope.polynomial())) {
    const Polynomial common = greatest_common_divisor(f.factor, residual.polynomial());
    slope.add_factor(exact_quotient(f.factor, common), f.multiplicity, result.zeros);
  }
  return result;
}

}  // namespace heed::detail
