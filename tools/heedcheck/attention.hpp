// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "form.hpp"
#include "jet.hpp"

namespace heedcheck {

// In the order of the words in landscape_instance.cpp.
enum class Kernel { softmax, gaussian, gaussian_over_n, gaussian_normalised };

inline bool sums_to_one(Kernel kernel) {
  return kernel == Kernel::softmax || kernel == Kernel::gaussian_normalised;
}

using Jets = std::vector<Jet<Interval>>;
using FormJets = std::vector<Jet<Form>>;
using RationalJets = std::vector<Jet<mpq_class>>;

// The row S_a1 .. S_an of the attention for one query q (d numbers) and all keys (n times d), with
// its derivatives. In rationals the caller knows that every score of the row is equal to the others
// (rows that sum to 1) or 0 (the others), so that S is 1/n or 1.
Jets attention_row(Kernel kernel, const Interval& beta, const Jets& q, const Jets& keys);
FormJets attention_row(Kernel kernel, const Form& beta, const FormJets& q, const FormJets& keys);
RationalJets attention_row(Kernel kernel, const mpq_class& beta, const RationalJets& q,
                           const RationalJets& keys);

}  // namespace heedcheck
