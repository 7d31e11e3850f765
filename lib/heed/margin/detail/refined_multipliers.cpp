// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/refined_multipliers.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

namespace heed::detail {
namespace {

constexpr int patience = 3;         // steps without progress
constexpr double progress = 2;      // bits a step
constexpr long negligible = -2000;  // exponent below the largest one

class Refinement {
 public:
  Refinement(const IntegerProblem& problem, const RowScales& scales,
             const std::vector<std::size_t>& rows, int bits)
      : problem_(problem), scales_(scales), rows_(rows), bits_(bits) {
    long norm = 0, ratio = 0;
    for (const std::size_t k : rows) {
      norm = std::max(norm, scales.norm[k].exponent + 1);
      if (const fmpz* b = problem.rhs(k))
        ratio = std::max(ratio, scales.norm[k].exponent + 2 - exponent(b));
    }
    scale_ = bits + 2 + norm + ratio + static_cast<long>(std::bit_width(rows.size()));
  }

  RefinedMultipliers run(const ApproxSolve& solve) {
    RefinedMultipliers result;
    result.x.resize(rows_.size());
    result.scale = scale_;
    double best = std::numeric_limits<double>::infinity();
    for (int stalled = 0; stalled < patience;) {
      result.at = evaluate(problem_, rows_, result.x);
      const std::vector<WideDouble> residual = residuals(result.at);
      if (result.converged) break;
      result.converged = small(result.at);
      const double size = largest_log(residual);
      stalled = size < best - progress ? 0 : stalled + 1;
      best = std::min(best, size);
      correct(result.x, residual, solve);
    }
    return result;
  }

 private:
  static long exponent(const fmpz* x) { return static_cast<long>(fmpz_sizeinbase(x, 2)); }

  Integer residual(const Combination& at, std::size_t k) const {
    Integer r;
    if (const fmpz* b = problem_.rhs(k)) fmpz_mul_2exp(r.raw(), b, static_cast<ulong>(scale_));
    fmpz_sub(r.raw(), r.raw(), at.values[k].raw());
    return r;
  }

  // (b_k 2^scale - <A_k, M>) / norm_k
  std::vector<WideDouble> residuals(const Combination& at) const {
    std::vector<WideDouble> all;
    for (const std::size_t k : rows_) {
      WideDouble w = wide(residual(at, k));
      w.mantissa /= scales_.norm[k].mantissa;
      w.exponent -= scales_.norm[k].exponent;
      all.push_back(w);
    }
    return all;
  }

  bool small(const Combination& at) const {
    for (const std::size_t k : rows_) {
      const fmpz* b = problem_.rhs(k);
      const Integer r = residual(at, k);
      if (b != nullptr && !fmpz_is_zero(r.raw()) &&
          exponent(r.raw()) > exponent(b) + scale_ - bits_ - 1)
        return false;
    }
    return true;
  }

  static double largest_log(const std::vector<WideDouble>& residual) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const WideDouble& w : residual)
      if (w.mantissa != 0)
        largest =
            std::max(largest, std::log2(std::fabs(w.mantissa)) + static_cast<double>(w.exponent));
    return largest;
  }

  void correct(std::vector<Integer>& x, const std::vector<WideDouble>& residual,
               const ApproxSolve& solve) const {
    long top = std::numeric_limits<long>::min();
    for (const WideDouble& w : residual)
      if (w.mantissa != 0) top = std::max(top, w.exponent);
    std::vector<double> u;
    for (const WideDouble& w : residual)
      u.push_back(w.mantissa == 0 ? 0
                                  : std::ldexp(w.mantissa, static_cast<int>(std::max(
                                                               w.exponent - top, negligible))));
    solve(u);
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const WideDouble& norm = scales_.norm[rows_[j]];
      const double step = u[j] / norm.mantissa;
      if (!std::isfinite(step)) continue;
      Integer delta;
      fmpz_set_d_2exp(delta.raw(), step, top - norm.exponent);
      fmpz_add(x[j].raw(), x[j].raw(), delta.raw());
    }
  }

  const IntegerProblem& problem_;
  const RowScales& scales_;
  const std::vector<std::size_t>& rows_;
  int bits_;
  long scale_ = 0;
};

}  // namespace

std::optional<ApproxSolve> factor(const GramSystem<double>& system,
                                  const std::vector<std::size_t>& rows) {
  const auto p = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd G(p, p);
  for (Eigen::Index j = 0; j < p; ++j)
    for (Eigen::Index i = j; i < p; ++i)
      G(i, j) = system.row(rows[static_cast<std::size_t>(j)])[rows[static_cast<std::size_t>(i)]];
  const auto llt = std::make_shared<Eigen::LLT<Eigen::MatrixXd>>(std::move(G));
  if (llt->info() != Eigen::Success) return std::nullopt;
  return [llt](std::vector<double>& u) {
    Eigen::Map<Eigen::VectorXd> v(u.data(), static_cast<Eigen::Index>(u.size()));
    llt->solveInPlace(v);
  };
}

template <unsigned D>
std::optional<ApproxSolve> factor(const GramSystem<Real<D>>& system,
                                  const std::vector<std::size_t>& rows) {
  auto L = std::make_shared<std::vector<std::vector<Real<D>>>>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Real<D>> row(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      Real<D> sum = system.row(rows[i])[rows[j]];
      const std::vector<Real<D>>& other = j < i ? (*L)[j] : row;
      for (std::size_t c = 0; c < j; ++c) sum -= row[c] * other[c];
      if (j == i && !(sum > 0)) return std::nullopt;
      row[j] = j < i ? Real<D>(sum / other[j]) : Real<D>(sqrt(sum));
    }
    L->push_back(std::move(row));
  }
  return [L](std::vector<double>& u) {
    std::vector<Real<D>> v(u.begin(), u.end());
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) v[i] -= (*L)[i][j] * v[j];
      v[i] /= (*L)[i][i];
    }
    for (std::size_t i = v.size(); i-- > 0;) {
      v[i] /= (*L)[i][i];
      for (std::size_t j = 0; j < i; ++j) v[j] -= (*L)[i][j] * v[i];
    }
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(v[i]);
  };
}
template std::optional<ApproxSolve> factor(const GramSystem<Real<50>>&,
                                           const std::vector<std::size_t>&);
template std::optional<ApproxSolve> factor(const GramSystem<Real<150>>&,
                                           const std::vector<std::size_t>&);

RefinedMultipliers refine(const IntegerProblem& problem, const RowScales& scales,
                          const std::vector<std::size_t>& rows, const ApproxSolve& solve,
                          int bits) {
  return Refinement(problem, scales, rows, bits).run(solve);
}

}  // namespace heed::detail
