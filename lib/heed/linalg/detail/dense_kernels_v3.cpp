// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/dense_kernels.hpp"

// Compiled with -march=x86-64-v3 where the compiler knows it (lib/CMakeLists.txt); empty elsewhere.
#if defined(__AVX2__) && defined(__FMA__)

// Eigen's functions are inline: the linker keeps one copy of each name, whichever file it came from.
// A copy with AVX2 instructions under the usual name could be called on a processor without them, so
// this file's Eigen gets a name of its own, and nothing here runs before the processor was asked.
// tests/CMakeLists.txt checks the object file for other shared names.
#define Eigen HeedEigenV3
#define HEED_ISA "x86-64-v3"
#include "heed/linalg/detail/dense_kernels.ipp"
#undef Eigen

namespace heed::detail {
constexpr const DenseKernels* const compiled_dense_kernels_v3 = &table;
}  // namespace heed::detail

#else

namespace heed::detail {
constexpr const DenseKernels* const compiled_dense_kernels_v3 = nullptr;
}  // namespace heed::detail

#endif
