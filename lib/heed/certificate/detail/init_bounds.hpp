// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/certificate/detail/writing.hpp"
#include "heed/landscape/point.hpp"
#include "heed/landscape/positive_certificate.hpp"
#include "heed/landscape/zero_loss.hpp"

namespace heed::detail {

/// x rounded to about 40 bits, above its upper or below its lower end by a relative 2^-38 or so.
/// Errors: std::invalid_argument unless the result is positive.
Rational rounded(const Ball& x, bool up);

/// The fields `init` and `eta` of a certificate of landscape.init, with its hypotheses proved for the
/// rounded numbers; `certificate` is about descent from the centre.
/// Errors: std::invalid_argument if rounding spoils one of them.
struct InitFields {
  nlohmann::ordered_json init;
  Rational eta;
};
InitFields init_fields(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                       const PositiveCertificate& certificate);

/// The field `init` of a certificate of landscape.zero_loss at the centre. Errors: likewise.
nlohmann::ordered_json zero_loss_field(const LandscapeProblem& problem,
                                       const std::vector<Rational>& centre,
                                       const ZeroLossResult& result);

}  // namespace heed::detail
