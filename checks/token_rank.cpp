// SPDX-License-Identifier: Apache-2.0
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/token_span.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heed::checks {
namespace {

// Tokens (x, sum of x): of rank d in d + 1 dimensions at most. The weights get a further row and column
// that are not of the form which the reduction would undo.
MhaInstance with_dependent_coordinate(const MhaInstance& m) {
  MhaInstance wide = m;
  const auto widened = [](const Matrix<Rational>& a, std::size_t rows, auto&& last) {
    Matrix<Rational> b(rows, a.cols() + 1);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j <= a.cols(); ++j)
        b(i, j) = i < a.rows() && j < a.cols() ? a(i, j) : last(i, j);
    return b;
  };
  for (std::size_t i = 0; i < m.X.size(); ++i)
    wide.X[i] = widened(m.X[i], m.X[i].rows(), [&](std::size_t t, std::size_t) {
      Rational sum;
      for (std::size_t c = 0; c < m.dim(); ++c) sum += m.X[i](t, c);
      return sum;
    });
  const auto number = [](std::size_t i, std::size_t j) {
    return Rational(static_cast<long>((3 * i + 5 * j) % 7) - 3, 8);
  };
  for (Matrix<Rational>& u : wide.weights->U) u = widened(u, u.rows(), number);
  for (Matrix<Rational>& w : wide.weights->W) w = widened(w, w.rows() + 1, number);
  return wide;
}

void agrees(const MhaInstance& m, const std::string& which, Tally& tally) {
  const MhaAnalysis<Ball> reduced(m);
  const MhaModel<Ball> full(mha_inputs<Ball>(m));
  ++tally[which + (reduced.reduction().reduced() ? ": reduced" : ": not reduced")];
  require(reduced.reduction_note().empty() != reduced.reduction().reduced(), "no note");
  require_overlap(which + ": loss", reduced.loss(), full.loss());
  require_overlap(which + ": phi", reduced.model().phi(), full.phi());
  require_overlap(which + ": gradient", reduced.gradient(), full.gradient());
  require_overlap(which + ": ntk kernel", reduced.model().ntk_kernel(), full.ntk_kernel());
  const std::vector<Ball> v = to_balls(test_direction(m.parameters()));
  require_overlap(which + ": hvp", reduced.hessian_vector_product(v),
                  full.hessian_vector_product(v));
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t h = 0; h < m.heads(); ++h)
      require_overlap(which + ": attention", reduced.model().head(i, h).A, full.head(i, h).A);
  if (is_tame(m)) require_narrow(which + ": loss", reduced.loss(), 30);
}

void reduction(const MhaInstance& m, Tally& tally) {
  const PrecisionScope scope(300);
  agrees(m, "as drawn", tally);
  const MhaInstance wide = with_dependent_coordinate(m);
  require(MhaAnalysis<Ball>(wide).reduction().reduced() || m.dim() == 0 ||
              token_span(wide.X).rank() == 0 || !is_tame(m),
          "a dependent coordinate is not seen");
  agrees(wide, "with a dependent coordinate", tally);
}

}  // namespace

std::vector<Property> token_rank_properties() {
  return {{"token_rank.reduction",
           "loss, gradient, Hessian-vector product, NTK and attention do not change when tokens of "
           "lower rank are reduced",
           draw_instance,
           300,
           reduction,
           {}}};
}

}  // namespace heed::checks
