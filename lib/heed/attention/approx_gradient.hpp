// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/data/instance.hpp"

namespace heed::approx {

/// grad L at the instance's numbers rounded to double, length P, in the order of mha.hpp.
///
/// The formulas of PairwiseMha in double-double arithmetic: entries that are small because terms of
/// different samples or tokens cancel keep their digits, down to some 1e-16 of those terms. Tests
/// hold every entry above 1e-300 and above 1e-16 of the largest to a relative error of 1e-12; in
/// double alone some 0.05 % of the entries of hard random instances are worse.
/// NOT guaranteed: an error bound; the effect of rounding the inputs is not included. Entries are
/// not finite where intermediate numbers overflow.
/// Precondition: the instance has weights (std::invalid_argument).
/// Cost per sample and head: 8 T^2 d + 4 T d^2 flops in double-double; measured, some 60 times
/// the time of PairwiseMha.
std::vector<double> gradient(const MhaInstance& instance);

}  // namespace heed::approx
