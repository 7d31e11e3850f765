// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_analysis.hpp"

#include <utility>

#include "heed/linalg/gram_extremes.hpp"
#include "heed/linalg/product.hpp"

namespace heed {
namespace {

std::size_t index_of(KernelBlocks blocks) {
  std::size_t index = 0;
  for (const KernelBlock block : kernel_blocks)
    if (blocks.contains(block)) index |= std::size_t{1} << static_cast<unsigned>(block);
  return index;
}

}  // namespace

template <class S>
Matrix<S> gram_of_rows(const Matrix<S>& a) {
  Matrix<S> c(a.rows(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      c(i, j) = c(j, i) = dot(a.cols(), a.row(i), 1, a.row(j), 1);
  return c;
}

template <class S>
KernelAnalysis<S>::KernelAnalysis(std::shared_ptr<const KernelFacts> facts)
    : facts_(std::move(facts)),
      inputs_(std::make_shared<const KernelInputs<S>>(facts_->instance())),
      features_(facts_->instance().heads()) {
  model_.emplace(inputs_, kernel(), weights_as<S>(instance().weights));
  for (std::size_t i = 0; i < instance().samples(); ++i)
    for (const S& r : model_->residuals(i).entries()) residual_.push_back(r);
  loss_ = max(model_->loss(), S(0));
  gradient_ = model_->gradient();
}

template <class S>
KernelModel<S> KernelAnalysis<S>::model_at(KernelWeights<S> weights) const {
  return KernelModel<S>(inputs_, kernel(), std::move(weights));
}

template <class S>
KernelModel<S> KernelAnalysis<S>::model_of(AttentionKernel other) const {
  return KernelModel<S>(inputs_, other, model_->weights());
}

template <class S>
S KernelAnalysis<S>::gradient_squared(KernelBlocks blocks) const {
  return max(squared_norm(flatten(gradient_, blocks)), S(0));
}

template <class S>
Condition KernelAnalysis<S>::small() const {
  const std::string most = std::to_string(max_kernel_residuals);
  const std::string text = "at most " + most + " residuals";
  return instance().residuals() <= max_kernel_residuals
             ? Condition::proved(text)
             : Condition::disproved(text, "more than " + most + " residuals: J J^T is left out");
}

template <class S>
const Matrix<S>& KernelAnalysis<S>::jacobian(KernelBlock block) const {
  auto& kept = jacobian_[static_cast<std::size_t>(block)];
  if (!kept) kept = model_->jacobian(block);
  return *kept;
}

template <class S>
Matrix<S> KernelAnalysis<S>::gram(KernelBlocks blocks) const {
  Matrix<S> sum(residual_.size(), residual_.size());
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    const Matrix<S> part = gram_of_rows(jacobian(block));
    for (std::size_t k = 0; k < sum.size(); ++k) sum.data()[k] += part.data()[k];
  }
  return sum;
}

template <class S>
const Extremes<S>& KernelAnalysis<S>::spectrum(KernelBlocks blocks) const {
  auto& kept = spectrum_[index_of(blocks)];
  if (!kept) {
    const std::size_t bound = facts_->rank_bound(blocks);
    kept = bound == 0 ? Extremes<S>{S(0), S(0)} : gram_extremes(gram(blocks));
    if (bound < residual_.size()) kept->least = S(0);
  }
  return *kept;
}

template <class S>
Condition KernelAnalysis<S>::mu_positive(KernelBlocks blocks) const {
  const std::string name = "mu of " + blocks.to_string(), text = name + " > 0";
  if (!small().is_proved()) return Condition::disproved(text, small().failure);
  if (facts_->rank_bound(blocks) < residual_.size())
    return Condition::disproved(text, name + " = 0: the rank of J is at most " +
                                          std::to_string(facts_->rank_bound(blocks)) + " < " +
                                          std::to_string(residual_.size()));
  return certainly(positive(mu(blocks))) ? Condition::proved(text)
                                         : Condition::open(text, text + " is not proved");
}

template <class S>
Condition KernelAnalysis<S>::loss_positive() const {
  return certainly(positive(loss_)) ? Condition::proved("f > 0")
                                    : Condition::open("f > 0", "f > 0 is not proved");
}

template <class S>
const Matrix<S>& KernelAnalysis<S>::features(std::size_t h) const {
  if (!features_[h]) features_[h] = model_->features(h);
  return *features_[h];
}

template <class S>
Matrix<S> KernelAnalysis<S>::joined_features() const {
  const std::size_t D = instance().dim();
  Matrix<S> all(instance().samples() * instance().rows(), D * instance().heads());
  for (std::size_t h = 0; h < instance().heads(); ++h)
    for (std::size_t r = 0; r < all.rows(); ++r)
      for (std::size_t j = 0; j < D; ++j) all(r, h * D + j) = features(h)(r, j);
  return all;
}

template <class S>
const Extremes<S>& KernelAnalysis<S>::tokens() const {
  if (!tokens_) {
    const Matrix<S> X =
        map(facts_->stacked_tokens(), [](const Rational& q) { return Scalar<S>::from(q); });
    tokens_ = Extremes<S>{least_squared(X), spectral_squared(X)};
    if (facts_->rank_of_tokens() < X.rows()) tokens_->least = S(0);
  }
  return *tokens_;
}

template <class S>
S KernelAnalysis<S>::spectral_squared(const Matrix<S>& m) const {
  return max(lambda_max(m.rows() <= m.cols() ? gram_of_rows(m) : gram_of_columns(m)), S(0));
}

template <class S>
S KernelAnalysis<S>::least_squared(const Matrix<S>& m) const {
  return m.rows() <= m.cols() ? gram_extremes(gram_of_rows(m)).least : S(0);
}

template <class S>
S KernelAnalysis<S>::least_squared_W_O(std::size_t h) const {
  if (facts_->rank_W_O(h) < instance().output_dim()) return S(0);
  return gram_extremes(gram_of_columns(model_->weights().W_O[h])).least;
}

template Matrix<DoubleBall> gram_of_rows(const Matrix<DoubleBall>&);
template Matrix<Ball> gram_of_rows(const Matrix<Ball>&);
template class KernelAnalysis<DoubleBall>;
template class KernelAnalysis<Ball>;

}  // namespace heed
