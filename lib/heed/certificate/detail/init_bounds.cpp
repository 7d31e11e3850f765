// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/init_bounds.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "heed/landscape/detail/dyadic.hpp"
#include "heed/theory/kernel_jacobian.hpp"

namespace heed::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr int constant_bits = 40;
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
    const TokenSizes<Ball> sizes = token_sizes(a, i);
    j["spread"].push_back(norms.bound(sizes.spread));
    j["products"].push_back(norms.bound(sizes.products));
  }
  return j;
}

}  // namespace

Rational rounded(const Ball& x, bool up) {
  const auto end = approx_midpoint(up ? x.upper() : x.lower());
  if (!end || end->sign() <= 0)
    throw std::invalid_argument("certificate: a constant is not positive");
  const Rational spare = *end * Rational::power_of_two(2 - constant_bits);
  return round_relative(up ? *end + spare : *end - spare, constant_bits);
}

InitFields init_fields(const LandscapeProblem& problem, const PositiveCertificate& certificate) {
  const KernelAnalysis<Ball> a(
      std::make_shared<const KernelFacts>(problem.instance, problem.kernel));
  const Rational sigma = rounded(certificate.constant("sigma"), false),
                 J = rounded(certificate.constant("J"), true),
                 R = rounded(Ball(4) * sqrt(Ball(2) * a.loss()) / Ball(sigma), true);
  const Ball spare = Ball(1) + ldexp(Ball(1), -spare_bits);
  // L_J = 0 where J does not depend on the trained block.
  const Ball least(sigma / R * Rational::power_of_two(-constant_bits));
  const Rational L_J =
      rounded(max(jacobian_lipschitz(a, Ball(R), problem.trained), least) * spare, true);
  if (Rational(2) * L_J * R > sigma)
    throw std::invalid_argument("certificate: L_J R <= sigma / 2 is too close to an equality");
  const Rational most = J + L_J * R, residual = sigma * R / Rational(4),
                 L = most * most + L_J * (residual + most * R);
  InitFields fields;
  fields.init = {{"R", fraction(R)},
                 {"sigma", fraction(sigma)},
                 {"J", fraction(J)},
                 {"L_J", fraction(L_J)},
                 {"norms", norms_of(a, R * Rational::power_of_two(-constant_bits))}};
  fields.eta = rounded(Ball(Rational(1) / L), false);
  return fields;
}

}  // namespace heed::detail
