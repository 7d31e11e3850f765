// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_pairwise.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "heed/attention/detail/mha_pairwise_workspace.hpp"

namespace heed::approx {
namespace {

void require_length(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw std::invalid_argument("PairwiseMha: " + std::string(what) + " has " +
                                std::to_string(found) +
                                " entries, expected P = " + std::to_string(expected));
}

}  // namespace

PairwiseMha::PairwiseMha(MhaInputs<double> inputs) {
  require_shapes(inputs, "PairwiseMha");
  work_ = std::make_unique<Workspace>(std::move(inputs));
  evaluate(initial_parameters());
}
PairwiseMha::~PairwiseMha() = default;
PairwiseMha::PairwiseMha(PairwiseMha&&) noexcept = default;
PairwiseMha& PairwiseMha::operator=(PairwiseMha&&) noexcept = default;

std::size_t PairwiseMha::parameters() const { return work_->in.parameters(); }

std::vector<double> PairwiseMha::initial_parameters() const {
  std::vector<double> theta;
  theta.reserve(parameters());
  for (std::size_t h = 0; h < work_->in.heads(); ++h) {
    const auto &u = work_->in.U[h].entries(), &w = work_->in.W[h].entries();
    theta.insert(theta.end(), u.begin(), u.end());
    theta.insert(theta.end(), w.begin(), w.end());
  }
  return theta;
}

double PairwiseMha::evaluate(std::span<const double> theta) {
  require_length(theta.size(), parameters(), "theta");
  work_->evaluate(theta);
  return loss();
}

double PairwiseMha::loss() const {
  double sum = 0;
  for (const LossTerms<double>& l : work_->terms) sum += l.value;
  return sum / static_cast<double>(work_->terms.size());
}

double PairwiseMha::mean_slope() const {
  double sum = 0;
  for (const LossTerms<double>& l : work_->terms) sum += l.slope;
  return sum / static_cast<double>(work_->terms.size());
}

std::span<const double> PairwiseMha::gradient() const { return work_->gradient; }
std::span<const double> PairwiseMha::phi() const { return work_->phi; }
std::span<const double> PairwiseMha::margins() const { return work_->margins; }

void PairwiseMha::hessian_vector_product(std::span<const double> v, std::span<double> out) {
  require_length(v.size(), parameters(), "the direction");
  require_length(out.size(), parameters(), "the result");
  work_->hessian_vector_product(v, out);
}

std::vector<double> PairwiseMha::hessian_vector_product(std::span<const double> v) {
  std::vector<double> out(parameters());
  hessian_vector_product(v, out);
  return out;
}

}  // namespace heed::approx
