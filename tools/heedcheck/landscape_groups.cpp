// SPDX-License-Identifier: Apache-2.0
#include "landscape_groups.hpp"

#include <algorithm>
#include <iterator>

namespace heedcheck {
namespace {

bool only_queries(const Layer& layer) {
  return layer.trained[W_Q] && !layer.trained[W_K] && !layer.trained[W_V] && !layer.trained[W_O];
}

// The coordinates of W_Q that the tokens behind row r of the read-out of sample i see; rising.
std::vector<std::size_t> seen(const Layer& layer, std::size_t i, std::size_t r) {
  std::vector<std::size_t> list;
  for (std::size_t h = 0; h < layer.H; ++h) {
    for (std::size_t j = 0; j < layer.D; ++j) {
      bool sees = false;
      for (std::size_t a = 0; a < layer.n; ++a) {
        sees = sees ||
               (layer.U[r * layer.n + a] != 0 && layer.X[(i * layer.n + a) * layer.D + j] != 0);
      }
      for (std::size_t c = 0; sees && c < layer.d; ++c) {
        list.push_back(layer.coordinate(W_Q, h, j, c));
      }
    }
  }
  return list;
}

bool meet(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

std::vector<Group> groups_of(const Layer& layer) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < layer.N; ++i) {
    for (std::size_t r = 0; r < layer.m; ++r) {
      Group joined{{}, {{i, r}}};
      if (only_queries(layer)) {
        joined.coordinates = seen(layer, i, r);
      } else {
        for (std::size_t k = 0; k < layer.coordinates(); ++k) joined.coordinates.push_back(k);
      }
      std::vector<Group> apart;
      for (Group& group : groups) {
        if (!meet(group.coordinates, joined.coordinates)) {
          apart.push_back(std::move(group));
          continue;
        }
        std::vector<std::size_t> both;
        std::set_union(group.coordinates.begin(), group.coordinates.end(),
                       joined.coordinates.begin(), joined.coordinates.end(),
                       std::back_inserter(both));
        joined.coordinates = std::move(both);
        joined.residuals.insert(joined.residuals.end(), group.residuals.begin(),
                                group.residuals.end());
      }
      apart.push_back(std::move(joined));
      groups = std::move(apart);
    }
  }
  return groups;
}

}  // namespace heedcheck
