// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/decouple.hpp"

#include "heed/landscape/detail/token_data.hpp"

namespace heed {
namespace {

std::vector<Rational> column(const Matrix<Rational>& a, std::size_t j) {
  std::vector<Rational> x;
  for (std::size_t i = 0; i < a.rows(); ++i) x.push_back(a(i, j));
  return x;
}

std::string wrong_dimension(const KernelInstance& instance) {
  if (instance.heads() != 1) return "more than one head";
  if (instance.key_dim() != 1) return "keys of dimension d > 1";
  if (instance.output_dim() != 1) return "outputs of dimension p > 1";
  return "";
}

Ternary all_of(Ternary a, Ternary b) {
  if (certainly_not(a) || certainly_not(b)) return Ternary::certainly_false;
  return certainly(a) && certainly(b) ? Ternary::certainly_true : Ternary::unknown;
}

void scale(std::optional<Rational>& product, std::optional<std::size_t> factor) {
  if (!factor)
    product.reset();
  else if (product)
    *product *= Rational(static_cast<long>(*factor));
}

}  // namespace

Decoupling decouple(const KernelInstance& instance, AttentionKernel kernel) {
  Decoupling result;
  result.reason = wrong_dimension(instance);
  if (result.reason.empty()) result.reason = detail::coupling(instance);
  if (!result.reason.empty()) return result;
  result.applies = true;
  result.square = instance.dim() == instance.samples() * instance.tokens();
  result.orthonormal = detail::has_orthonormal_tokens(instance);
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const std::vector<Rational> keys = column(detail::keys_of(instance, i, 0), 0);
    const std::vector<Rational> values = column(detail::values_of(instance, i, 0), 0);
    const std::vector<Rational> queries = column(detail::queries_of(instance, i, 0), 0);
    for (std::size_t a = 0; a < instance.tokens(); ++a) {
      result.tokens.push_back({keys, values, instance.Y[i](a, 0), instance.beta, kernel});
      result.queries.push_back(queries[a]);
    }
  }
  return result;
}

LandscapeOfSum combine(const Decoupling& decoupling, const std::vector<Landscape1d>& tokens) {
  LandscapeOfSum sum;
  sum.attained = Ternary::certainly_true;
  bool all_benign = true, some_bad = false, some_without = false, some_unknown = false;
  std::optional<Rational> all{Rational(1)}, global{Rational(1)};
  for (const Landscape1d& token : tokens) {
    sum.infimum += token.infimum;
    sum.attained = all_of(sum.attained, token.attained);
    const bool constant = token.status == LandscapeStatus::constant;
    const bool known = constant || token.lists_all();
    scale(all, known ? std::optional(token.minima()) : std::nullopt);
    scale(global, known ? token.global_minima() : std::nullopt);
    all_benign = all_benign && certainly(token.globally_benign());
    some_bad = some_bad || certainly_not(token.globally_benign());
    if (constant || token.minima() > 0) continue;
    (known ? some_without : some_unknown) = true;
  }
  // A minimum of f has a minimum in every token, and is bad if one of them is.
  if (some_without) all = global = Rational(0);
  if (all_benign || some_without)
    sum.benign = Ternary::certainly_true;
  else if (some_bad && !some_unknown)
    sum.benign = Ternary::certainly_false;
  sum.minima = all;
  sum.global_minima = global;
  if (all && global) sum.bad_minima = *all - *global;
  if (all) sum.strict_minima = decoupling.square ? *all : Rational(0);
  return sum;
}

}  // namespace heed
