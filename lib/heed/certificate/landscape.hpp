// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/analyse.hpp"
#include "heed/landscape/trap.hpp"
#include "heed/landscape/trap_ball.hpp"

namespace heed {

/// The hash that names an instance in certificates of kind `landscape`: SHA-256 over its numbers, in
/// the canonical text of proofs-notes/certificates.md, section 7.3. Kernel and trained blocks are not
/// part of it.
std::string certificate_sha256(const KernelInstance& instance);

/// What a certificate says of a point.
enum class PointClaim { stationary, minimum, not_minimum, saddle, index };

/// The strongest claim that the report proves; nothing if it proves none.
std::optional<PointClaim> strongest_claim(const PointReport& report);

/// A certificate of kind `landscape` about the point of a report, in the format `heed-certificate-1`:
/// the box with its preconditioner, or the centre where it is stationary in rational numbers
/// (stationary_exact); what the claim needs; and the witness if non_global is proved.
///
/// The file holds no bound: heedcheck derives its own. It need not succeed where the report did, in
/// particular near the limits of the precision.
/// Precondition: the report belongs to the problem. `claim`: the strongest one if not given.
/// Errors: std::invalid_argument if the report does not prove the claim, or if it rests on flat
/// directions that the format cannot name (t3 and t4 for moving blocks, and matrices E of samples that
/// are independent of each other).
std::string landscape_certificate(const LandscapeProblem& problem, const PointReport& report,
                                  const std::string& info = "",
                                  std::optional<PointClaim> claim = {});

/// What a certificate of a trap says: descent from theta_0 stays in the box for every step up to eta.
struct TrapStatement {
  TrapRegion region;
  std::vector<Rational> theta_0;
  Rational eta;
  TrapResult result;
};

/// A certificate of a trap; with fails_forever if that is proved.
/// Errors: std::invalid_argument unless the trap is proved, eta is trapped, and the region has no frame
/// and is a box if it was proved by a cover.
std::string landscape_certificate(const LandscapeProblem& problem, const TrapStatement& trap,
                                  const TrapOptions& options, const std::string& info = "");

/// A certificate of a ball of starts, for every step up to eta. The start radius that it states is a
/// little smaller, as heedcheck derives its own bounds.
/// Errors: std::invalid_argument unless the trap is proved, eta is trapped, and B has full dimension.
std::string landscape_certificate(const LandscapeProblem& problem, const TrapBall& trap,
                                  const Rational& eta, const std::string& info = "");

}  // namespace heed
