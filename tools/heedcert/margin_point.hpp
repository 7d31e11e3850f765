// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "margin_report.hpp"

namespace heedcert {

/// Adds how point number k of an instance lies to the margins: correlation, rho_F, rho_N, the tokens it
/// selects, whether these are locally optimal, for several selected tokens the generalised SVM
/// (with its matrices if `full`), and for a head v . o - lambda |o|^2 the sparsemax limit. Digits are those of the working precision.
void report_point(MarginReport& report, const heed::QueryInstance& instance, std::size_t k,
                  const SolvedMargin& solved, int digits, bool full);

/// `margin` on an instance of model mha: the NTK margin at its weights.
MarginReport ntk_report(const heed::MhaInstance& instance, const CommonOptions& common);

}  // namespace heedcert
