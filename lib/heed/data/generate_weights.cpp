// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "heed/data/detail/message.hpp"
#include "heed/data/detail/random.hpp"
#include "heed/data/generate.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/write.hpp"

namespace heed {
namespace {

using detail::Random;
using detail::require_parameter;

/// Row t: (1/n) sum over samples with more than t tokens of y_i xbar_i.
Matrix<Rational> mean_label_token(const MhaInstance& instance) {
  const std::size_t d = instance.dim();
  Matrix<Rational> ubar(instance.max_tokens(), d);
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const Matrix<Rational>& X = instance.X[i];
    const Rational weight(static_cast<long>(instance.y[i]),
                          static_cast<long>(X.rows() * instance.samples()));
    for (std::size_t k = 0; k < d; ++k) {
      Rational sum;
      for (std::size_t t = 0; t < X.rows(); ++t) sum += X(t, k);
      for (std::size_t t = 0; t < X.rows(); ++t) ubar(t, k) += weight * sum;
    }
  }
  return ubar;
}

/// 1/sqrt H, exact if H is a square.
Rational inverse_root(std::size_t heads, bool& exact) {
  std::size_t root = 1;
  while (root * root < heads) ++root;
  exact = root * root == heads;
  if (exact) return Rational(1L, static_cast<long>(root));
  return Rational(1 / std::sqrt(static_cast<double>(heads)));
}

MhaWeights one_step(MhaInstance& instance, const Rational& eta0, std::size_t heads,
                    Random& random) {
  bool exact = true;
  Rational scale = eta0 * inverse_root(heads, exact);
  if (instance.loss == Loss::logistic) scale /= Rational(2);
  if (!exact) {
    instance.notes.push_back("H = " + std::to_string(heads) +
                             " is not a square: 1/sqrt H was rounded to the nearest double");
  }
  const Matrix<Rational> ubar = mean_label_token(instance);
  MhaWeights weights;
  for (std::size_t h = 0; h < heads; ++h) {
    const Rational s = random.sign() > 0 ? scale : -scale;
    weights.U.push_back(map(ubar, [&](const Rational& x) { return s * x; }));
    weights.W.emplace_back(instance.dim(), instance.dim());
  }
  return weights;
}

MhaWeights zero(const MhaInstance& instance, std::size_t heads) {
  const Matrix<Rational> U(instance.max_tokens(), instance.dim());
  const Matrix<Rational> W(instance.dim(), instance.dim());
  return {std::vector<Matrix<Rational>>(heads, U), std::vector<Matrix<Rational>>(heads, W)};
}

MhaWeights gaussian(const MhaInstance& instance, double sd, std::size_t heads, Random& random) {
  MhaWeights weights;
  const auto fill = [&](Matrix<Rational> a) {
    for (Rational& x : a.entries()) x = Rational(random.normal(sd));
    return a;
  };
  for (std::size_t h = 0; h < heads; ++h) {
    weights.U.push_back(fill({instance.max_tokens(), instance.dim()}));
    weights.W.push_back(fill({instance.dim(), instance.dim()}));
  }
  return weights;
}

Rational parse_argument(const std::string& text, std::size_t colon) {
  try {
    return Rational::parse(std::string_view(text).substr(colon + 1));
  } catch (const std::invalid_argument& error) {
    throw InputError("weights: " + text.substr(0, colon) + ": " +
                     detail::printable(error.what(), 240));
  }
}

}  // namespace

WeightSpec parse_weight_spec(const std::string& text) {
  WeightSpec spec;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const bool argument = colon != std::string::npos;
  if (kind == "zero" && !argument) {
    spec.kind = WeightSpec::Kind::zero;
  } else if (kind == "gaussian" && argument) {
    spec.kind = WeightSpec::Kind::gaussian;
    const Rational sd = parse_argument(text, colon);
    spec.gaussian_sd = sd.nearest_double();
    require_parameter(sd.sign() >= 0 && spec.gaussian_sd <= 1e100, "weights: gaussian",
                      "a standard deviation from 0 to 1e100", detail::in_quotes(text));
  } else if (kind == "one-step" && argument) {
    spec.kind = WeightSpec::Kind::one_step;
    spec.eta0 = parse_argument(text, colon);
  } else {
    require_parameter(text == "none", "weights", "none, zero, gaussian:SD or one-step:ETA0",
                      detail::in_quotes(text));
  }
  return spec;
}

void set_weights(MhaInstance& instance, const WeightSpec& spec, std::size_t heads,
                 std::uint64_t seed) {
  if (spec.kind == WeightSpec::Kind::none) {
    instance.weights.reset();
    return;
  }
  require_parameter(heads > 0, "heads", "at least one head", "0");
  const std::size_t d = instance.dim(), rows = instance.max_tokens() + d;
  require_parameter(heads <= detail::max_generated_numbers / std::max<std::size_t>(rows * d, 1),
                    "heads",
                    "at most " + std::to_string(detail::max_generated_numbers) + " numbers in all",
                    std::to_string(heads) + " x " + std::to_string(rows * d));
  Random random(seed, detail::Stream::weights);
  std::string text = "zero";
  if (spec.kind == WeightSpec::Kind::zero) {
    instance.weights = zero(instance, heads);
  } else if (spec.kind == WeightSpec::Kind::gaussian) {
    instance.weights = gaussian(instance, spec.gaussian_sd, heads, random);
    text = "gaussian:" + detail::double_text(spec.gaussian_sd);
  } else {
    instance.weights = one_step(instance, spec.eta0, heads, random);
    text = "one-step:" + exact_text(spec.eta0);
  }
  instance.origin += (instance.origin.empty() ? "" : "; ") + ("weights " + text) +
                     " H=" + std::to_string(heads) + " seed=" + std::to_string(seed);
}

}  // namespace heed
