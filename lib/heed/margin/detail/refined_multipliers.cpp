// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/detail/refined_multipliers.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "heed/margin/detail/integer_real.hpp"

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
      if (result.converged) break;
      const std::vector<Integer> residual = residuals(result.at);
      result.converged = small(residual);
      const double size = largest_log(residual);
      stalled = size < best - progress ? 0 : stalled + 1;
      best = std::min(best, size);
      const std::vector<Integer> step = solve(residual);
      for (std::size_t j = 0; j < rows_.size(); ++j)
        fmpz_add(result.x[j].raw(), result.x[j].raw(), step[j].raw());
    }
    return result;
  }

 private:
  static long exponent(const fmpz* x) { return static_cast<long>(fmpz_sizeinbase(x, 2)); }

  // b_k 2^scale - <A_k, M>
  std::vector<Integer> residuals(const Combination& at) const {
    std::vector<Integer> all(rows_.size());
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (const fmpz* b = problem_.rhs(rows_[j]))
        fmpz_mul_2exp(all[j].raw(), b, static_cast<ulong>(scale_));
      fmpz_sub(all[j].raw(), all[j].raw(), at.values[rows_[j]].raw());
    }
    return all;
  }

  bool small(const std::vector<Integer>& residual) const {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const fmpz* b = problem_.rhs(rows_[j]);
      if (b != nullptr && !fmpz_is_zero(residual[j].raw()) &&
          exponent(residual[j].raw()) > exponent(b) + scale_ - bits_ - 1)
        return false;
    }
    return true;
  }

  // log2 of the largest residual of a unit row
  double largest_log(const std::vector<Integer>& residual) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const WideDouble r = wide(residual[j]), norm = scales_.norm[rows_[j]];
      if (r.mantissa != 0)
        largest = std::max(largest, std::log2(std::fabs(r.mantissa) / norm.mantissa) +
                                        static_cast<double>(r.exponent - norm.exponent));
    }
    return largest;
  }

  const IntegerProblem& problem_;
  const RowScales& scales_;
  const std::vector<std::size_t>& rows_;
  int bits_;
  long scale_ = 0;
};

}  // namespace

std::optional<ApproxSolve> double_solve(const GramSystem<double>& system, const RowScales& scales,
                                        const std::vector<std::size_t>& rows) {
  const auto p = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd G(p, p);
  for (Eigen::Index j = 0; j < p; ++j)
    for (Eigen::Index i = j; i < p; ++i)
      G(i, j) = system.row(rows[static_cast<std::size_t>(j)])[rows[static_cast<std::size_t>(i)]];
  const auto llt = std::make_shared<Eigen::LLT<Eigen::MatrixXd>>(std::move(G));
  if (llt->info() != Eigen::Success) return std::nullopt;
  std::vector<WideDouble> norm;
  for (const std::size_t k : rows) norm.push_back(scales.norm[k]);
  return [llt, norm](const std::vector<Integer>& residual) {
    std::vector<WideDouble> r;
    long top = std::numeric_limits<long>::min();
    for (std::size_t j = 0; j < norm.size(); ++j) {
      const WideDouble w = wide(residual[j]);
      r.push_back({w.mantissa / norm[j].mantissa, w.exponent - norm[j].exponent});
      if (w.mantissa != 0) top = std::max(top, r.back().exponent);
    }
    Eigen::VectorXd u(static_cast<Eigen::Index>(r.size()));
    for (std::size_t j = 0; j < r.size(); ++j)
      u[static_cast<Eigen::Index>(j)] =
          r[j].mantissa == 0
              ? 0
              : std::ldexp(r[j].mantissa,
                           static_cast<int>(std::max(r[j].exponent - top, negligible)));
    llt->solveInPlace(u);
    std::vector<Integer> step(r.size());
    for (std::size_t j = 0; j < r.size(); ++j) {
      const double s = u[static_cast<Eigen::Index>(j)] / norm[j].mantissa;
      if (std::isfinite(s)) fmpz_set_d_2exp(step[j].raw(), s, top - norm[j].exponent);
    }
    return step;
  };
}

template <unsigned D>
std::optional<ApproxSolve> real_solve(const IntegerProblem& problem,
                                      const std::vector<std::size_t>& rows) {
  const IntegerMatrix G = gram(problem, rows);
  auto L = std::make_shared<std::vector<std::vector<Real<D>>>>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Real<D>> row(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      Real<D> sum = to_real<D>(G.at(i, j));
      const std::vector<Real<D>>& other = j < i ? (*L)[j] : row;
      for (std::size_t c = 0; c < j; ++c) sum -= row[c] * other[c];
      if (j == i && !(sum > 0)) return std::nullopt;
      row[j] = j < i ? Real<D>(sum / other[j]) : Real<D>(sqrt(sum));
    }
    L->push_back(std::move(row));
  }
  return [L](const std::vector<Integer>& residual) {
    std::vector<Real<D>> v;
    for (const Integer& r : residual) v.push_back(to_real<D>(r.raw()));
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) v[i] -= (*L)[i][j] * v[j];
      v[i] /= (*L)[i][i];
    }
    for (std::size_t i = v.size(); i-- > 0;) {
      v[i] /= (*L)[i][i];
      for (std::size_t j = 0; j < i; ++j) v[j] -= (*L)[i][j] * v[i];
    }
    std::vector<Integer> step;
    for (const Real<D>& x : v) step.push_back(to_integer(x));
    return step;
  };
}
template std::optional<ApproxSolve> real_solve<50>(const IntegerProblem&,
                                                   const std::vector<std::size_t>&);
template std::optional<ApproxSolve> real_solve<150>(const IntegerProblem&,
                                                    const std::vector<std::size_t>&);

RefinedMultipliers refine(const IntegerProblem& problem, const RowScales& scales,
                          const std::vector<std::size_t>& rows, const ApproxSolve& solve,
                          int bits) {
  return Refinement(problem, scales, rows, bits).run(solve);
}

}  // namespace heed::detail
