// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/linalg/approx_eigen.hpp"

namespace heed::approx {

struct LanczosOptions {
  double tolerance = 1e-12;  ///< stop when the residual is below tolerance times the norm of A
  int max_products = 1500;
  std::size_t basis = 100;  ///< vectors kept before a restart; memory basis * size doubles
};

/// Least or largest eigenvalue of a symmetric operator: Lanczos with full, twice repeated
/// orthogonalisation and thick restarts, on the operator scaled to norm about 1.
///
/// The residual is measured against ||A||, never against the eigenvalue or an absolute number, and an
/// exhausted Krylov space is continued with a new direction: exactly singular operators, tiny norms,
/// clusters at 0 and spectra symmetric about 0 give the right value.
/// `residual` is evaluated from the vector at the end. Not guaranteed: that the value is the extreme
/// one (no product with A can show that); it is a candidate, whatever `converged` says.
/// An operator that returns infinities or NaN gives some vector, an unusable value and not converged.
/// Cost: products, and 8 size basis multiplications a step at most.
LanczosResult thick_restart_lanczos(const LinearOperator& a, Extreme end,
                                    const LanczosOptions& options = {});

}  // namespace heed::approx
