// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_inputs.hpp"

#include <algorithm>
#include <map>

namespace heed {

std::vector<std::size_t> first_equal_samples(const std::vector<Matrix<Rational>>& X) {
  const auto before = [](const Matrix<Rational>* a, const Matrix<Rational>* b) {
    if (a->rows() != b->rows()) return a->rows() < b->rows();
    return std::lexicographical_compare(a->entries().begin(), a->entries().end(), b->entries().begin(),
                                        b->entries().end());
  };
  std::map<const Matrix<Rational>*, std::size_t, decltype(before)> seen(before);
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < X.size(); ++i) first.push_back(seen.try_emplace(&X[i], i).first->second);
  return first;
}

}  // namespace heed
