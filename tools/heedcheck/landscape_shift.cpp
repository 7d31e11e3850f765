// SPDX-License-Identifier: Apache-2.0
#include "landscape_shift.hpp"

#include <algorithm>

#include "landscape_queries.hpp"

namespace heedcheck {
namespace {

bool is_zero(const RationalMatrix& a) {
  return std::all_of(a.entries.begin(), a.entries.end(), [](const auto& x) { return x == 0; });
}

class Shift {
 public:
  Shift(const Layer& layer, const PointBox& box) : layer_(layer), box_(box) {}

  bool parts_are_flat(const Rationals& t, std::size_t h, bool frozen_counts) const {
    const RationalMatrix Q = part(t, W_Q, h), K = part(t, W_K, h), V = part(t, W_V, h),
                         O = part(t, W_O, h);
    const bool softmax = layer_.kernel == Kernel::softmax;
    const bool Q_known = is_known(W_Q, h, frozen_counts), K_known = is_known(W_K, h, frozen_counts),
               V_known = is_known(W_V, h, frozen_counts), O_known = is_known(W_O, h, frozen_counts);
    bool moves_with_tokens = true,
         query_scores = is_zero(K) && K_known && sums_to_one(layer_.kernel),
         key_scores = is_zero(Q) && Q_known && softmax, values = true,
         outputs = is_zero(O) || V_known;
    for (std::size_t i = 0; i < layer_.N; ++i) {
      const RationalMatrix X = tokens_of(layer_, i);
      const RationalMatrix XQ = product(X, Q), XK = product(X, K), XV = product(X, V);
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

 private:
  // The part of a direction, or the weights at the centre.
  RationalMatrix part(const Rationals& t, Block block, std::size_t h) const {
    RationalMatrix w(layer_.rows(block), layer_.cols(block));
    for (std::size_t r = 0; r < w.rows; ++r) {
      for (std::size_t c = 0; c < w.cols; ++c) {
        if (layer_.trained[block]) w.at(r, c) = t[layer_.coordinate(block, h, r, c)];
      }
    }
    return w;
  }
  RationalMatrix weights(Block block, std::size_t h) const {
    RationalMatrix w(layer_.rows(block), layer_.cols(block));
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

  const Layer& layer_;
  const PointBox& box_;
};

}  // namespace

bool is_flat(const Rationals& t, const Layer& layer, const PointBox& box, bool frozen_counts) {
  const Shift shift(layer, box);
  for (std::size_t h = 0; h < layer.H; ++h) {
    if (!shift.parts_are_flat(t, h, frozen_counts)) return false;
  }
  return true;
}

}  // namespace heedcheck
