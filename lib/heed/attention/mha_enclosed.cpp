// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_enclosed.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "heed/attention/detail/mha_fast_workspace.hpp"
#include "heed/attention/mha.hpp"

namespace heed {
namespace {

Ball ball(double mid, double radius) {
  if (!(radius < HUGE_VAL)) return Ball(1) / Ball(0);  // the whole line
  return Ball::hull(Ball(mid) - Ball(radius), Ball(mid) + Ball(radius));
}

}  // namespace

EnclosedMha::EnclosedMha(const MhaInputs<double>& inputs, const std::string& instruction_set)
    : work_(std::make_unique<approx::detail::MhaWorkspace>(inputs, instruction_set)) {
  evaluate(initial_parameters());
}
EnclosedMha::~EnclosedMha() = default;
EnclosedMha::EnclosedMha(EnclosedMha&&) noexcept = default;
EnclosedMha& EnclosedMha::operator=(EnclosedMha&&) noexcept = default;

std::size_t EnclosedMha::parameters() const { return work_->theta0.size(); }
const std::vector<double>& EnclosedMha::initial_parameters() const { return work_->theta0; }

void EnclosedMha::evaluate(std::span<const double> theta) {
  if (theta.size() != parameters())
    throw std::invalid_argument("EnclosedMha: theta has " + std::to_string(theta.size()) +
                                " entries, expected P = " + std::to_string(parameters()));
  work_->enclose(theta);
}

std::span<const double> EnclosedMha::gradient() const { return work_->gradient; }
std::span<const double> EnclosedMha::U_radius() const { return work_->U_radius; }
std::span<const double> EnclosedMha::W_radius() const { return work_->W_radius; }
std::span<const double> EnclosedMha::phi() const { return work_->phi; }
std::span<const double> EnclosedMha::phi_radius() const { return work_->phi_radius; }

double EnclosedMha::gradient_radius(std::size_t k) const {
  const std::size_t T = work_->T, d = work_->d, block = (T + d) * d, h = k / block, j = k % block;
  return j < T * d ? work_->U_radius[h * T + j / d] : work_->W_radius[h * d + j / d - T];
}

DoubleBall EnclosedMha::mean_slope() const {
  DoubleBall sum;
  for (std::size_t i = 0; i < work_->n; ++i)
    sum += DoubleBall::enclose(work_->slopes[i], work_->slope_radius[i]);
  return sum / DoubleBall(static_cast<int>(work_->n));
}

Ball EnclosedMha::phi_ball(std::size_t i) const { return ball(phi()[i], phi_radius()[i]); }
Ball EnclosedMha::gradient_ball(std::size_t k) const {
  return ball(gradient()[k], gradient_radius(k));
}

PointSaddle EnclosedMha::hessian() const { return work_->enclose_hessian(); }

Ball EnclosedMha::loss() const {
  Ball sum(0);
  for (std::size_t i = 0; i < work_->n; ++i)
    sum += loss_terms_at(work_->loss, work_->y[i] > 0 ? phi_ball(i) : -phi_ball(i)).value;
  return sum / Ball(static_cast<int>(work_->n));
}

}  // namespace heed
