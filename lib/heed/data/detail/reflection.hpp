// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "heed/data/detail/random.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/rational.hpp"

namespace heed::detail {

/// x -> x - 2 (v.x / v.v) v for one integer vector v: orthogonal with rational entries.
class Reflection {
 public:
  Reflection(std::size_t dim, Random& random) : v_(dim) {
    while (square_ == 0) {
      for (long& x : v_) {
        x = static_cast<long>(random.below(5)) - 2;
        square_ += x * x;
      }
    }
  }

  void apply(Matrix<Rational>& tokens) const {
    for (std::size_t t = 0; t < tokens.rows(); ++t) {
      Rational dot;
      for (std::size_t k = 0; k < v_.size(); ++k) dot += Rational(v_[k]) * tokens(t, k);
      dot *= Rational(2L, square_);
      for (std::size_t k = 0; k < v_.size(); ++k) tokens(t, k) -= dot * Rational(v_[k]);
    }
  }

 private:
  std::vector<long> v_;
  long square_ = 0;
};

}  // namespace heed::detail
