// SPDX-License-Identifier: Apache-2.0
#include "checks/support/certified.hpp"
#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/tokens.hpp"
#include "heed/certificate/detail/gauge.hpp"
#include "heed/certificate/detail/landscape_fields.hpp"
#include "heed/certificate/landscape.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/numeric/precision.hpp"
#include "landscape_gauge.hpp"

namespace heed::checks {
namespace {

using Json = nlohmann::ordered_json;

void count_words(const Json& gauge, Tally& tally) {
  for (const Json& g : gauge)
    ++tally[g.begin().key() + (g.contains("E") ? " E" : "") +
            (g.contains("block") ? " " + g["block"].get<std::string>() : "")];
}

void require_valid(const LandscapeProblem& p, const PointReport& r, Tally& tally) {
  if (!strongest_claim(r)) return;
  const std::string certificate = landscape_certificate(p, r);
  const Checked answer = heedcheck(p, certificate);
  if (!answer.valid) {
    // Its intervals may be wider than the library's balls; the gauge is not what may fail.
    require(answer.reason.rfind("K is not", 0) == 0 || answer.reason.rfind("the Hessian", 0) == 0,
            p.trained.to_string() + ", " + to_string(r.kind) + ": " + answer.reason);
    ++tally["box too wide for heedcheck"];
    return;
  }
  const Json j = Json::parse(certificate);
  ++tally[j["claim"][0].get<std::string>()];
  if (j.contains("gauge")) count_words(j["gauge"], tally);
}

// Targets next to the outputs: the weights are next to a minimum.
LandscapeProblem attained(LandscapeProblem p) {
  const KernelModel<Ball> model = LandscapeModel(p).at(p.start());
  for (std::size_t i = 0; i < p.instance.samples(); ++i)
    for (std::size_t e = 0; e < p.instance.Y[i].size(); ++e) {
      const auto y = detail::approx_midpoint(model.outputs(i).data()[e]);
      if (y) p.instance.Y[i].data()[e] = detail::round_binary(*y, 10);
    }
  return p;
}

void points(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  LandscapeOptions options;
  options.search.starts = 4;
  options.search.iterations = 40;
  options.search.most = 2;
  options.max_bits = 256;
  options.witnesses = false;
  for (const LandscapeProblem& p : landscape_problems(k, 14)) {
    const PrecisionScope precision(128);
    const LandscapeProblem a = attained(p);
    require_valid(a, certify_point(a, {a.start(), Rational(0), {}}, options), tally);
    if (p.parameters() > 8) continue;
    for (const PointReport& r : analyse(p, options).points) require_valid(p, r, tally);
  }
}

// Boxes of growing width around points that need not be stationary.
void gauges(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const PrecisionScope precision(128);
  heedcheck::Interval::set_bits(192);
  for (const LandscapeProblem& p : landscape_problems(k, 40)) {
    PointBox box{p.start(), Rational(0), approx_gauge(p, p.start())};
    if (box.frozen.empty() || box.frozen.size() == p.parameters()) continue;
    const heedcheck::Layer layer = heedcheck::read_layer(
        heedcheck::parse(detail::landscape_fields(p, {"minimum"}, 64).dump()));
    for (const long width : {-30, -12, -8, -6, -5, -4, -3, -2, -1, 0}) {
      box.radius = Rational::power_of_two(width);
      const bool proved = transversality(p, box).kind == VerdictKind::proved;
      if (!proved) break;
      const bool nearby = transversality(p, box, FlatScope::nearby).kind == VerdictKind::proved;
      const Json field = detail::gauge_field(p, box);
      heedcheck::PointBox same;
      for (const Rational& x : box.centre) same.centre.emplace_back(x.to_string());
      same.radius = mpq_class(box.radius.to_string());
      same.frozen = box.frozen;
      same.free = box.free_indices();
      try {
        const auto gauge = heedcheck::prove_transversal(
            heedcheck::read_gauge(heedcheck::parse(field.dump()), layer, same), layer, same);
        require(nearby == (gauge == heedcheck::Gauge::nearby), "nearby");
      } catch (const heedcheck::Invalid& refusal) {
        ++tally["refused at radius 2^" + std::to_string(width)];
        if (width < -4) fail(p.trained.to_string() + ": " + refusal.what());
        break;
      }
      ++tally["boxes"];
      ++tally["radius 2^" + std::to_string(width)];
      count_words(field, tally);
    }
  }
}

// Tokens with more structure than most: multiples of one vector in each sample, or differences that are
// multiples of one vector.
DrawnKernel draw_structured(Source& source, const SizeLimit&) {
  DrawnKernel drawn = draw_kernel_instance(source, {3, 4, 3, 2});
  KernelInstance& k = drawn.instance;
  const bool lines = source.chance(50), parallel = !lines && source.chance(60);
  const Matrix<Rational> steps = draw_matrix(source, NumberKind::integer, k.samples(), k.tokens());
  for (std::size_t i = 0; i < k.samples(); ++i)
    for (std::size_t a = 1; a < k.tokens(); ++a)
      for (std::size_t j = 0; j < k.dim(); ++j) {
        if (lines) k.X[i](a, j) = k.X[i](0, j) * steps(i, a) / Rational(4);
        if (parallel) k.X[i](a, j) = k.X[i](0, j) + k.X[0](0, j) * steps(i, a) / Rational(4);
      }
  drawn.tags.push_back(lines ? "tokens:lines" : parallel ? "tokens:parallel" : "tokens:free");
  return drawn;
}

}  // namespace

std::vector<Property> certificates_properties() {
  return {
      kernel_property("certificates.points",
                      "what is certified of a point has a certificate that heedcheck calls valid",
                      150, points, draw_structured),
      kernel_property("certificates.gauges",
                      "heedcheck proves the gauges that transversality proves", 300, gauges,
                      draw_structured)};
}

}  // namespace heed::checks
