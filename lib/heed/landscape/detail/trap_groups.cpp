// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/trap_groups.hpp"

#include <algorithm>
#include <numeric>

#include "heed/landscape/detail/flat_layout.hpp"

namespace heed::detail {
namespace {

std::size_t find_root(std::vector<std::size_t>& parent, std::size_t k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]];
  return k;
}

// The coordinates of W_Q that a row of the outputs of a sample depends on.
std::vector<std::size_t> coordinates_of(const LandscapeProblem& problem, const FlatLayout& layout,
                                        std::size_t i, std::size_t row) {
  const KernelInstance& in = problem.instance;
  std::vector<std::size_t> list;
  for (std::size_t j = 0; j < in.dim(); ++j) {
    bool used = false;
    for (std::size_t a = 0; a < in.tokens(); ++a)
      used = used || (in.readout(row, a).sign() != 0 && in.X[i](a, j).sign() != 0);
    for (std::size_t h = 0; used && h < in.heads(); ++h)
      for (std::size_t c = 0; c < in.key_dim(); ++c)
        list.push_back(layout.at(KernelBlock::query, h, j, c));
  }
  return list;
}

}  // namespace

std::vector<TrapGroup> trap_groups(const LandscapeProblem& problem, bool whole) {
  const KernelInstance& in = problem.instance;
  const std::size_t P = problem.parameters();
  const bool one = whole || !(problem.trained == KernelBlocks(KernelBlock::query));
  const FlatLayout layout(problem);
  std::vector<std::size_t> parent(P);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>> first_of_row;
  for (std::size_t k = 1; one && k < P; ++k) parent[k] = 0;
  for (std::size_t i = 0; i < in.samples(); ++i)
    for (std::size_t r = 0; r < in.rows(); ++r) {
      const auto list = one ? std::vector<std::size_t>{0} : coordinates_of(problem, layout, i, r);
      for (const std::size_t k : list)
        parent[find_root(parent, k)] = find_root(parent, list.front());
      first_of_row.push_back({{i, r}, list.empty() ? 0 : list.front()});
    }
  std::vector<TrapGroup> groups;
  std::vector<std::size_t> number(P, P);
  for (std::size_t k = 0; k < P; ++k) {
    const std::size_t root = find_root(parent, k);
    if (number[root] == P) {
      number[root] = groups.size();
      groups.emplace_back();
    }
    groups[number[root]].coordinates.push_back(k);
  }
  for (const auto& [row, k] : first_of_row)
    groups[number[find_root(parent, k)]].rows.push_back(row);
  return groups;
}

}  // namespace heed::detail
