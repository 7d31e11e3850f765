// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/exact_kernel.hpp"

#include <utility>

namespace heed {

std::vector<Rational> common_level_direction(const MhaInstance& instance) {
  const std::size_t d = instance.dim();
  // Rows of a reduced echelon form, and the column of each leading 1.
  std::vector<std::vector<Rational>> rows;
  std::vector<std::size_t> lead;
  for (const Matrix<Rational>& x : instance.X)
    for (std::size_t s = 1; s < x.rows() && rows.size() < d; ++s) {
      std::vector<Rational> r(d);
      for (std::size_t c = 0; c < d; ++c) r[c] = x(s, c) - x(0, c);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const Rational f = r[lead[k]];
        if (f.sign() != 0)
          for (std::size_t c = 0; c < d; ++c) r[c] -= f * rows[k][c];
      }
      std::size_t p = 0;
      while (p < d && r[p].sign() == 0) ++p;
      if (p == d) continue;
      const Rational pivot = r[p];
      for (Rational& v : r) v /= pivot;
      for (std::vector<Rational>& other : rows) {
        const Rational f = other[p];
        if (f.sign() != 0)
          for (std::size_t c = 0; c < d; ++c) other[c] -= f * r[c];
      }
      rows.push_back(std::move(r));
      lead.push_back(p);
    }
  if (rows.size() == d) return {};
  std::vector<bool> is_lead(d, false);
  for (std::size_t p : lead) is_lead[p] = true;
  std::size_t free = 0;
  while (is_lead[free]) ++free;
  std::vector<Rational> e(d);
  e[free] = Rational(1);
  for (std::size_t k = 0; k < rows.size(); ++k) e[lead[k]] = -rows[k][free];
  return e;
}

}  // namespace heed
