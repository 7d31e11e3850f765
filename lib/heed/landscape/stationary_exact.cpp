// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/stationary_exact.hpp"

#include <stdexcept>

#include "heed/linalg/product.hpp"

namespace heed {
namespace {

Rational score(const Matrix<Rational>& Q, std::size_t a, const Matrix<Rational>& K, std::size_t b,
               bool distances) {
  Rational sum;
  for (std::size_t c = 0; c < Q.cols(); ++c) {
    const Rational gap = Q(a, c) - K(b, c);
    sum += distances ? gap * gap : Q(a, c) * K(b, c);
  }
  return sum;
}

// S of one head where it is rational; otherwise the reason.
std::string rational_attention(const LandscapeProblem& problem, const Matrix<Rational>& Q,
                               const Matrix<Rational>& K, Matrix<Rational>& attention) {
  const std::size_t n = Q.rows();
  const bool normalised = is_normalised(problem.kernel), distances = has_distances(problem.kernel);
  for (std::size_t a = 0; a < n; ++a) {
    const Rational first = normalised ? score(Q, a, K, 0, distances) : Rational(0);
    for (std::size_t b = 0; b < n; ++b)
      if (score(Q, a, K, b, distances) != first)
        return normalised ? "the scores of query " + std::to_string(a) + " are not all equal"
                          : "query " + std::to_string(a) + " is not key " + std::to_string(b);
  }
  const bool one = problem.kernel == AttentionKernel::gaussian;
  const Rational entry = one ? Rational(1) : Rational(1, static_cast<long>(n));
  attention = Matrix<Rational>(n, n);
  for (Rational& s : attention.entries()) s = entry;
  return "";
}

}  // namespace

ExactStationaryResult certify_stationary_exact(const LandscapeProblem& problem,
                                               const std::vector<Rational>& point) {
  ExactStationaryResult result;
  const KernelWeights<Rational> weights = problem.weights(point);
  std::vector<Matrix<Rational>> attention;
  for (std::size_t i = 0; i < problem.instance.samples(); ++i)
    for (std::size_t h = 0; h < problem.instance.heads(); ++h) {
      attention.emplace_back();
      const std::string reason =
          rational_attention(problem, multiply(problem.instance.X[i], weights.W_Q[h]),
                             multiply(problem.instance.X[i], weights.W_K[h]), attention.back());
      if (reason.empty()) continue;
      result.verdict = {VerdictKind::not_applicable,
                        "attention need not be rational: sample " + std::to_string(i) + ", head " +
                            std::to_string(h) + ": " + reason,
                        0, false};
      return result;
    }
  // Of W_Q and W_K, beta is a factor of the gradient; the Hessian mixes its powers.
  KernelInstance unit = problem.instance;
  unit.beta = KernelBeta{Rational(1), false};
  const KernelModel<Rational> by_unit(std::make_shared<const KernelInputs<Rational>>(unit),
                                      problem.kernel, weights, attention);
  result.loss = by_unit.loss();
  result.gradient = flatten(by_unit.gradient(problem.trained), problem.trained);
  const bool mixes =
      problem.trained.contains(KernelBlock::query) || problem.trained.contains(KernelBlock::key);
  if (!mixes) {
    result.hessian = by_unit.hessian(problem.trained);
  } else if (!problem.instance.beta.root) {
    const KernelModel<Rational> model(
        std::make_shared<const KernelInputs<Rational>>(problem.instance), problem.kernel, weights,
        attention);
    result.hessian = model.hessian(problem.trained);
  }
  result.verdict = {VerdictKind::proved, "", 0, false};
  for (std::size_t k = 0; k < result.gradient.size(); ++k)
    if (result.gradient[k].sign() != 0) {
      result.verdict = {VerdictKind::refuted,
                        "the gradient at " + coordinate_name(problem, k) +
                            " is not 0: " + result.gradient[k].to_decimal_or_fraction(),
                        0, false};
      break;
    }
  return result;
}

Rational curvature_along(const Matrix<Rational>& hessian, const std::vector<Rational>& v) {
  if (hessian.rows() == 0 || hessian.rows() != v.size())
    throw std::invalid_argument("landscape: expected a direction of the order of the Hessian");
  return dot(v, multiply(hessian, v));
}

}  // namespace heed
