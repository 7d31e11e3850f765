// SPDX-License-Identifier: Apache-2.0
#include "heed/data/sample_rows.hpp"

#include "heed/data/input_error.hpp"

namespace heed {

RowsInstance sample_rows(const MhaInstance& instance) {
  const std::size_t tokens = instance.max_tokens();
  RowsInstance rows;
  rows.name = instance.name;
  rows.origin = instance.origin;
  rows.notes = instance.notes;
  rows.F = Matrix<Rational>(instance.samples(), tokens * instance.dim());
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const Matrix<Rational>& x = instance.X[i];
    if (x.rows() != tokens)
      throw InputError("X[" + std::to_string(i) + "]: expected " + std::to_string(tokens) +
                       " tokens, as the longest sample has, found " + std::to_string(x.rows()) +
                       "; plain vectors need samples of one length");
    for (std::size_t k = 0; k < x.size(); ++k)
      rows.F(i, k) = instance.y[i] > 0 ? x.data()[k] : -x.data()[k];
  }
  return rows;
}

}  // namespace heed
