// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_fast.hpp"

#include <stdexcept>

#include "heed/attention/detail/layer_workspace.hpp"

namespace heed::approx {
namespace {

void require_length(std::size_t length, std::size_t parameters) {
  if (length != parameters)
    throw std::invalid_argument("FastKernel: expected " + std::to_string(parameters) +
                                " parameters, found " + std::to_string(length));
}

}  // namespace

FastKernel::FastKernel(const KernelInputs<double>& inputs, AttentionKernel kernel,
                       const KernelWeights<double>& weights, KernelBlocks trained,
                       const std::string& instruction_set)
    : work_(std::make_unique<detail::LayerWorkspace>(inputs, kernel, weights, trained,
                                                     instruction_set)) {
  work_->evaluate();
}

FastKernel::~FastKernel() = default;
FastKernel::FastKernel(FastKernel&&) noexcept = default;
FastKernel& FastKernel::operator=(FastKernel&&) noexcept = default;

KernelBlocks FastKernel::trained() const { return work_->trained; }
std::size_t FastKernel::parameters() const { return work_->theta.size(); }
std::size_t FastKernel::samples() const { return static_cast<std::size_t>(work_->N); }
std::string FastKernel::instruction_set() const { return work_->kernels.name; }
KernelWeights<double> FastKernel::weights() const {
  return with_flat(work_->weights, work_->trained, work_->theta);
}

double FastKernel::evaluate(std::span<const double> theta) {
  require_length(theta.size(), parameters());
  std::copy(theta.begin(), theta.end(), work_->theta.begin());
  work_->evaluate();
  return work_->loss;
}

std::span<const double> FastKernel::parameter_values() const { return work_->theta; }
double FastKernel::loss() const { return work_->loss; }
std::span<const double> FastKernel::gradient() const { return work_->gradient; }
bool FastKernel::underflow() const { return work_->underflow; }

Matrix<double> FastKernel::outputs(std::size_t sample) const {
  const detail::LayerWorkspace& w = *work_;
  Matrix<double> F(static_cast<std::size_t>(w.m), static_cast<std::size_t>(w.p));
  for (std::size_t r = 0; r < F.rows(); ++r)
    for (std::size_t c = 0; c < F.cols(); ++c) {
      const auto row = static_cast<std::ptrdiff_t>(sample) * w.m + static_cast<std::ptrdiff_t>(r);
      F(r, c) = w.R.row(row)[c] + w.Y.row(row)[c];
    }
  return F;
}

void FastKernel::hessian_vector_product(std::span<const double> v, std::span<double> out) {
  require_length(v.size(), parameters());
  require_length(out.size(), parameters());
  work_->product(v, out);
}

Matrix<double> FastKernel::hessian() {
  const std::size_t P = parameters();
  Matrix<double> result(P, P);
  std::vector<double> unit(P), column(P);
  for (std::size_t k = 0; k < P; ++k) {
    unit[k] = 1;
    hessian_vector_product(unit, column);
    unit[k] = 0;
    for (std::size_t j = k; j < P; ++j) result(j, k) = result(k, j) = column[j];
  }
  return result;
}

}  // namespace heed::approx
