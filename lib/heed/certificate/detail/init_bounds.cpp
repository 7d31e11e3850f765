// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/init_bounds.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "heed/landscape/detail/dyadic.hpp"
#include "heed/theory/kernel_analysis.hpp"
#include "heed/theory/kernel_jacobian.hpp"

namespace heed::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int constant_bits = 40;
constexpr double least_loss =
    1e-40;                       // stands for a loss of 0, and is above what the checker sees of it
constexpr long spare_bits = 30;  // L_J stays above that of norms that are rounded up

class Norms {
 public:
  // least: a bound for what is 0
  Norms(const KernelAnalysis<Ball>& analysis, const Rational& least)
      : analysis_(analysis), least_(least) {}

  Json of(const Matrix<Ball>& m) const {
    return bound(sqrt(max(analysis_.spectral_squared(m), Ball(0))));
  }
  Json bound(const Ball& norm) const { return fraction(rounded(max(norm, Ball(least_)), true)); }
  Json of(const std::vector<Matrix<Ball>>& list) const {
    Json all = Json::array();
    for (const Matrix<Ball>& m : list) all.push_back(of(m));
    return all;
  }

 private:
  const KernelAnalysis<Ball>& analysis_;
  Rational least_;
};

Json norms_of(const KernelAnalysis<Ball>& a, const Rational& least) {
  const Norms norms(a, least);
  Json j = {{"U", norms.of(a.model().inputs().readout)}, {"X", norms.of(a.model().inputs().X)}};
  for (const KernelBlock block : kernel_blocks)
    j[std::string(block_word(block))] = norms.of(block_of(a.model().weights(), block));
  if (a.kernel() != AttentionKernel::gaussian_normalised) return j;
  for (std::size_t i = 0; i < a.instance().samples(); ++i) {
    const TokenSizes<Ball> sizes = token_sizes(a.model(), i);
    j["spread"].push_back(norms.bound(sizes.spread));
    j["products"].push_back(norms.bound(sizes.products));
  }
  return j;
}

KernelAnalysis<Ball> analysis_at(const LandscapeProblem& problem,
                                 const std::vector<Rational>& centre) {
  KernelInstance at = problem.instance;
  at.weights = problem.weights(centre);
  return KernelAnalysis<Ball>(std::make_shared<const KernelFacts>(at, problem.kernel));
}

// Above L_J on the radius R, and not 0 where J does not depend on the trained blocks.
Rational lipschitz_above(const KernelAnalysis<Ball>& a, const Rational& R, const Rational& sigma,
                         KernelBlocks trained) {
  const Ball spare = Ball(1) + ldexp(Ball(1), -spare_bits);
  const Ball least(sigma / R * Rational::power_of_two(-constant_bits));
  return rounded(max(jacobian_lipschitz(a.model(), Ball(R), trained), least) * spare, true);
}

Json bounds_field(const KernelAnalysis<Ball>& a, const Rational& R, const Rational& sigma,
                  const Rational& L_J) {
  return {{"R", fraction(R)},
          {"sigma", fraction(sigma)},
          {"L_J", fraction(L_J)},
          {"norms", norms_of(a, R * Rational::power_of_two(-constant_bits))}};
}

}  // namespace

Rational rounded(const Ball& x, bool up) {
  const auto end = approx_midpoint(up ? x.upper() : x.lower());
  if (!end || end->sign() <= 0)
    throw std::invalid_argument("certificate: a constant is not positive");
  const Rational spare = *end * Rational::power_of_two(2 - constant_bits);
  return round_relative(up ? *end + spare : *end - spare, constant_bits);
}

InitFields init_fields(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                       const PositiveCertificate& certificate) {
  const KernelAnalysis<Ball> a = analysis_at(problem, centre);
  const Rational sigma = rounded(certificate.constant("sigma"), false),
                 J = rounded(certificate.constant("J"), true),
                 R = rounded(Ball(4) * sqrt(Ball(2) * a.loss()) / Ball(sigma), true),
                 L_J = lipschitz_above(a, R, sigma, problem.trained);
  if (Rational(2) * L_J * R > sigma)
    throw std::invalid_argument("certificate: L_J R <= sigma / 2 is too close to an equality");
  const Rational most = J + L_J * R, residual = sigma * R / Rational(4),
                 L = most * most + L_J * (residual + most * R);
  InitFields fields;
  fields.init = bounds_field(a, R, sigma, L_J);
  fields.init["J"] = fraction(J);
  fields.eta = rounded(Ball(Rational(1) / L), false);
  return fields;
}

Json zero_loss_field(const LandscapeProblem& problem, const std::vector<Rational>& centre,
                     const ZeroLossResult& result) {
  const KernelAnalysis<Ball> a = analysis_at(problem, centre);
  const Rational sigma = rounded(result.sigma, false);
  const Ball r = sqrt(Ball(2) * max(a.loss(), Ball(least_loss)));
  const Rational R = rounded(Ball(2) * r / Ball(sigma), true),
                 L_J = lipschitz_above(a, R, sigma, problem.trained);
  if (!certainly(less(r * Ball(Rational(2) * L_J), Ball(sigma * sigma))))
    throw std::invalid_argument("certificate: L_J |r| <= sigma^2 / 2 is too close to an equality");
  return bounds_field(a, R, sigma, L_J);
}

}  // namespace heed::detail
