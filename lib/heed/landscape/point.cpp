// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/point.hpp"

#include <stdexcept>

namespace heed {

KernelWeights<Rational> LandscapeProblem::weights(const std::vector<Rational>& flat) const {
  if (flat.size() != parameters())
    throw std::invalid_argument("landscape: expected " + std::to_string(parameters()) +
                                " trained coordinates, found " + std::to_string(flat.size()));
  return with_flat(instance.weights, trained, flat);
}

std::vector<std::size_t> PointBox::free_indices() const {
  std::vector<std::size_t> free;
  auto next = frozen.begin();
  for (std::size_t k = 0; k < centre.size(); ++k) {
    if (next != frozen.end() && *next == k)
      ++next;
    else
      free.push_back(k);
  }
  return free;
}

std::string coordinate_name(const LandscapeProblem& problem, std::size_t index) {
  std::string name;
  for_each_matrix(problem.instance.weights, problem.trained,
                  [&](KernelBlock block, std::size_t head, const Matrix<Rational>& w) {
                    if (name.empty() && index < w.size())
                      name = std::string(block_word(block)) + "[head " + std::to_string(head) +
                             "](" + std::to_string(index / w.cols()) + ", " +
                             std::to_string(index % w.cols()) + ")";
                    if (name.empty()) index -= w.size();
                  });
  return name;
}

void require_fits(const LandscapeProblem& problem, const PointBox& box) {
  const std::size_t count = problem.parameters();
  if (box.centre.size() != count)
    throw std::invalid_argument("landscape: expected a centre of " + std::to_string(count) +
                                " trained coordinates, found " + std::to_string(box.centre.size()));
  if (box.radius.sign() < 0) throw std::invalid_argument("landscape: expected a radius >= 0");
  for (std::size_t k = 0; k < box.frozen.size(); ++k)
    if (box.frozen[k] >= count || (k > 0 && box.frozen[k] <= box.frozen[k - 1]))
      throw std::invalid_argument("landscape: expected rising frozen indices below " +
                                  std::to_string(count));
}

LandscapeModel::LandscapeModel(const LandscapeProblem& problem)
    : inputs_(std::make_shared<const KernelInputs<Ball>>(problem.instance)),
      kernel_(problem.kernel),
      trained_(problem.trained),
      weights_(weights_as<Ball>(problem.instance.weights)) {}

KernelModel<Ball> LandscapeModel::at(const std::vector<Ball>& flat) const {
  return KernelModel<Ball>(inputs_, kernel_, with_flat(weights_, trained_, flat));
}

KernelModel<Ball> LandscapeModel::at(const std::vector<Rational>& flat) const {
  return at(enclose_centre({flat, Rational(0), {}}));
}

std::vector<Ball> enclose_centre(const PointBox& box) {
  std::vector<Ball> balls;
  for (const Rational& c : box.centre) balls.emplace_back(c);
  return balls;
}

std::vector<Ball> enclose_box(const PointBox& box) {
  std::vector<Ball> balls = enclose_centre(box);
  const Ball spread = Ball::symmetric(Ball(box.radius));
  for (const std::size_t k : box.free_indices()) balls[k] += spread;
  return balls;
}

std::vector<Ball> free_gradient(const KernelModel<Ball>& model, KernelBlocks trained,
                                const std::vector<std::size_t>& free) {
  const std::vector<Ball> all = flatten(model.gradient(trained), trained);
  std::vector<Ball> part;
  for (const std::size_t k : free) part.push_back(all[k]);
  return part;
}

Matrix<Ball> free_hessian(const KernelModel<Ball>& model, KernelBlocks trained,
                          const std::vector<std::size_t>& free) {
  const KernelWeights<Ball> zero = map(model.weights(), [](const Ball&) { return Ball(); });
  std::vector<Ball> unit(parameter_count(zero, trained));
  Matrix<Ball> hessian(free.size(), free.size());
  for (std::size_t c = 0; c < free.size(); ++c) {
    unit[free[c]] = Ball(1);
    const auto column =
        flatten(model.hessian_vector_product(with_flat(zero, trained, unit), trained), trained);
    unit[free[c]] = Ball();
    for (std::size_t r = c; r < free.size(); ++r) hessian(r, c) = hessian(c, r) = column[free[r]];
  }
  return hessian;
}

}  // namespace heed
