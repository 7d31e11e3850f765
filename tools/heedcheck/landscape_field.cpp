// SPDX-License-Identifier: Apache-2.0
#include "landscape_field.hpp"

#include "landscape_queries.hpp"

namespace heedcheck {
namespace {

IntervalMatrix intervals(const RationalMatrix& a) { return matrix_of(a.entries, a.rows, a.cols); }

// Whether X_i E is a multiple of X_i for every sample.
bool scales_samples(const Layer& layer, const RationalMatrix& E) {
  for (std::size_t i = 0; i < layer.N; ++i) {
    const RationalMatrix X = tokens_of(layer, i), XE = product(X, E);
    mpq_class e;
    for (std::size_t k = 0; k < X.entries.size(); ++k) {
      if (X.entries[k] != 0) e = XE.entries[k] / X.entries[k];
    }
    for (std::size_t k = 0; k < X.entries.size(); ++k) {
      if (XE.entries[k] != e * X.entries[k]) return false;
    }
  }
  return true;
}

// All tokens, or their differences to the first one of their sample.
RationalMatrix tokens(const Layer& layer, bool differences) {
  RationalMatrix all(0, layer.D);
  for (std::size_t i = 0; i < layer.N; ++i) {
    const RationalMatrix X = differences ? centred(tokens_of(layer, i)) : tokens_of(layer, i);
    all.entries.insert(all.entries.end(), X.entries.begin(), X.entries.end());
    all.rows += X.rows;
  }
  return all;
}

class Field {
 public:
  Field(const PointBox& box, const Layer& layer)
      : layer_(layer), theta_(enclose(box)), t_(theta_.size()) {}

  // (E W_Q B, -E W_K B^T), or (E W_Q B, E W_K B) for a skew B and distances.
  std::vector<Interval> turn(std::size_t h, const Rationals& numbers, const Rationals& E) {
    require_proof(layer_.trained[W_Q] && layer_.trained[W_K],
                  "gauge: a turn needs W_Q and W_K trained");
    const IntervalMatrix B = matrix_of(numbers, layer_.d, layer_.d);
    IntervalMatrix Q = product(weights(W_Q, h), B), K = weights(W_K, h);
    if (layer_.kernel == Kernel::softmax) {
      K = product(K, transposed(B));
      for (Interval& x : K.entries) x = -x;
    } else {
      require_skew(numbers);
      K = product(K, B);
    }
    if (!E.empty()) {
      RationalMatrix e(layer_.D, layer_.D);
      e.entries = E;
      require_proof(scales_samples(layer_, e), "gauge: E of a turn does not scale every sample");
      Q = product(intervals(e), Q);
      K = product(intervals(e), K);
    }
    place(W_Q, h, Q);
    place(W_K, h, K);
    return t_;
  }

  // (W_V B, -B W_O).
  std::vector<Interval> mix(std::size_t h, const Rationals& numbers) {
    require_proof(layer_.trained[W_V] && layer_.trained[W_O],
                  "gauge: a mix needs W_V and W_O trained");
    const IntervalMatrix B = matrix_of(numbers, layer_.d_v, layer_.d_v);
    IntervalMatrix O = product(B, weights(W_O, h));
    for (Interval& x : O.entries) x = -x;
    place(W_V, h, product(weights(W_V, h), B));
    place(W_O, h, O);
    return t_;
  }

  // u c^T, in W_O c u^T, with M c = 0.
  std::vector<Interval> unseen(const Direction& g) {
    const bool softmax = layer_.kernel == Kernel::softmax;
    require_proof(layer_.trained[g.block],
                  "gauge: the block of an unseen direction is not trained");
    require_proof(g.block == W_V || g.block == W_O || softmax ||
                      (g.block == W_Q && sums_to_one(layer_.kernel)),
                  "gauge: unseen directions of this block are not flat for this kernel");
    const IntervalMatrix M = seen_by(g.block, g.head);
    require_proof(g.pivots.size() == M.rows,
                  "gauge: an unseen direction needs " + std::to_string(M.rows) + " pivots");
    IntervalMatrix square(M.rows, M.rows), right(M.rows, 1);
    for (std::size_t r = 0; r < M.rows; ++r) {
      for (std::size_t k = 0; k < M.rows; ++k) square.at(r, k) = M.at(r, g.pivots[k]);
      right.at(r, 0) = -M.at(r, g.free);
    }
    const auto solution = solve(square, right);
    require_proof(solution.has_value(),
                  "gauge: the pivots are not proved independent over the box");
    IntervalMatrix c(M.cols, 1);
    c.at(g.free, 0) = Interval(mpq_class(1));
    for (std::size_t k = 0; k < M.rows; ++k) c.at(g.pivots[k], 0) = solution->at(k, 0);
    const IntervalMatrix u = matrix_of(g.numbers, g.numbers.size(), 1);
    place(g.block, g.head, g.block == W_O ? product(c, transposed(u)) : product(u, transposed(c)));
    return t_;
  }

 private:
  IntervalMatrix weights(Block block, std::size_t h) const {
    IntervalMatrix w(layer_.rows(block), layer_.cols(block));
    for (std::size_t r = 0; r < w.rows; ++r) {
      for (std::size_t c = 0; c < w.cols; ++c) {
        w.at(r, c) = layer_.trained[block] ? theta_[layer_.coordinate(block, h, r, c)]
                                           : Interval(layer_.weight(block, h, r, c));
      }
    }
    return w;
  }

  void place(Block block, std::size_t h, const IntervalMatrix& part) {
    for (std::size_t r = 0; r < part.rows; ++r) {
      for (std::size_t c = 0; c < part.cols; ++c) {
        t_[layer_.coordinate(block, h, r, c)] = part.at(r, c);
      }
    }
  }

  void require_skew(const Rationals& B) const {
    for (std::size_t r = 0; r < layer_.d; ++r) {
      for (std::size_t s = 0; s < layer_.d; ++s) {
        require_proof(B[r * layer_.d + s] == -B[s * layer_.d + r],
                      "gauge: the matrix of a turn is not skew");
      }
    }
  }

  // The matrix M: what f sees of the vectors c in this block.
  IntervalMatrix seen_by(Block block, std::size_t h) const {
    if (block == W_V) return transposed(weights(W_O, h));
    const Block partner = block == W_Q ? W_K : block == W_K ? W_Q : W_V;
    return product(intervals(row_basis(tokens(layer_, block == W_Q))), weights(partner, h));
  }

  const Layer& layer_;
  std::vector<Interval> theta_, t_;
};

}  // namespace

std::vector<Interval> direction_over(const PointBox& box, const Layer& layer,
                                     const Direction& direction) {
  Field field(box, layer);
  switch (direction.kind) {
    case Direction::Kind::turn:
      return field.turn(direction.head, direction.numbers, direction.E);
    case Direction::Kind::mix:
      return field.mix(direction.head, direction.numbers);
    case Direction::Kind::unseen:
      return field.unseen(direction);
    case Direction::Kind::shift:
      break;
  }
  return {direction.numbers.begin(), direction.numbers.end()};
}

}  // namespace heedcheck
