// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/scaled_system.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "heed/linalg/detail/dense_kernels.hpp"
#include "heed/margin/detail/integer_real.hpp"

namespace heed::detail {
namespace {

// Column-major m x cols, rows scaled to norm 1.
std::vector<double> unit_rows(std::size_t m, std::size_t cols,
                              const std::function<const fmpz*(std::size_t, std::size_t)>& entry) {
  std::vector<double> a(m * cols), mantissa(cols);
  std::vector<long> exponent(cols);
  for (std::size_t k = 0; k < m; ++k) {
    long top = std::numeric_limits<long>::min();
    for (std::size_t c = 0; c < cols; ++c) {
      slong e = 0;
      mantissa[c] = fmpz_get_d_2exp(&e, entry(k, c));
      exponent[c] = e;
      if (mantissa[c] != 0) top = std::max(top, exponent[c]);
    }
    double norm2 = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double x =
          mantissa[c] == 0
              ? 0
              : std::ldexp(mantissa[c], static_cast<int>(std::max(exponent[c] - top, -2000L)));
      a[k + c * m] = x;
      norm2 += x * x;
    }
    const double norm = std::sqrt(norm2);
    for (std::size_t c = 0; c < cols; ++c) a[k + c * m] /= norm;
  }
  return a;
}

}  // namespace

WideDouble wide(const Integer& x) {
  slong e = 0;
  const double m = fmpz_get_d_2exp(&e, x.raw());
  return {m, e};
}

RowScales row_scales(const IntegerProblem& problem) {
  RowScales scales;
  const std::size_t n = problem.z.rows(), m = problem.size(), p = problem.inequalities.a.cols();
  std::vector<Integer> z(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < problem.z.cols(); ++c)
      fmpz_addmul(z[i].raw(), problem.z.at(i, c), problem.z.at(i, c));
  scales.norm2.resize(m);
  scales.shift = std::numeric_limits<long>::min();
  for (std::size_t k = 0; k < m; ++k) {
    Integer& norm2 = scales.norm2[k];
    for (std::size_t c = 0; c < p; ++c)
      fmpz_addmul(norm2.raw(), problem.a_entry(k, c), problem.a_entry(k, c));
    fmpz_mul(norm2.raw(), norm2.raw(), z[problem.query(k)].raw());
    WideDouble norm = wide(norm2);
    if (norm.exponent % 2 != 0) {
      norm.mantissa *= 2;
      --norm.exponent;
    }
    norm = {std::sqrt(norm.mantissa), norm.exponent / 2};
    scales.norm.push_back(norm);
    if (!problem.is_equality(k))
      scales.shift = std::max(
          scales.shift, wide(problem.b[k - problem.equalities.size()]).exponent - norm.exponent);
  }
  return scales;
}

GramSystem<double> double_system(const IntegerProblem& problem, const RowScales& scales) {
  GramSystem<double> system;
  const std::size_t m = system.m = problem.size();
  system.equalities = problem.equalities.size();
  const std::size_t p = problem.inequalities.a.cols(), n = problem.z.rows(), q = problem.z.cols();
  const std::vector<double> a =
      unit_rows(m, p, [&](std::size_t k, std::size_t c) { return problem.a_entry(k, c); });
  const std::vector<double> z =
      unit_rows(n, q, [&](std::size_t i, std::size_t c) { return problem.z.at(i, c); });
  system.G.resize(m * m);
  std::vector<double> K(n * n);
  const DenseKernels& kernels = dense_kernels();
  kernels.add_gram({system.G.data(), m, m, m}, 1, {a.data(), m, p, m});
  kernels.add_gram({K.data(), n, n, n}, 1, {z.data(), n, q, n});
  for (std::size_t l = 0; l < m; ++l) {
    const std::size_t i = problem.query(l);
    for (std::size_t k = l; k < m; ++k) {
      const std::size_t j = problem.query(k);
      const double g = system.G[k + l * m] * K[std::max(i, j) + std::min(i, j) * n];
      system.G[k + l * m] = system.G[l + k * m] = g;
    }
    system.G[l + l * m] = 1;
  }
  system.b.assign(m, 0);
  for (std::size_t k = system.equalities; k < m; ++k) {
    const WideDouble b = wide(problem.b[k - system.equalities]);
    const long e = std::max(b.exponent - scales.norm[k].exponent - scales.shift, -2000L);
    system.b[k] = std::ldexp(b.mantissa / scales.norm[k].mantissa, static_cast<int>(e));
  }
  return system;
}

template <unsigned D>
GramSystem<Real<D>> real_system(const IntegerProblem& problem, const RowScales& scales) {
  GramSystem<Real<D>> system;
  const std::size_t m = system.m = problem.size();
  system.equalities = problem.equalities.size();
  std::vector<std::size_t> all(m);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const IntegerMatrix g = gram(problem, all);
  std::vector<Real<D>> inverse_norm;
  for (const Integer& norm2 : scales.norm2)
    inverse_norm.push_back(1 / Real<D>(sqrt(to_real<D>(norm2.raw()))));
  system.G.resize(m * m);
  system.b.assign(m, Real<D>(0));
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l <= k; ++l)
      system.G[k * m + l] = system.G[l * m + k] =
          to_real<D>(g.at(k, l)) * inverse_norm[k] * inverse_norm[l];
    if (const fmpz* b = problem.rhs(k))
      system.b[k] = heed::ldexp(Real<D>(to_real<D>(b) * inverse_norm[k]), -scales.shift);
  }
  return system;
}
template GramSystem<Real<50>> real_system(const IntegerProblem&, const RowScales&);
template GramSystem<Real<150>> real_system(const IntegerProblem&, const RowScales&);

}  // namespace heed::detail
