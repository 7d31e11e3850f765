// SPDX-License-Identifier: Apache-2.0
#include "heed/margin/margin_problem.hpp"

#include <algorithm>
#include <stdexcept>

namespace heed {
namespace {

/// Appends the row x_reference - x_other of input i.
class RowCollector {
 public:
  void add(const Matrix<Rational>& x, std::size_t reference, std::size_t other, std::size_t input) {
    for (std::size_t c = 0; c < x.cols(); ++c) a_.push_back(x(reference, c) - x(other, c));
    query_.push_back(input);
    token_.push_back(other);
  }
  RankOneRows take(std::size_t p) {
    RankOneRows rows;
    rows.a = Matrix<Rational>(query_.size(), p);
    rows.a.entries() = std::move(a_);
    rows.query = std::move(query_);
    rows.token = std::move(token_);
    return rows;
  }

 private:
  std::vector<Rational> a_;
  std::vector<std::size_t> query_, token_;
};

}  // namespace

MarginProblem margin_problem(const QueryInstance& instance) {
  if (instance.selected.size() != instance.inputs())
    throw std::invalid_argument("margin_problem: expected the selected tokens of every input");
  RowCollector inequalities, equalities;
  for (std::size_t i = 0; i < instance.inputs(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    const std::vector<std::size_t>& selected = instance.selected[i];
    for (std::size_t t = 0; t < x.rows(); ++t) {
      if (std::find(selected.begin(), selected.end(), t) == selected.end())
        inequalities.add(x, selected.front(), t, i);
    }
    for (std::size_t s = 1; s < selected.size(); ++s)
      equalities.add(x, selected.front(), selected[s], i);
  }
  return {instance.Z, inequalities.take(instance.dim()), equalities.take(instance.dim())};
}

MarginProblem margin_problem(const RowsInstance& instance) {
  MarginProblem problem;
  problem.Z = Matrix<Rational>(1, 1);
  problem.Z(0, 0) = Rational(1);
  problem.inequalities.a = instance.F;
  problem.inequalities.query.assign(instance.F.rows(), 0);
  for (std::size_t k = 0; k < instance.F.rows(); ++k) problem.inequalities.token.push_back(k);
  problem.equalities.a = Matrix<Rational>(0, instance.F.cols());
  return problem;
}

std::vector<Rational> row_values(const RankOneRows& rows, const Matrix<Rational>& Z,
                                 const Matrix<Rational>& W) {
  Matrix<Rational> Wz(Z.rows(), W.rows());  // row i: W z_i
  for (std::size_t i = 0; i < Z.rows(); ++i)
    for (std::size_t r = 0; r < W.rows(); ++r)
      for (std::size_t c = 0; c < W.cols(); ++c)
        if (Z(i, c).sign() != 0) Wz(i, r) += W(r, c) * Z(i, c);
  std::vector<Rational> values(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t r = 0; r < W.rows(); ++r)
      if (rows.a(k, r).sign() != 0) values[k] += rows.a(k, r) * Wz(rows.query[k], r);
  return values;
}

Matrix<Rational> combine(const RankOneRows& rows, const Matrix<Rational>& Z,
                         const std::vector<Rational>& lambda) {
  Matrix<Rational> c(Z.rows(),
                     rows.a.cols());  // row i: sum of lambda_k a_k over the rows of input i
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (lambda[k].sign() != 0)
      for (std::size_t r = 0; r < c.cols(); ++r) c(rows.query[k], r) += lambda[k] * rows.a(k, r);
  Matrix<Rational> M(c.cols(), Z.cols());
  for (std::size_t i = 0; i < Z.rows(); ++i)
    for (std::size_t r = 0; r < c.cols(); ++r)
      if (c(i, r).sign() != 0)
        for (std::size_t s = 0; s < Z.cols(); ++s) M(r, s) += c(i, r) * Z(i, s);
  return M;
}

}  // namespace heed
