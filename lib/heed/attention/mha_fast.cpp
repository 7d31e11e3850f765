// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_fast.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "heed/attention/detail/mha_fast_workspace.hpp"

namespace heed::approx {
namespace {

void require_length(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw std::invalid_argument("FastMha: " + std::string(what) + " has " + std::to_string(found) +
                                " entries, expected P = " + std::to_string(expected));
}

}  // namespace

FastMha::FastMha(const MhaInputs<double>& inputs, const std::string& instruction_set)
    : work_(std::make_unique<detail::MhaWorkspace>(inputs, instruction_set)) {
  evaluate(initial_parameters());
}
FastMha::~FastMha() = default;
FastMha::FastMha(FastMha&&) noexcept = default;
FastMha& FastMha::operator=(FastMha&&) noexcept = default;

std::size_t FastMha::parameters() const { return work_->theta0.size(); }
const std::vector<double>& FastMha::initial_parameters() const { return work_->theta0; }
std::string FastMha::instruction_set() const { return work_->kernels.name; }

double FastMha::evaluate(std::span<const double> theta) {
  require_length(theta.size(), parameters(), "theta");
  work_->evaluate(theta);
  return loss();
}

double FastMha::loss() const {
  double sum = 0;
  for (const double l : work_->loss_values) sum += l;
  return sum / static_cast<double>(work_->n);
}

double FastMha::mean_slope() const {
  double sum = 0;
  for (const double p : work_->slopes) sum += p;
  return sum / static_cast<double>(work_->n);
}

std::span<const double> FastMha::gradient() const { return work_->gradient; }
std::span<const double> FastMha::phi() const { return work_->phi; }
std::span<const double> FastMha::margins() const { return work_->margins; }

void FastMha::hessian_vector_product(std::span<const double> v, std::span<double> out) {
  require_length(v.size(), parameters(), "the direction");
  require_length(out.size(), parameters(), "the result");
  work_->hessian_vector_product(v, out);
}

std::vector<double> FastMha::hessian_vector_product(std::span<const double> v) {
  std::vector<double> out(parameters());
  hessian_vector_product(v, out);
  return out;
}

}  // namespace heed::approx
