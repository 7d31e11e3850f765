// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checks/support/source.hpp"
#include "heed/data/instance.hpp"

namespace heed::checks {

/// An instance and the words that say how it was made: `tokens:near`, `weights:zero_U`, ...
struct Drawn {
  MhaInstance instance;
  std::vector<std::string> tags;
};

/// Upper limits of n, T, d and H. Most instances stay far below.
struct SizeLimit {
  int samples = 5, tokens = 6, dim = 4, heads = 4;
};

/// An instance of the multi-head model with weights, exact numbers of all kinds, and the structures
/// at which formulas break: ties, duplicates, saturation, rank deficiency, extreme norms, attained
/// bounds. See the tags.
Drawn draw_instance(Source& source, const SizeLimit& limit);

/// n = T = d = H = 1, X = 1, U = t: the margin is +-t. For checks about functions of one number.
Drawn draw_margin(Source& source, const SizeLimit& limit);

/// W_1 = a symmetric matrix of order 2 .. 6 (lower triangle), everything else 0. For checks about
/// eigenvalues.
Drawn draw_symmetric_matrix(Source& source, const SizeLimit& limit);

}  // namespace heed::checks
