// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/detail/mha_kernels.hpp"
#include "heed/attention/mha_inputs.hpp"
#include "heed/linalg/point_saddle.hpp"

namespace heed::approx::detail {

/// Doubles aligned for every vector register.
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : size_(size), data_(static_cast<double*>(::operator new[](8 * size, alignment))) {
    clear();
  }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void clear() { std::fill(data_.get(), data_.get() + size_, 0.0); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete[](p, alignment); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<double[], Free> data_;
};

/// Throws std::runtime_error in every other rounding mode.
void require_rounding_to_nearest();

/// Data, kernels and scratch of FastMha and EnclosedMha.
struct MhaWorkspace {
  MhaWorkspace(const MhaInputs<double>& in, const std::string& instruction_set);

  void evaluate(std::span<const double> theta);
  void hessian_vector_product(std::span<const double> v, std::span<double> out);
  /// evaluate with radii; see EnclosedMha.
  void enclose(std::span<const double> theta);
  /// hess L at the last point of enclose, with a bound of its error.
  PointSaddle enclose_hessian();

  const MhaKernels& kernels;
  Loss loss;
  std::vector<int> y;
  std::size_t n, T, d, H, groups, width;
  double sqrt_heads;
  std::vector<double> theta0, phi, margins, gradient;
  std::vector<double> loss_values, slopes, bends;  ///< l, |l'|, l''/|l'| at the margins
  std::vector<double> phi_radius;                  ///< n
  std::vector<double> slope_radius;                ///< n: of |l'_i|
  std::vector<double> c_radius;                    ///< n: of l'_i y_i / (n sqrt H)
  std::vector<double> U_radius;  ///< H x T: of every entry of row t of grad_{U_h} L
  std::vector<double> W_radius;  ///< H x d: of every entry of row b of grad_{W_h} L

 private:
  /// Samples in one chunk share sums, chunks run in parallel. Their number depends on the shape only.
  struct Chunk {
    std::size_t begin = 0, end = 0;
    AlignedArray rows, pairs, out, x, U, W;
    AlignedArray products;  ///< only for Hessian-vector products
    AlignedArray alpha, gam_error, gam_size, W_error, W_size, U_radius,
        W_radius;  ///< only when enclosing
    KernelScratch scratch() {
      return {rows.data(), pairs.data(), out.data(), x.data(), products.data()};
    }
    KernelSums sums() { return {U.data(), W.data()}; }
  };

  void pack(std::span<const double> flat, AlignedArray& U, AlignedArray& W) const;
  void set_loss_terms(std::size_t i);
  void add_up(std::span<double> flat);
  KernelProblem problem(const AlignedArray& U, const AlignedArray& W) const;
  void allocate_attention();
  void keep_attention();
  /// Sample i with O and CU in scratch, without A and F.
  KernelSample passing_sample(Chunk& chunk, std::size_t i) const;
  void prepare_radii();
  /// What forward_enclosed needs for sample i; alpha, gam_error, gam_size: lanes, groups x T.
  KernelRadii radii_of(std::size_t i, Chunk& chunk, double* alpha, double* gam_error,
                       double* gam_size, double* beta_max, double* phi_error) const;
  bool measure_norms();
  void enclose_sample(Chunk& chunk, std::size_t i, const KernelProblem& p);
  /// Rows of attention with their radii, for all samples; what enclose_hessian starts from.
  struct RowData;
  RowData enclose_rows();
  /// sqrt(l''_i / n) grad Phi(X_i) into row i; returns a bound of the error of the row.
  double hessian_row(const RowData& rows, std::size_t i, double* row) const;
  SaddleBlock<double> hessian_block(const RowData& rows, std::size_t h, const double* tokens,
                                    const double* C, const double* K, double& error) const;
  std::size_t first_token(std::size_t i) const {
    return static_cast<std::size_t>(samples_[i].x - x_.data()) / d;
  }
  void for_chunks(const std::function<void(Chunk&, std::size_t i)>& body);

  AlignedArray x_, dx_, A_, F_;
  AlignedArray U_, W_;    ///< weights, in lanes
  AlignedArray dU_, dW_;  ///< a direction, in lanes
  std::vector<KernelSample> samples_;
  std::vector<Chunk> chunks_;
  bool attention_kept_ = false;

  bool small_ = false;  ///< sizes are within the limits of the bounds
  RadiusFactors factors_{};
  double outer_sum_ = 0;  ///< factor of the sums over tokens and samples
  AlignedArray u_norms_, w_norms_;
  std::vector<double> x_norms_;                            ///< per token
  std::vector<double> rho_, delta_, rho_max_, delta_max_;  ///< per sample
};

}  // namespace heed::approx::detail
