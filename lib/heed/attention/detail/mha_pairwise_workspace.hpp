// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_pairwise.hpp"

namespace heed::approx {

using Eigen::Index;
using Block = Eigen::Map<Eigen::MatrixXd>;
using ConstBlock = Eigen::Map<const Eigen::MatrixXd>;

inline std::size_t at(Index k) { return static_cast<std::size_t>(k); }

/// What one sample keeps from the last evaluation. A column is a row (t, h) of attention; columns
/// are sorted by their reference token r, column k being number `natural[k]` = t H + h.
struct PairwiseSample {
  Index T = 0;
  Index first_token = 0;       ///< of this sample among the tokens of all samples
  const double* x = nullptr;   ///< d x T, column s = x_s
  const double* dx = nullptr;  ///< d x T for each r, column s = x_r - x_s = -y_s
  std::vector<Index> natural;  ///< T H
  std::vector<Index> start;    ///< T + 1: the columns of reference r are start[r] .. start[r+1]-1
  Eigen::MatrixXd A, F;        ///< T x T H: a_s and f_s
  Eigen::MatrixXd O, CU;       ///< d x T H: o_t and C_t u_t

  /// First column and number of columns of reference r.
  std::pair<Index, Index> group(Index r) const {
    return {start[at(r)], start[at(r) + 1] - start[at(r)]};
  }
  ConstBlock differences(Index r, Index d) const { return {dx + r * T * d, d, T}; }
};

struct PairwiseMha::Workspace {
  explicit Workspace(MhaInputs<double> inputs);

  void evaluate(std::span<const double> theta);
  void hessian_vector_product(std::span<const double> v, std::span<double> out);

  MhaInputs<double> in;
  Index d, T, H;
  double sqrt_heads;
  std::vector<PairwiseSample> samples;
  std::vector<double> phi, margins, gradient;
  std::vector<LossTerms<double>> terms;

 private:
  void pack(std::span<const double> flat);
  void unpack(std::span<double> flat) const;
  void forward(PairwiseSample& s);
  void choose_references(const PairwiseSample& s, const ConstBlock& Q);
  bool improve_references(const PairwiseSample& s);
  void sort_columns(PairwiseSample& s) const;
  void products_with_differences(const PairwiseSample& s, const ConstBlock& Q);
  double phi_of(const PairwiseSample& s) const;
  void hessian_product_of(std::size_t i);
  /// d x T_i H columns of sample s in `rows`.
  Block columns(const PairwiseSample& s) {
    return {rows.data() + s.first_token * H * d, d, s.T * H};
  }

  Eigen::MatrixXd X;             ///< d x sum T_i
  Eigen::MatrixXd U;             ///< d x T H, column t H + h = u_t of head h
  Eigen::MatrixXd U_out;         ///< d x T H: the same part of a result
  Eigen::MatrixXd W;             ///< H d x d, block h = W_h^T
  Eigen::MatrixXd rows;          ///< H d x sum T_i: W_h^T x_t, later the rows that x_t multiplies
  Eigen::MatrixXd left;          ///< d x 2 T H: per reference the columns q_t, then the columns u_t
  Eigen::MatrixXd pairs;         ///< T x 2 T H: per reference gaps, then values, of `left`
  std::vector<Index> reference;  ///< per natural column
};

}  // namespace heed::approx
