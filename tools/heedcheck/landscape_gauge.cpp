// SPDX-License-Identifier: Apache-2.0
#include "landscape_gauge.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

using Numbers = Matrix<mpq_class>;

bool is_zero(const Numbers& a) {
  return std::all_of(a.entries.begin(), a.entries.end(), [](const auto& x) { return x == 0; });
}

// Rows minus the first one; zero iff all rows are equal.
Numbers centred(Numbers a) {
  for (std::size_t r = a.rows; r-- > 0;) {
    for (std::size_t c = 0; c < a.cols; ++c) a.at(r, c) -= a.at(0, c);
  }
  return a;
}

class Directions {
 public:
  Directions(const Layer& layer, const PointBox& box)
      : layer_(layer), box_(box), intervals_(enclose(box)) {}

  // A constant direction; returns whether it is flat at the box at all, and sets `nearby` to whether
  // it is so without the help of frozen entries.
  bool is_flat(const Rationals& t, bool& nearby) const {
    nearby = true;
    bool flat = true;
    for (std::size_t h = 0; h < layer_.H; ++h) {
      const bool known = parts_are_flat(t, h, true);
      flat = flat && known;
      nearby = nearby && parts_are_flat(t, h, false);
    }
    return flat;
  }

  // (W_Q B, -W_K B^T), or (W_Q B, W_K B) for a skew B and distances.
  std::vector<Interval> turn(std::size_t h, const Rationals& B) const {
    require_proof(layer_.trained[W_Q] && layer_.trained[W_K],
                  "gauge: a turn needs W_Q and W_K trained");
    const std::size_t d = layer_.d;
    const bool distances = layer_.kernel != Kernel::softmax;
    std::vector<Interval> t(box_.centre.size());
    for (std::size_t r = 0; r < d; ++r) {
      for (std::size_t s = 0; s < d; ++s) {
        const mpq_class &forth = B[r * d + s], &back = B[s * d + r];
        require_proof(!distances || forth == -back, "gauge: the matrix of a turn is not skew");
        for (std::size_t j = 0; j < layer_.D; ++j) {
          t[layer_.coordinate(W_Q, h, j, s)] += Interval(forth) * entry(W_Q, h, j, r);
          const Interval factor(distances ? forth : mpq_class(-back));
          t[layer_.coordinate(W_K, h, j, s)] += factor * entry(W_K, h, j, r);
        }
      }
    }
    return t;
  }

  // (W_V B, -B W_O).
  std::vector<Interval> mix(std::size_t h, const Rationals& B) const {
    require_proof(layer_.trained[W_V] && layer_.trained[W_O],
                  "gauge: a mix needs W_V and W_O trained");
    const std::size_t v = layer_.d_v;
    std::vector<Interval> t(box_.centre.size());
    for (std::size_t r = 0; r < v; ++r) {
      for (std::size_t s = 0; s < v; ++s) {
        const Interval b(B[r * v + s]);
        for (std::size_t j = 0; j < layer_.D; ++j) {
          t[layer_.coordinate(W_V, h, j, s)] += b * entry(W_V, h, j, r);
        }
        for (std::size_t c = 0; c < layer_.p; ++c) {
          t[layer_.coordinate(W_O, h, r, c)] -= b * entry(W_O, h, s, c);
        }
      }
    }
    return t;
  }

 private:
  const Interval& entry(Block block, std::size_t h, std::size_t row, std::size_t col) const {
    return intervals_[layer_.coordinate(block, h, row, col)];
  }

  // The part of a direction, or the weights at the centre.
  Numbers part(const Rationals& t, Block block, std::size_t h) const {
    Numbers w(layer_.rows(block), layer_.cols(block));
    for (std::size_t r = 0; r < w.rows; ++r) {
      for (std::size_t c = 0; c < w.cols; ++c) {
        if (layer_.trained[block]) w.at(r, c) = t[layer_.coordinate(block, h, r, c)];
      }
    }
    return w;
  }
  Numbers weights(Block block, std::size_t h) const {
    Numbers w(layer_.rows(block), layer_.cols(block));
    for (std::size_t r = 0; r < w.rows; ++r) {
      for (std::size_t c = 0; c < w.cols; ++c) {
        w.at(r, c) = layer_.trained[block] ? box_.centre[layer_.coordinate(block, h, r, c)]
                                           : layer_.weight(block, h, r, c);
      }
    }
    return w;
  }

  // Not trained, or all entries frozen and that counts.
  bool is_known(Block block, std::size_t h, bool frozen_counts) const {
    if (!layer_.trained[block]) return true;
    const std::size_t first = layer_.coordinate(block, h, 0, 0);
    const std::size_t size = layer_.rows(block) * layer_.cols(block);
    const auto count = std::count_if(box_.frozen.begin(), box_.frozen.end(),
                                     [&](std::size_t k) { return first <= k && k < first + size; });
    return frozen_counts && static_cast<std::size_t>(count) == size;
  }

  bool parts_are_flat(const Rationals& t, std::size_t h, bool frozen_counts) const {
    const Numbers Q = part(t, W_Q, h), K = part(t, W_K, h), V = part(t, W_V, h),
                  O = part(t, W_O, h);
    const bool softmax = layer_.kernel == Kernel::softmax;
    const bool Q_known = is_known(W_Q, h, frozen_counts), K_known = is_known(W_K, h, frozen_counts),
               V_known = is_known(W_V, h, frozen_counts), O_known = is_known(W_O, h, frozen_counts);
    bool moves_with_tokens = true,
         query_scores = is_zero(K) && K_known && sums_to_one(layer_.kernel),
         key_scores = is_zero(Q) && Q_known && softmax, values = true,
         outputs = is_zero(O) || V_known;
    for (std::size_t i = 0; i < layer_.N; ++i) {
      Numbers X(layer_.n, layer_.D);
      std::copy_n(layer_.X.begin() + static_cast<std::ptrdiff_t>(i * X.entries.size()),
                  X.entries.size(), X.entries.begin());
      const Numbers XQ = product(X, Q), XK = product(X, K), XV = product(X, V);
      // softmax: queries stay, keys move alike; distances: both move alike
      moves_with_tokens = moves_with_tokens && is_zero(centred(XK)) &&
                          (softmax ? is_zero(XQ) : XQ.entries == XK.entries);
      query_scores =
          query_scores && is_zero(product(XQ, transposed(centred(product(X, weights(W_K, h))))));
      key_scores =
          key_scores && is_zero(product(product(X, weights(W_Q, h)), transposed(centred(XK))));
      values = values && (is_zero(XV) || (O_known && is_zero(product(XV, weights(W_O, h)))));
      outputs = outputs && is_zero(product(product(X, weights(W_V, h)), O));
    }
    return (moves_with_tokens || query_scores || key_scores) && values && (is_zero(O) || outputs);
  }

  const Layer& layer_;
  const PointBox& box_;
  std::vector<Interval> intervals_;
};

}  // namespace

std::vector<Direction> read_gauge(const Value& gauge, const Layer& layer, const PointBox& box) {
  std::vector<Direction> directions;
  for (const Value& item : list_of(gauge, box.frozen.size(), "gauge")) {
    Direction direction;
    const std::string what = "an entry of gauge";
    require_form(item.kind == Value::Kind::object, what + " is not an object");
    if (item.find("shift") != nullptr) {
      require_fields(item, {"shift"}, {}, what);
      direction.numbers = rationals(array(item.at("shift"), box.centre.size(), "gauge.shift"));
    } else {
      const bool turn = item.find("turn") != nullptr;
      const std::string name = turn ? "turn" : "mix";
      require_fields(item, {name, "head"}, {}, what);
      direction.kind = turn ? Direction::Kind::turn : Direction::Kind::mix;
      direction.head = index_of(item.at("head"), layer.H, "gauge.head");
      const std::size_t order = turn ? layer.d : layer.d_v;
      direction.numbers = rationals(array(item.at(name), order * order, "gauge." + name));
    }
    directions.push_back(std::move(direction));
  }
  return directions;
}

Gauge prove_transversal(const std::vector<Direction>& gauge, const Layer& layer,
                        const PointBox& box) {
  const std::size_t count = box.frozen.size();
  const Directions directions(layer, box);
  IntervalMatrix reached(count, count);
  bool all_nearby = true;
  for (std::size_t r = 0; r < count; ++r) {
    const auto& [kind, head, numbers] = gauge[r];
    std::vector<Interval> t;
    if (kind == Direction::Kind::shift) {
      bool nearby = false;
      require_proof(directions.is_flat(numbers, nearby),
                    "gauge: f is not proved constant along shift " + std::to_string(r));
      all_nearby = all_nearby && nearby;
      t.assign(numbers.begin(), numbers.end());
    } else {
      t = kind == Direction::Kind::turn ? directions.turn(head, numbers)
                                        : directions.mix(head, numbers);
    }
    for (std::size_t c = 0; c < count; ++c) reached.at(r, c) = t[box.frozen[c]];
  }
  require_proof(is_nonsingular(std::move(reached)),
                "the frozen coordinates are not transversal to the flat directions");
  return all_nearby ? Gauge::nearby : Gauge::at_point;
}

}  // namespace heedcheck
