// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "heed/data/detail/random.hpp"
#include "heed/data/generate.hpp"

namespace heed {
namespace {

using detail::Random;
using detail::require_parameter;

MhaInstance generate(const TokenSpec& spec, bool unit_norm) {
  detail::require_sizes(spec.samples, spec.tokens, spec.dim);
  require_parameter(spec.scale >= 0 && spec.scale <= 1e100, "scale", "a number from 0 to 1e100",
                    detail::double_text(spec.scale));
  require_parameter(!unit_norm || spec.scale == 1, "scale", "1 for tokens of norm 1",
                    detail::double_text(spec.scale));
  Random random(spec.seed, detail::Stream::tokens);
  MhaInstance instance;
  instance.name = unit_norm ? "unit tokens" : "gaussian tokens";
  instance.origin = instance.name + ": n=" + std::to_string(spec.samples) +
                    " T=" + std::to_string(spec.tokens) + " d=" + std::to_string(spec.dim) +
                    " scale=" + detail::double_text(spec.scale) +
                    " labels=" + (spec.labels == Labels::coin ? "coin" : "balanced") +
                    " seed=" + std::to_string(spec.seed);
  instance.y = detail::random_labels(spec.samples, spec.labels, spec.seed);
  std::vector<double> token(spec.dim);
  for (std::size_t i = 0; i < spec.samples; ++i) {
    Matrix<Rational> tokens(spec.tokens, spec.dim);
    for (std::size_t t = 0; t < spec.tokens; ++t) {
      double norm = 0;
      while (norm == 0) {
        for (double& x : token) {
          x = random.normal(unit_norm ? 1 : spec.scale);
          norm = std::hypot(norm, x);
        }
        if (!unit_norm) break;
      }
      for (std::size_t k = 0; k < spec.dim; ++k) {
        tokens(t, k) = Rational(unit_norm ? token[k] / norm : token[k]);
      }
    }
    instance.X.push_back(std::move(tokens));
  }
  return instance;
}

}  // namespace

MhaInstance generate_gaussian_tokens(const TokenSpec& spec) { return generate(spec, false); }
MhaInstance generate_unit_tokens(const TokenSpec& spec) { return generate(spec, true); }

}  // namespace heed
