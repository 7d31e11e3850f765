// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/stationary.hpp"

#include <stdexcept>

#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/flat_directions.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/format.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

// Bits of the entries of A beyond the leading one: 1 - A H is then 2^-50 of the condition or less.
constexpr int preconditioner_bits = 64;

Verdict verdict(VerdictKind kind, std::string reason) {
  return {kind, std::move(reason), working_precision(), false};
}

// K = c - A g + (I - A H) (box - c).
std::vector<Ball> krawczyk_image(const std::vector<Ball>& centre, const Matrix<Ball>& A,
                                 const std::vector<Ball>& g, const Matrix<Ball>& H,
                                 const Ball& radius) {
  const std::size_t n = centre.size();
  const std::vector<Ball> step = multiply(A, g);
  const Matrix<Ball> product = multiply(A, H);
  const Ball spread = Ball::symmetric(radius);
  std::vector<Ball> K(n);
  for (std::size_t i = 0; i < n; ++i) {
    K[i] = centre[i] - step[i];
    for (std::size_t j = 0; j < n; ++j) K[i] += (Ball(i == j ? 1 : 0) - product(i, j)) * spread;
  }
  return K;
}

// Strictly inside the exact box, whose ends are enclosed.
bool strictly_inside(const Ball& image, const Rational& centre, const Rational& radius) {
  return certainly(less(Ball(centre - radius), image)) &&
         certainly(less(image, Ball(centre + radius)));
}

}  // namespace

StationaryResult certify_stationary(const LandscapeProblem& problem, const PointBox& box,
                                    Matrix<Rational> preconditioner) {
  require_fits(problem, box);
  const std::vector<std::size_t> free = box.free_indices();
  StationaryResult result;
  const LandscapeModel landscape(problem);
  const std::vector<Ball> centre = enclose_centre(box);
  const KernelModel<Ball> at_centre = landscape.at(centre),
                          over_box = landscape.at(enclose_box(box));
  result.loss = over_box.loss();
  const std::vector<Ball> whole = flatten(at_centre.gradient(problem.trained), problem.trained);
  result.gradient_norm = sqrt_nonnegative(squared_norm(whole));
  result.transversal = transversality(problem, box);
  if (free.empty() || box.radius.sign() == 0) {
    result.verdict = verdict(VerdictKind::not_applicable,
                             free.empty() ? "no coordinate is free" : "the box is a single point");
    return result;
  }
  if (preconditioner.size() == 0)
    preconditioner =
        detail::approx_inverse(free_hessian(at_centre, problem.trained, free), preconditioner_bits);
  if (preconditioner.size() == 0) {
    result.verdict = verdict(VerdictKind::undecided,
                             "the Hessian in the free coordinates is singular or not finite");
    return result;
  }
  if (preconditioner.rows() != free.size() || preconditioner.cols() != free.size())
    throw std::invalid_argument("landscape: expected a preconditioner of the order " +
                                std::to_string(free.size()) + " of the free coordinates");
  result.preconditioner = std::move(preconditioner);

  std::vector<Ball> c;
  for (const std::size_t k : free) c.push_back(centre[k]);
  const Matrix<Ball> A = map(result.preconditioner, [](const Rational& q) { return Ball(q); });
  result.image = krawczyk_image(c, A, free_gradient(at_centre, problem.trained, free),
                                free_hessian(over_box, problem.trained, free), Ball(box.radius));
  result.isolated = true;
  std::string outside;
  for (std::size_t k = 0; k < free.size(); ++k)
    if (!strictly_inside(result.image[k], box.centre[free[k]], box.radius)) {
      result.isolated = false;
      if (outside.empty()) outside = coordinate_name(problem, free[k]);
    }
  if (result.transversal.kind != VerdictKind::proved)
    result.verdict = verdict(VerdictKind::not_applicable, result.transversal.reason);
  else if (result.isolated)
    result.verdict = verdict(VerdictKind::proved, "");
  else
    result.verdict =
        verdict(VerdictKind::undecided, "K is not strictly inside the box at " + outside);
  return result;
}

}  // namespace heed
