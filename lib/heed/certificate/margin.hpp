// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/query_instance.hpp"
#include "heed/margin/generalised_svm.hpp"
#include "heed/margin/margin_certificate.hpp"
#include "heed/margin/margin_problem.hpp"

namespace heed {

/// The word `problem` of a certificate: min ||W||_F^2 or min ||W||_*.
enum class MarginNorm { frobenius, nuclear };

/// The hash that names an instance in certificates: SHA-256 over its data, its selection and the side
/// claims that hold for it (`scores`: the selected tokens are exactly the best ones; `self`), in the
/// canonical text of proofs-notes/certificates.md, section 4.
std::string certificate_sha256(const QueryInstance& instance);
std::string certificate_sha256(const RowsInstance& instance);

/// A certificate of kind `margin`: lo <= optimum <= hi, with the proof that the bracket carries.
///
/// The text is JSON in the format `heed-certificate-1`. Side claims are made where they hold. `info`
/// is free text for the reader (program, settings). Precondition: the bracket belongs to
/// margin_problem(instance) and to the norm; what is wrong in it is written as it is, and heedcheck
/// refuses it. Rows have no nuclear problem: std::invalid_argument.
/// Cost: linear in the data and in the digits of the bracket.
std::string margin_certificate(const QueryInstance& instance, MarginNorm norm,
                               const MarginBracket& bracket, const std::string& info);
std::string margin_certificate(const RowsInstance& instance, const MarginBracket& bracket,
                               const std::string& info);

/// The hash of an instance together with right sides of its equalities (problem `fro-eq`).
std::string certificate_sha256(const QueryInstance& instance, const std::vector<Rational>& gaps);

/// A certificate of kind `margin` for the problem `fro-eq`: the least ||W||_F^2 among the matrices with
/// the logit gaps `least.gaps` inside the selected sets, exactly (lo = hi). No inequality takes part.
/// Precondition: `least` is least_with_gaps_of(margin_problem(instance), W) for some W, and some input
/// has several selected tokens. Cost: linear in the data and in the digits of `least`.
std::string equalities_certificate(const QueryInstance& instance, const LeastMatrix& least,
                                   const std::string& info);

/// A certificate of kind `infeasible`; it holds for both norms.
std::string infeasible_certificate(const QueryInstance& instance, MarginNorm norm,
                                   const Infeasibility& proof, const std::string& info);
std::string infeasible_certificate(const RowsInstance& instance, const Infeasibility& proof,
                                   const std::string& info);

}  // namespace heed
