// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/complete_1d.hpp"
#include "heed/landscape/point.hpp"
#include "heed/landscape/positive_certificate.hpp"
#include "heed/landscape/zero_loss.hpp"

namespace heed {

/// A certificate of kind `landscape` with the claim `complete_1d`: the critical points of every token
/// function, in intervals, and `benign` or `bad_minimum` where one of them is proved. heedcheck proves
/// that no point is missing, that each interval holds one, and derives their kinds.
/// Precondition: the tokens are those of decouple(problem.instance, problem.kernel), in its order.
/// Errors: std::invalid_argument unless the loss splits over the tokens and every landscape is complete
/// or constant with simple zeros.
std::string complete_certificate(const LandscapeProblem& problem,
                                 const std::vector<Landscape1d>& tokens,
                                 const std::string& info = "");

/// A certificate with the claim `lojasiewicz`, `pl`, `overshoot` or `init` (descent from the
/// centre with steps up to eta; the weights of the instance if none is given, and `certificate` is
/// about it). Constants are rounded to the safe side.
/// Errors: std::invalid_argument unless the certificate is proved, or if rounding spoils a hypothesis of
/// `init`.
std::string positive_certificate(const LandscapeProblem& problem,
                                 const PositiveCertificate& certificate,
                                 const std::string& info = "",
                                 const std::optional<std::vector<Rational>>& centre = {});

/// A certificate with the claim `zero_loss`: a point with f = 0 near the centre.
/// Errors: std::invalid_argument unless it is proved, or if rounding spoils a hypothesis.
std::string zero_loss_certificate(const LandscapeProblem& problem,
                                  const std::vector<Rational>& centre, const ZeroLossResult& result,
                                  const std::string& info = "");

}  // namespace heed
