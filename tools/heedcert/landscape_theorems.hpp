// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/landscape/decouple.hpp"
#include "heed/landscape/point.hpp"
#include "heed/landscape/positive_certificate.hpp"

namespace heedcert {

/// The landscapes of all tokens, where f splits over them.
struct SeparateTokens {
  heed::Decoupling decoupling;
  std::vector<heed::Landscape1d> tokens;
  heed::LandscapeOfSum sum;
};
SeparateTokens separate_tokens(const heed::LandscapeProblem& problem);

/// The positive certificates for the trained blocks, proved or not applicable.
std::vector<heed::PositiveCertificate> positive_certificates(const heed::LandscapeProblem& problem);

}  // namespace heedcert
