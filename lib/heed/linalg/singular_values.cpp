// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/singular_values.hpp"

#include "heed/linalg/detail/singular_triples.hpp"

namespace heed {

std::vector<Ball> singular_values(const Matrix<Ball>& a) {
  return detail::enclose_singular_values(a, detail::approx_singular_triples(a));
}

}  // namespace heed
