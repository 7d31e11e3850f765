// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/gauge.hpp"

#include <algorithm>
#include <stdexcept>

#include "heed/landscape/detail/flat_families.hpp"
#include "heed/landscape/detail/flat_layout.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/product.hpp"

namespace heed::detail {
namespace {

using Exact = std::vector<Rational>;

// A direction and its vector at the centre.
struct Candidate {
  GaugeDirection direction;
  Exact at_centre;
};

void add_shifts(std::vector<Candidate>& all, const LandscapeProblem& problem, const PointBox& box,
                FlatScope scope) {
  for (const auto& [name, directions] : exact_flat_families(problem, box, scope))
    for (const Exact& t : directions) all.push_back({{"shift", t, std::nullopt}, t});
}

void place(Exact& t, const FlatLayout& layout, KernelBlock block, std::size_t head,
           const Matrix<Rational>& w, int sign) {
  for (std::size_t r = 0; r < w.rows(); ++r)
    for (std::size_t c = 0; c < w.cols(); ++c)
      t[layout.at(block, head, r, c)] = Rational(sign) * w(r, c);
}

Matrix<Rational> transposed(const Matrix<Rational>& a) {
  Matrix<Rational> t(a.cols(), a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::size_t c = 0; c < a.cols(); ++c) t(c, r) = a(r, c);
  return t;
}

// (W_Q B, -W_K B^T), (W_Q B, W_K B) for skew B and distances, (W_V B, -B W_O), for unit matrices B.
void add_turns(std::vector<Candidate>& all, const LandscapeProblem& problem, const PointBox& box) {
  const FlatLayout layout(problem);
  const KernelWeights<Rational> w = problem.weights(box.centre);
  const bool distances = has_distances(problem.kernel);
  const auto with_matrices = [&](std::size_t order, bool skew, auto&& add) {
    for (std::size_t r = 0; r < order; ++r)
      for (std::size_t s = skew ? r + 1 : 0; s < order; ++s) {
        Matrix<Rational> B(order, order);
        B(r, s) = Rational(1);
        if (skew) B(s, r) = Rational(-1);
        add(B);
      }
  };
  for (std::size_t h = 0; h < problem.instance.heads(); ++h) {
    if (layout.trained(KernelBlock::query) && layout.trained(KernelBlock::key))
      with_matrices(problem.instance.key_dim(), distances, [&](const Matrix<Rational>& B) {
        Exact t(layout.size());
        place(t, layout, KernelBlock::query, h, multiply(w.W_Q[h], B), 1);
        place(t, layout, KernelBlock::key, h, multiply(w.W_K[h], distances ? B : transposed(B)),
              distances ? 1 : -1);
        all.push_back({{"turn", B.entries(), h}, t});
      });
    if (layout.trained(KernelBlock::value) && layout.trained(KernelBlock::output))
      with_matrices(problem.instance.value_dim(), false, [&](const Matrix<Rational>& B) {
        Exact t(layout.size());
        place(t, layout, KernelBlock::value, h, multiply(w.W_V[h], B), 1);
        place(t, layout, KernelBlock::output, h, multiply(B, w.W_O[h]), -1);
        all.push_back({{"mix", B.entries(), h}, t});
      });
  }
}

}  // namespace

std::vector<GaugeDirection> gauge_directions(const LandscapeProblem& problem, const PointBox& box) {
  std::vector<Candidate> all;
  add_shifts(all, problem, box, FlatScope::nearby);
  add_turns(all, problem, box);
  add_shifts(all, problem, box, FlatScope::at_the_point);
  std::vector<GaugeDirection> chosen;
  std::vector<Exact> parts;
  for (const Candidate& candidate : all) {
    if (chosen.size() == box.frozen.size()) break;
    Exact part;
    for (const std::size_t k : box.frozen) part.push_back(candidate.at_centre[k]);
    parts.push_back(std::move(part));
    Matrix<Rational> rows(parts.size(), box.frozen.size());
    for (std::size_t r = 0; r < rows.rows(); ++r)
      std::copy(parts[r].begin(), parts[r].end(), rows.row(r));
    if (exact_rank(rows) == parts.size())
      chosen.push_back(candidate.direction);
    else
      parts.pop_back();
  }
  if (chosen.size() < box.frozen.size())
    throw std::invalid_argument(
        "certificate: the frozen coordinates rest on flat directions that the format cannot name");
  return chosen;
}

}  // namespace heed::detail
