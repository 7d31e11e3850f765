// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The border between FastMha and its kernels, which are compiled once for each instruction set:
// plain arrays and functions only, no type whose inline functions could be shared with other code.

namespace heed::approx::detail {

/// What all samples share. Lane arrays hold `width` heads side by side; group g holds the heads
/// g width .. (g+1) width - 1, those beyond H with weights 0.
struct KernelProblem {
  std::ptrdiff_t T, d, groups;  ///< T = max T_i
  const double* U;              ///< lanes, groups x T x d
  const double* W;              ///< lanes, groups x d x d
};

struct KernelSample {
  std::ptrdiff_t T;  ///< T_i
  const double* x;   ///< T_i x d
  const double* dx;  ///< T_i x d, row s = x_s - x_0; the kernels take row 0 to be 0
  double* A;         ///< lanes, groups x T_i x T_i: attention; may be null
  double* F;         ///< lanes, groups x T_i x T_i: f_s = v_s - m; null with A
  double* O;         ///< lanes, groups x T_i x d: o_t
  double* CU;        ///< lanes, groups x T_i x d: C_t u_t
};

/// Scratch of one thread; sizes in lanes.
struct KernelScratch {
  double* rows;      ///< row_block x d
  double* pairs;     ///< 2 row_block x T
  double* out;       ///< 2 groups x T x d
  double* x;         ///< (T + 1) x d doubles: scaled tokens
  double* products;  ///< 2 groups x T x T: the sample in a direction; null without one
};

/// Sums over samples, in the layout of U and W.
struct KernelSums {
  double* U;
  double* W;
};

/// Rows of attention that are worked on at a time.
inline constexpr std::ptrdiff_t row_block = 16;

/// Factors of proofs-notes/gradient_enclosure.md, by name, for one shape; all upper bounds.
struct RadiusFactors {
  double query;        ///< per ||W|| ||x||: error of q
  double logit;        ///< per ||q||: errors of z and of gaps
  double weight_rest;  ///< part of alpha without beta
  double weight;       ///< part of alpha per beta
  double value;        ///< per ||u|| delta: nu
  double sum_tokens;   ///< of sums over tokens
  double row;          ///< of one row u_t . o_t
  double sum_rows;     ///< of the sum of all rows
};

/// What the enclosure of one sample needs besides its arrays.
struct KernelRadii {
  const RadiusFactors* factors;
  const double* u_norms;  ///< lanes, groups x T: upper bounds of ||u_t||
  const double* w_norms;  ///< lanes, groups: upper bounds of ||W_h||_F
  const double* x_norms;  ///< T_i: upper bounds of ||x_t||
  double rho, delta;      ///< their maximum; upper bound of max_s ||x_s - x_0||
  double x_floor;         ///< 2^-60 of the largest |x_tc|: added to every |x_tb|
  double delta_max;       ///< largest |(x_s - x_0)_c|
  double* alpha;          ///< out, lanes, groups x T: relative errors of the attention weights
  double* gam_error;      ///< out, lanes, groups x T: sum_s |error of a_s f_s|
  double* gam_size;       ///< out, lanes, groups x T: sum_s |a_s f_s|
  double* beta_max;       ///< out, lanes: largest error of a gap
  double* W_radius;       ///< out, lanes, groups x d: sum_t |x_tb| (error of entries of C_t u_t)
  double* W_size;         ///< out, lanes, groups x d: sum_t |x_tb| (bound of entries of C_t u_t)
  double* phi_radius;     ///< out, one number: error of sum_h phi_h
};

struct MhaKernels {
  const char* name;
  int width;
  /// sum_h <U_h, A_h X>; fills O, CU and, unless they are null, A, F of the sample.
  double (*forward)(const KernelProblem&, const KernelSample&, const KernelScratch&);
  /// The same with radii.
  double (*forward_enclosed)(const KernelProblem&, const KernelSample&, const KernelScratch&,
                             const KernelRadii&);
  /// e^x for x <= 0, relative error 2^-50 from -707 on, 0 below.
  double (*exp_nonpositive)(double x);
  /// Adds c grad (sqrt(H) Phi) from O and CU.
  void (*add_gradient)(const KernelProblem&, const KernelSample&, double c, const KernelScratch&,
                       const KernelSums&);
  /// For the direction in problem.U, problem.W: leaves the derivatives of attention and values in
  /// scratch.products and returns <grad (sqrt(H) Phi), v>. Of the sample it reads x, dx, A and F.
  double (*direction)(const KernelProblem&, const KernelSample&, const KernelScratch&);
  /// For group g of a sample with A and F: the lower triangles, by rows, of the moments
  /// C_t = sum_s a_s xc_s xc_s^T and K_t = sum_s a_s f_s xc_s xc_s^T into lane arrays T_i x d(d+1)/2.
  /// Scratch: centred holds T_i x (d + 2) lanes.
  void (*moments)(const KernelProblem&, const KernelSample&, std::ptrdiff_t g, double* centred,
                  double* C, double* K);
  /// Adds first (hess v + ratio grad) of sqrt(H) Phi, from A, F and scratch.products, which it uses up.
  void (*add_product)(const KernelProblem&, const KernelSample&, double first, double ratio,
                      const KernelScratch&, const KernelSums&);
};

/// For the widest instruction set of this processor; `limit` ("baseline", "avx2", "avx512" or null)
/// keeps to a lesser one.
const MhaKernels& mha_kernels(const char* limit = nullptr);

extern const MhaKernels baseline_kernels, avx2_kernels, avx512_kernels;

}  // namespace heed::approx::detail
