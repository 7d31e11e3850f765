// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "heed/landscape/point.hpp"

namespace heed::detail {

/// Where the entries of the trained blocks stand in the flat vector.
class FlatLayout {
 public:
  explicit FlatLayout(const LandscapeProblem& problem) : trained_(problem.trained) {
    for_each_matrix(problem.instance.weights, KernelBlocks::all(),
                    [&](KernelBlock block, std::size_t, const Matrix<Rational>& w) {
                      places_[block].push_back({size_, w.size(), w.cols()});
                      if (trained(block)) size_ += w.size();
                    });
  }

  bool trained(KernelBlock block) const { return trained_.contains(block); }
  std::size_t size() const { return size_; }
  /// Precondition: the block is trained.
  std::size_t at(KernelBlock block, std::size_t head, std::size_t row, std::size_t col) const {
    const Place& place = places_.at(block)[head];
    return place.offset + row * place.cols + col;
  }

  /// By block and head: not trained, or every entry frozen.
  using Known = std::map<KernelBlock, std::vector<bool>>;
  Known exactly_known(const std::vector<std::size_t>& frozen) const {
    Known known;
    for (const auto& [block, heads] : places_)
      for (const Place& place : heads) {
        const auto count = std::count_if(frozen.begin(), frozen.end(), [&](std::size_t k) {
          return k >= place.offset && k < place.offset + place.size;
        });
        known[block].push_back(!trained(block) || static_cast<std::size_t>(count) == place.size);
      }
    return known;
  }

 private:
  struct Place {
    std::size_t offset, size, cols;
  };
  KernelBlocks trained_;
  std::size_t size_ = 0;
  std::map<KernelBlock, std::vector<Place>> places_;
};

}  // namespace heed::detail
