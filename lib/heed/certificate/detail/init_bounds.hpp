// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/certificate/detail/writing.hpp"
#include "heed/landscape/point.hpp"
#include "heed/landscape/positive_certificate.hpp"

namespace heed::detail {

/// x rounded to about 40 bits, above its upper or below its lower end by a relative 2^-38 or so.
/// Errors: std::invalid_argument unless the result is positive.
Rational rounded(const Ball& x, bool up);

/// The fields `init` and `eta` of a certificate of landscape.init, with its hypotheses proved for the
/// rounded numbers. Errors: std::invalid_argument if rounding spoils one of them.
struct InitFields {
  nlohmann::ordered_json init;
  Rational eta;
};
InitFields init_fields(const LandscapeProblem& problem, const PositiveCertificate& certificate);

}  // namespace heed::detail
