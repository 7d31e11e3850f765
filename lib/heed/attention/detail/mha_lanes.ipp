// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of mha_kernels.hpp for the instruction set that the including source is compiled for.

#include "heed/attention/detail/lanes_exp.hpp"
#include "heed/attention/detail/lanes_product.hpp"
#include "heed/attention/detail/mha_kernels.hpp"

namespace heed::approx::detail {
inline namespace HEED_ISA {

using heed::lanes::Lanes;
using heed::lanes::multiply_add;
using heed::lanes::product;
using heed::lanes::product_pair;
using heed::lanes::select;
using heed::lanes::splat;
using Size = std::ptrdiff_t;

/// Covers every underflow on the way to a radius.
inline constexpr double underflow = 0x1p-600;

inline const Lanes* as_lanes(const double* p) { return reinterpret_cast<const Lanes*>(p); }
inline Lanes* as_lanes(double* p) { return reinterpret_cast<Lanes*>(p); }

/// Shapes known when compiling, or not: T_i and d.
template <int Tokens, int Dim>
struct FixedShape {
  static_assert(Tokens <= row_block);
  static constexpr Size T = Tokens, d = Dim;
  static constexpr Size rows_from(Size) { return T; }
};
struct AnyShape {
  Size T, d;
  Size rows_from(Size first) const { return T - first < row_block ? T - first : row_block; }
};

struct RowValue {
  Lanes reference, mean;  ///< v_r of the largest logit; m - v_r
};

/// One row of attention from logits z and values v over s = 1 .. T - 1, those of s = 0 being 0; both
/// are overwritten over s < T: z by a_s, v by f_s = v_s - m. Values are taken relative to that of the
/// largest logit first, so a saturated row loses no digits.
inline RowValue attend(Size T, Lanes* z, Lanes* v) {
  z[0] = v[0] = splat(0);
  Lanes top = z[0], reference = v[0];
  for (Size s = 1; s < T; ++s) {
    const auto larger = z[s] > top;
    top = select(larger, z[s], top);
    reference = select(larger, v[s], reference);
  }
  Lanes sum = splat(0), mean = splat(0);
  for (Size s = 0; s < T; ++s) {
    z[s] = lanes::exp_nonpositive(z[s] - top);
    v[s] -= reference;
    sum += z[s];
    mean = multiply_add(z[s], v[s], mean);
  }
  const Lanes inverse = 1 / sum;
  mean *= inverse;
  for (Size s = 0; s < T; ++s) {
    z[s] *= inverse;
    v[s] -= mean;
  }
  return {reference, mean};
}

/// Errors of one row: of its gaps and weights, of entries of C_t u_t, of u_t . o_t; and the size of
/// entries of C_t u_t.
struct RowRadii {
  Lanes beta, alpha, gam, gam_size, moment, phi, size;
};

/// Note: proofs-notes/gradient_enclosure.md. gam: the row of a_s f_s.
inline RowRadii row_radii(const KernelRadii& in, double rho_t, Size d, Size T, const Lanes* q,
                          const Lanes* gam, Lanes u_norm, Lanes w_norm, const RowValue& value) {
  const RadiusFactors& f = *in.factors;
  const double delta = in.delta;
  Lanes q2 = splat(0), size = splat(0);
  for (Size c = 0; c < d; ++c) q2 = multiply_add(q[c], q[c], q2);
  for (Size s = 0; s < T; ++s) size += lanes::magnitude(gam[s]);
  const Lanes beta = multiply_add(splat(2 * delta * f.logit), lanes::square_root(q2),
                                  2 * delta * f.query * rho_t * w_norm) +
                     underflow;
  const Lanes alpha = multiply_add(splat(f.weight), beta, splat(f.weight_rest));
  const Lanes nu = multiply_add(splat(f.value * delta), u_norm, splat(underflow));
  const Lanes mean = lanes::magnitude(value.mean);
  const Lanes of_mean = multiply_add(1.02 * alpha, size + mean, nu);
  const Lanes terms = multiply_add(splat(in.rho), u_norm, lanes::magnitude(value.reference) + mean);
  const Lanes of_gam = multiply_add(1.25 * alpha, size, nu + of_mean);
  return {beta,
          alpha,
          of_gam + underflow,
          size + underflow,
          in.delta_max * multiply_add(splat(f.sum_tokens), size, of_gam) + underflow,
          multiply_add(splat(f.row), terms, of_mean + nu),
          in.delta_max * size + underflow};
}

template <bool Enclosed, class Shape>
double forward(const Shape shape, const KernelProblem& p, const KernelSample& in,
               const KernelScratch& scratch, const KernelRadii* radii) {
  const Size T = shape.T, d = shape.d;
  Lanes* const Q = as_lanes(scratch.rows);
  Lanes* const Z = as_lanes(scratch.pairs);
  Lanes* const V = Z + row_block * T;
  Lanes phi = splat(0), phi_size = splat(0), phi_radius = splat(0), beta_max = splat(0);
  for (Size g = 0; g < p.groups; ++g) {
    if constexpr (Enclosed) {
      for (Size b = 0; b < d; ++b) {
        as_lanes(radii->W_radius)[g * d + b] = splat(0);
        as_lanes(radii->W_size)[g * d + b] = splat(0);
      }
    }
    const Lanes* const U = as_lanes(p.U) + g * p.T * d;
    const Lanes* const W = as_lanes(p.W) + g * d * d;
    Lanes* const O = as_lanes(in.O) + g * T * d;
    Lanes* const CU = as_lanes(in.CU) + g * T * d;
    [[maybe_unused]] RowValue values[row_block];
    for (Size first = 0; first < T; first += row_block) {
      const Size rows = shape.rows_from(first);
      // q_t = W^T x_t, lanes over c
      product(d, rows, d, W, 1, d, in.x + first * d, d, 1,
              [&](Size c, Size t, Lanes q) { Q[t * d + c] = q; });
      product_pair(rows, T - 1, d, Q, U + first * d, d, 1, in.dx + d, d, 1,
                   [&](Size t, Size s, Lanes z, Lanes v) {
                     Z[t * T + s + 1] = z;
                     V[t * T + s + 1] = v;
                   });
      for (Size t = 0; t < rows; ++t) {
        const Lanes* const u = U + (first + t) * d;
        const RowValue row = attend(T, Z + t * T, V + t * T);
        Lanes value = row.reference + row.mean;
        for (Size c = 0; c < d; ++c) value = multiply_add(u[c], splat(in.x[c]), value);
        phi += value;
        if constexpr (Enclosed) {
          values[t] = row;
          phi_size += lanes::magnitude(value);
        }
      }
      if (in.A != nullptr) {
        Lanes* const A = as_lanes(in.A) + (g * T + first) * T;
        Lanes* const F = as_lanes(in.F) + (g * T + first) * T;
        for (Size t = 0; t < rows; ++t)
          for (Size k = t * T; k < (t + 1) * T; ++k) {
            A[k] = Z[k];
            F[k] = V[k];
          }
      }
      for (Size t = 0; t < rows; ++t)
        for (Size k = t * T; k < (t + 1) * T; ++k) V[k] *= Z[k];
      if constexpr (Enclosed) {
        for (Size t = 0; t < rows; ++t) {
          const Size at = first + t;
          const double rho_t = radii->x_norms[at];
          const RowRadii r = row_radii(*radii, rho_t, d, T, Q + t * d, V + t * T,
                                       as_lanes(radii->u_norms)[g * p.T + at],
                                       as_lanes(radii->w_norms)[g], values[t]);
          as_lanes(radii->alpha)[g * p.T + at] = r.alpha;
          as_lanes(radii->gam_error)[g * p.T + at] = r.gam;
          as_lanes(radii->gam_size)[g * p.T + at] = r.gam_size;
          beta_max = lanes::larger(r.beta, beta_max);
          phi_radius += r.phi;
          for (Size b = 0; b < d; ++b) {
            const Lanes x = splat(__builtin_fabs(in.x[at * d + b]) + radii->x_floor);
            Lanes& error = as_lanes(radii->W_radius)[g * d + b];
            Lanes& size = as_lanes(radii->W_size)[g * d + b];
            error = multiply_add(x, r.moment, error);
            size = multiply_add(x, r.size, size);
          }
        }
      }
      product_pair(rows, d, T - 1, Z + 1, V + 1, T, 1, in.dx + d, 1, d,
                   [&](Size t, Size c, Lanes o, Lanes cu) {
                     O[(first + t) * d + c] = o + in.x[c];
                     CU[(first + t) * d + c] = cu;
                   });
    }
  }
  if constexpr (Enclosed) {
    *as_lanes(radii->beta_max) = beta_max;
    *radii->phi_radius =
        lanes::sum_of(multiply_add(splat(radii->factors->sum_rows), phi_size, phi_radius));
  }
  return lanes::sum_of(phi);
}

/// Adds sum_t x_t row_t^T with the tokens x.
template <class Shape>
void accumulate(const Shape shape, const Lanes* rows, const double* x, Lanes* W) {
  const Size T = shape.T, d = shape.d;
  product(d, d, T, rows, 1, d, x, 1, d, [&](Size c, Size b, Lanes w) { W[b * d + c] += w; });
}

template <class Shape>
void add_gradient(const Shape shape, const KernelProblem& p, const KernelSample& in, double c,
                  const KernelScratch& scratch, const KernelSums& sums) {
  const Size T = shape.T, d = shape.d;
  for (Size k = 0; k < T * d; ++k) scratch.x[k] = c * in.x[k];
  for (Size g = 0; g < p.groups; ++g) {
    const Lanes* const O = as_lanes(in.O) + g * T * d;
    Lanes* const U = as_lanes(sums.U) + g * p.T * d;
    for (Size k = 0; k < T * d; ++k) U[k] = multiply_add(splat(c), O[k], U[k]);
    accumulate(shape, as_lanes(in.CU) + g * T * d, scratch.x, as_lanes(sums.W) + g * d * d);
  }
}

/// One row of the derivatives in the direction with logits z and values v over s = 1 .. T - 1, those
/// of s = 0 being 0. They are overwritten by z_s and v_s with a_s' = a_s z_s, (a_s f_s)' = a_s v_s.
/// Returns the derivative of sum_s a_s v_s at fixed u plus the mean of the values of the direction:
/// sum_s a_s (v_s + f_s z_s).
inline Lanes differentiate(Size T, const Lanes* a, const Lanes* f, Lanes* z, Lanes* v) {
  Lanes top = a[0], z_top = splat(0), v_top = splat(0);
  for (Size s = 1; s < T; ++s) {
    const auto larger = a[s] > top;
    top = select(larger, a[s], top);
    z_top = select(larger, z[s], z_top);
    v_top = select(larger, v[s], v_top);
  }
  Lanes mean = -a[0] * z_top;
  for (Size s = 1; s < T; ++s) {
    z[s] -= z_top;
    mean = multiply_add(a[s], z[s], mean);
  }
  Lanes drift = -a[0] * multiply_add(z_top + mean, f[0], v_top);
  for (Size s = 1; s < T; ++s) {
    z[s] -= mean;
    v[s] = multiply_add(z[s], f[s], v[s] - v_top);
    drift = multiply_add(a[s], v[s], drift);
  }
  for (Size s = 1; s < T; ++s) v[s] -= drift;
  return v_top + drift;
}

template <class Shape>
double direction(const Shape shape, const KernelProblem& p, const KernelSample& in,
                 const KernelScratch& scratch) {
  const Size T = shape.T, d = shape.d;
  Lanes* const Q = as_lanes(scratch.rows);
  Lanes along = splat(0);
  for (Size g = 0; g < p.groups; ++g) {
    const Lanes* const U = as_lanes(p.U) + g * p.T * d;
    const Lanes* const W = as_lanes(p.W) + g * d * d;
    for (Size first = 0; first < T; first += row_block) {
      const Size rows = shape.rows_from(first);
      Lanes* const Z = as_lanes(scratch.products) + (2 * g * T + first) * T;
      Lanes* const V = Z + T * T;
      product(d, rows, d, W, 1, d, in.x + first * d, d, 1,
              [&](Size c, Size t, Lanes q) { Q[t * d + c] = q; });
      product_pair(rows, T - 1, d, Q, U + first * d, d, 1, in.dx + d, d, 1,
                   [&](Size t, Size s, Lanes z, Lanes v) {
                     Z[t * T + s + 1] = z;
                     V[t * T + s + 1] = v;
                   });
      const Lanes* const A = as_lanes(in.A) + (g * T + first) * T;
      const Lanes* const F = as_lanes(in.F) + (g * T + first) * T;
      for (Size t = 0; t < rows; ++t) {
        const Lanes* const u = U + (first + t) * d;
        Lanes of_row = differentiate(T, A + t * T, F + t * T, Z + t * T, V + t * T);
        for (Size c = 0; c < d; ++c) of_row = multiply_add(u[c], splat(in.x[c]), of_row);
        along += of_row;
      }
    }
  }
  return lanes::sum_of(along);
}

template <class Shape>
void moments(const Shape shape, const KernelSample& in, Size g, double* centred, double* C_out,
             double* K_out) {
  const Size T = shape.T, d = shape.d, pairs = d * (d + 1) / 2;
  constexpr Size block = 4;
  Lanes* const xc = as_lanes(centred);
  Lanes* const second = xc + T * d;  // a_s xc_sc for one c
  Lanes* const third = second + T;   // a_s f_s xc_sc
  for (Size t = 0; t < T; ++t) {
    const Lanes* const a = as_lanes(in.A) + (g * T + t) * T;
    const Lanes* const f = as_lanes(in.F) + (g * T + t) * T;
    Lanes* C = as_lanes(C_out) + t * pairs;
    Lanes* K = as_lanes(K_out) + t * pairs;
    for (Size c = 0; c < d; ++c) {
      Lanes mean = splat(0);
      for (Size s = 0; s < T; ++s) mean = multiply_add(a[s], splat(in.dx[s * d + c]), mean);
      for (Size s = 0; s < T; ++s) xc[s * d + c] = in.dx[s * d + c] - mean;
    }
    for (Size c = 0; c < d; ++c) {
      for (Size s = 0; s < T; ++s) {
        second[s] = a[s] * xc[s * d + c];
        third[s] = (a[s] * f[s]) * xc[s * d + c];
      }
      for (Size e = 0; e <= c; e += block) {
        const Size count = c + 1 - e < block ? c + 1 - e : block;
        Lanes sum2[block] = {}, sum3[block] = {};
        for (Size s = 0; s < T; ++s)
          for (Size j = 0; j < block; ++j) {
            const Lanes x = xc[s * d + (j < count ? e + j : c)];
            sum2[j] = multiply_add(second[s], x, sum2[j]);
            sum3[j] = multiply_add(third[s], x, sum3[j]);
          }
        for (Size j = 0; j < count; ++j) {
          *C++ = sum2[j];
          *K++ = sum3[j];
        }
      }
    }
  }
}

template <class Shape>
void add_product(const Shape shape, const KernelProblem& p, const KernelSample& in, double first,
                 double ratio, const KernelScratch& scratch, const KernelSums& sums) {
  const Size T = shape.T, d = shape.d;
  double* const x_0 = scratch.x + T * d;
  for (Size k = 0; k < T * d; ++k) scratch.x[k] = first * in.x[k];
  for (Size c = 0; c < d; ++c) x_0[c] = ratio * in.x[c];
  Lanes* const of_W = as_lanes(scratch.out);
  for (Size g = 0; g < p.groups; ++g) {
    Lanes* const U = as_lanes(sums.U) + g * p.T * d;
    for (Size begin = 0; begin < T; begin += row_block) {
      const Size rows = shape.rows_from(begin);
      Lanes* const Z = as_lanes(scratch.products) + (2 * g * T + begin) * T;
      Lanes* const V = Z + T * T;
      const Lanes* const A = as_lanes(in.A) + (g * T + begin) * T;
      const Lanes* const F = as_lanes(in.F) + (g * T + begin) * T;
      for (Size t = 0; t < rows; ++t)
        for (Size k = t * T + 1; k < (t + 1) * T; ++k) {
          Z[k] = A[k] * (Z[k] + ratio);
          V[k] = A[k] * multiply_add(splat(ratio), F[k], V[k]);
        }
      product_pair(rows, d, T - 1, Z + 1, V + 1, T, 1, in.dx + d, 1, d,
                   [&](Size t, Size c, Lanes o, Lanes cu) {
                     Lanes& u = U[(begin + t) * d + c];
                     u = multiply_add(splat(first), o + x_0[c], u);
                     of_W[(begin + t) * d + c] = cu;
                   });
    }
    accumulate(shape, of_W, scratch.x, as_lanes(sums.W) + g * d * d);
  }
}

/// Calls f with the shape of the sample: one of the small shapes of theory experiments, or any.
template <class F>
auto with_shape(const KernelProblem& p, const KernelSample& in, F f) {
  if (in.T == 4 && p.d == 4) return f(FixedShape<4, 4>{});
  if (in.T == 8 && p.d == 8) return f(FixedShape<8, 8>{});
  return f(AnyShape{in.T, p.d});
}

inline constexpr MhaKernels kernels{
#define HEED_TEXT(x) HEED_TEXT_OF(x)
#define HEED_TEXT_OF(x) #x
    HEED_TEXT(HEED_ISA),
#undef HEED_TEXT
#undef HEED_TEXT_OF
    lanes::width,
    [](const KernelProblem& p, const KernelSample& in, const KernelScratch& s) {
      return with_shape(p, in,
                        [&](auto shape) { return forward<false>(shape, p, in, s, nullptr); });
    },
    [](const KernelProblem& p, const KernelSample& in, const KernelScratch& s,
       const KernelRadii& r) {
      return with_shape(p, in, [&](auto shape) { return forward<true>(shape, p, in, s, &r); });
    },
    [](double x) { return lanes::exp_nonpositive(splat(x))[0]; },
    [](const KernelProblem& p, const KernelSample& in, double c, const KernelScratch& s,
       const KernelSums& sums) {
      with_shape(p, in, [&](auto shape) { add_gradient(shape, p, in, c, s, sums); });
    },
    [](const KernelProblem& p, const KernelSample& in, const KernelScratch& s) {
      return with_shape(p, in, [&](auto shape) { return direction(shape, p, in, s); });
    },
    [](const KernelProblem& p, const KernelSample& in, Size g, double* centred, double* C,
       double* K) { with_shape(p, in, [&](auto shape) { moments(shape, in, g, centred, C, K); }); },
    [](const KernelProblem& p, const KernelSample& in, double first, double ratio,
       const KernelScratch& s, const KernelSums& sums) {
      with_shape(p, in, [&](auto shape) { add_product(shape, p, in, first, ratio, s, sums); });
    }};

}  // namespace HEED_ISA
}  // namespace heed::approx::detail
