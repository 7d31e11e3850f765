// SPDX-License-Identifier: Apache-2.0
#pragma once

// For kernel sources only, each of which is compiled for one instruction set. Everything lives in an
// inline namespace named after that set, so that code of one set is never merged with that of another.

#include "heed/numeric/no_fast_math.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#define HEED_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define HEED_ISA avx2
#else
#define HEED_ISA baseline
#endif

namespace heed::lanes {
inline namespace HEED_ISA {

/// `width` doubles side by side: one lane for each of `width` heads. No wider than the hardware's
/// registers: the compiler would emulate them, several times slower.
#if defined(__AVX512F__)
inline constexpr int width = 8;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int width = 4;
#else
inline constexpr int width = 2;
#endif

using Lanes = double __attribute__((vector_size(8 * width)));
using Bits = decltype(Lanes{} < Lanes{});
using Words = unsigned long __attribute__((vector_size(8 * width)));

inline Lanes splat(double x) { return x - Lanes{}; }

/// a b + c, rounded once or twice.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

/// In every lane: mask ? a : b, for a mask from a comparison.
inline Lanes select(Bits mask, Lanes a, Lanes b) { return mask ? a : b; }

inline double sum_of(Lanes x) {
  double sum = 0;
  for (int k = 0; k < width; ++k) sum += x[k];
  return sum;
}

/// NaN where either is.
inline Lanes larger(Lanes a, Lanes b) { return select(a > b, a, select(b >= a, b, a + b)); }

inline Lanes square_root(Lanes x) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, x);  // g++ 12 warns of _mm512_sqrt_pd
#elif defined(__AVX2__) && defined(__FMA__)
  return _mm256_sqrt_pd(x);
#else
  for (int k = 0; k < width; ++k) x[k] = __builtin_sqrt(x[k]);
  return x;
#endif
}

inline Lanes magnitude(Lanes x) { return select(x < 0, -x, x); }

}  // namespace HEED_ISA
}  // namespace heed::lanes
