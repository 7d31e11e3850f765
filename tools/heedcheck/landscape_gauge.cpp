// SPDX-License-Identifier: Apache-2.0
#include "landscape_gauge.hpp"

#include <algorithm>

#include "landscape_shift.hpp"

namespace heedcheck {
namespace {

constexpr std::pair<const char*, Block> blocks[] = {
    {"W_Q", W_Q}, {"W_K", W_K}, {"W_V", W_V}, {"W_O", W_O}};

Block block_of(const Value& value) {
  const std::string& word = string_of(value, "gauge.block");
  const auto block = std::find_if(std::begin(blocks), std::end(blocks),
                                  [&](const auto& b) { return word == b.first; });
  require_form(block != std::end(blocks), "gauge.block is no block");
  return block->second;
}

Rationals matrix(const Value& item, const char* name, std::size_t order) {
  return rationals(array(item.at(name), order * order, std::string("gauge.") + name));
}

void read_unseen(const Value& item, const Layer& layer, Direction& direction) {
  direction.block = block_of(item.at("block"));
  const Block block = direction.block;
  direction.numbers =
      rationals(array(item.at("unseen"), block == W_O ? layer.p : layer.D, "gauge.unseen"));
  // columns of W_Q, W_K, W_V, rows of W_O
  const std::size_t order = block == W_Q || block == W_K ? layer.d : layer.d_v;
  std::vector<std::size_t>& pivots = direction.pivots;
  for (const Value& pivot : list_of(item.at("pivots"), "gauge.pivots")) {
    const std::size_t k = index_of(pivot, order, "gauge.pivots");
    require_form(pivots.empty() || pivots.back() < k, "gauge.pivots is not rising");
    pivots.push_back(k);
  }
  direction.free = index_of(item.at("free"), order, "gauge.free");
  require_form(!std::binary_search(pivots.begin(), pivots.end(), direction.free),
               "gauge.free is among the pivots");
}

Direction read_direction(const Value& item, const Layer& layer, const PointBox& box) {
  const std::string what = "an entry of gauge";
  require_form(item.kind == Value::Kind::object, what + " is not an object");
  Direction direction;
  if (item.find("shift") != nullptr) {
    require_fields(item, {"shift"}, {}, what);
    direction.numbers = rationals(array(item.at("shift"), box.centre.size(), "gauge.shift"));
    return direction;
  }
  if (item.find("unseen") != nullptr) {
    require_fields(item, {"unseen", "block", "head", "pivots", "free"}, {}, what);
    direction.kind = Direction::Kind::unseen;
    read_unseen(item, layer, direction);
  } else if (item.find("turn") != nullptr) {
    require_fields(item, {"turn", "head"}, {"E"}, what);
    direction.kind = Direction::Kind::turn;
    direction.numbers = matrix(item, "turn", layer.d);
    if (item.find("E") != nullptr) direction.E = matrix(item, "E", layer.D);
  } else {
    require_fields(item, {"mix", "head"}, {}, what);
    direction.kind = Direction::Kind::mix;
    direction.numbers = matrix(item, "mix", layer.d_v);
  }
  direction.head = index_of(item.at("head"), layer.H, "gauge.head");
  return direction;
}

}  // namespace

std::vector<Direction> read_gauge(const Value& gauge, const Layer& layer, const PointBox& box) {
  std::vector<Direction> directions;
  for (const Value& item : list_of(gauge, box.frozen.size(), "gauge")) {
    directions.push_back(read_direction(item, layer, box));
  }
  return directions;
}

Gauge prove_transversal(const std::vector<Direction>& gauge, const Layer& layer,
                        const PointBox& box) {
  const std::size_t count = box.frozen.size();
  IntervalMatrix reached(count, count);
  bool all_nearby = true;
  for (std::size_t r = 0; r < count; ++r) {
    if (gauge[r].kind == Direction::Kind::shift) {
      require_proof(is_flat(gauge[r].numbers, layer, box, true),
                    "gauge: f is not proved constant along shift " + std::to_string(r));
      all_nearby = all_nearby && is_flat(gauge[r].numbers, layer, box, false);
    }
    const std::vector<Interval> t = direction_over(box, layer, gauge[r]);
    for (std::size_t c = 0; c < count; ++c) reached.at(r, c) = t[box.frozen[c]];
  }
  require_proof(is_nonsingular(reached),
                "the frozen coordinates are not transversal to the flat directions");
  return all_nearby ? Gauge::nearby : Gauge::at_point;
}

}  // namespace heedcheck
