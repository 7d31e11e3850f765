// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/verdict.hpp"

namespace heed {

/// A constant of a certificate.
struct NamedConstant {
  std::string name;
  Ball value;
};

/// A theorem that excludes bad stationary points, or by which gradient descent reaches f = 0, with its
/// hypotheses verified on an instance.
struct PositiveCertificate {
  std::string claim;    ///< `landscape.overshoot`
  std::string theorem;  ///< whose hypotheses they are: `kernel.gauss_q_only.overshoot`
  VerdictKind kind = VerdictKind::not_applicable;  ///< proved or not_applicable
  std::string reason;  ///< the hypothesis that was not proved; empty if proved
  std::vector<NamedConstant> constants;

  /// Precondition: there is one of this name.
  const Ball& constant(const std::string& name) const;
};

}  // namespace heed
