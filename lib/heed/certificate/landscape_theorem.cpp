// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/landscape_theorem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "heed/certificate/detail/init_bounds.hpp"
#include "heed/certificate/detail/landscape_fields.hpp"
#include "heed/landscape/decouple.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/detail/token_sums.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int checker_bits = 160;
// Of the interval around a critical point, relative to the point: the widest, and the widest around a
// minimum whose value is compared with those of others.
constexpr int widest_bits = 24, widest_minimum_bits = 64;

// Points that no zero lies outside of, for both sums.
std::pair<Rational, Rational> range_of(const detail::TokenSums& sums) {
  long left = 0, right = 0;
  for (const detail::ExpSum* sum : {&sums.residual, &sums.slope}) {
    if (sum->terms.empty()) continue;
    const auto r = detail::right_tail(*sum), l = detail::right_tail(detail::mirrored(*sum));
    if (!r || !l) throw std::invalid_argument("certificate: no bound of the critical points");
    right = std::max(right, r->exponent);
    left = std::max(left, l->exponent);
  }
  return {-Rational::power_of_two(left), Rational::power_of_two(right)};
}

// The sum whose zero it is has a slope of one sign all over the interval, the other one no zero.
bool is_isolated(const TokenProblem& token, const CriticalPoint& point, const Rational& middle,
                 const Rational& half) {
  const Ball q = Ball::hull(Ball(middle - half), Ball(middle + half));
  const TokenValue v = evaluate(token, q);
  const auto certain = [](const Ball& x) { return x.is_finite() && !x.contains_zero(); };
  return point.kind == CriticalKind::global_minimum ? certain(v.first)
                                                    : certain(v.second) && certain(v.residual);
}

struct Enclosure {
  Rational middle, half;
};

Enclosure enclosure_of(const TokenProblem& token, const CriticalPoint& point) {
  const auto middle = detail::approx_midpoint(point.q);
  if (!middle || point.multiplicity != 1)
    throw std::invalid_argument("certificate: a critical point is degenerate");
  Enclosure e{detail::round_binary(*middle, 2 * checker_bits), Rational()};
  const Rational scale = std::max(abs(e.middle), Rational(1));
  const bool compared = point.kind == CriticalKind::local_minimum;
  for (int bits = compared ? widest_minimum_bits : widest_bits; bits < checker_bits; bits += 4) {
    e.half = detail::round_relative(scale * Rational::power_of_two(-bits), 1);
    const Ball reach = Ball(e.half) - abs(point.q - Ball(e.middle));
    if (!certainly(less(Ball(0), reach))) break;
    if (is_isolated(token, point, e.middle, Rational(2) * e.half)) return e;
  }
  throw std::invalid_argument("certificate: a critical point is not isolated in " +
                              std::to_string(checker_bits) + " bits");
}

Json critical(const TokenProblem& token, const Landscape1d& landscape) {
  std::vector<Rational> lower, upper;
  for (const CriticalPoint& point : landscape.points) {
    const Enclosure e = enclosure_of(token, point);
    lower.push_back(e.middle - e.half);
    upper.push_back(e.middle + e.half);
    if (lower.size() > 1 && !(upper[upper.size() - 2] < lower.back()))
      throw std::invalid_argument("certificate: two critical points are too close");
  }
  const auto [from, to] = range_of(detail::token_sums(token));
  return {{"range", detail::numbers({from, to})},
          {"lower", detail::numbers(lower)},
          {"upper", detail::numbers(upper)}};
}

int bits_for(double small, double large) {
  const double more = 2 * std::max(0.0, -std::log2(small)) + std::max(0.0, std::log2(large));
  return checker_bits + (more < 4000 ? static_cast<int>(more) : 4000);
}

// Bits in which pivots of J J^T - mu I, of entries of size L, keep their sign, and phi - y its own: the
// checker computes in fixed point.
int bits_of(const LandscapeProblem& problem, const PositiveCertificate& c) {
  if (c.claim == "landscape.pl")
    return bits_for(approx::to_double(c.constant("mu")), approx::to_double(c.constant("L")));
  if (c.claim == "landscape.init")
    return bits_for(approx::to_double(c.constant("sigma") * c.constant("R")),
                    approx::to_double(c.constant("J")));
  if (c.claim != "landscape.overshoot") return checker_bits;
  double least = 1;
  for (const Matrix<Rational>& y : problem.instance.Y)
    for (const Rational& x : y.entries()) least = std::min(least, x.nearest_double());
  return bits_for(least, 1);
}

}  // namespace

std::string complete_certificate(const LandscapeProblem& problem,
                                 const std::vector<Landscape1d>& tokens, const std::string& info) {
  const Decoupling decoupling = decouple(problem.instance, problem.kernel);
  if (!decoupling.applies || problem.trained != KernelBlocks(KernelBlock::query))
    throw std::invalid_argument("certificate: complete_1d: " + (decoupling.applies
                                                                    ? "W_Q alone is not trained"
                                                                    : decoupling.reason));
  if (tokens.size() != decoupling.tokens.size())
    throw std::invalid_argument("certificate: one landscape a token is needed");
  const PrecisionScope scope(checker_bits);
  std::vector<std::string> claim = {"complete_1d"};
  const LandscapeOfSum sum = combine(decoupling, tokens);
  if (certainly(sum.benign)) claim.emplace_back("benign");
  if (certainly_not(sum.benign)) claim.emplace_back("bad_minimum");
  Json list = Json::array();
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const LandscapeStatus status = tokens[k].status;
    if (status != LandscapeStatus::complete && status != LandscapeStatus::constant)
      throw std::invalid_argument("certificate: complete_1d: token " + std::to_string(k) + " is " +
                                  to_string(status));
    list.push_back(critical(decoupling.tokens[k], tokens[k]));
  }
  Json j = detail::landscape_fields(problem, claim, checker_bits);
  j["critical"] = std::move(list);
  return detail::text(std::move(j), info);
}

std::string positive_certificate(const LandscapeProblem& problem,
                                 const PositiveCertificate& certificate, const std::string& info,
                                 const std::optional<std::vector<Rational>>& centre) {
  if (certificate.kind != VerdictKind::proved)
    throw std::invalid_argument("certificate: " + certificate.claim + ": " + certificate.reason);
  const std::string word = certificate.claim.substr(certificate.claim.find('.') + 1);
  Json j = detail::landscape_fields(problem, {word}, bits_of(problem, certificate));
  const auto constant = [&](const char* name, bool up) {
    return detail::fraction(detail::rounded(certificate.constant(name), up));
  };
  const std::vector<Rational> start = centre.value_or(problem.start());
  if (word == "overshoot") {
    j["centre"] = detail::numbers(start);
    j["eta"] = constant("step_bound", false);
  } else if (word == "pl") {
    j["mu"] = constant("mu", false);
    j["L"] = constant("L", true);
  } else if (word == "init") {
    const PrecisionScope scope(j["bits"].get<int>());
    detail::InitFields fields = detail::init_fields(problem, start, certificate);
    j["centre"] = detail::numbers(start);
    j["eta"] = detail::fraction(fields.eta);
    j["init"] = std::move(fields.init);
  }
  return detail::text(std::move(j), info);
}

std::string zero_loss_certificate(const LandscapeProblem& problem,
                                  const std::vector<Rational>& centre, const ZeroLossResult& result,
                                  const std::string& info) {
  if (result.verdict.kind != VerdictKind::proved)
    throw std::invalid_argument("certificate: zero_loss: " + result.verdict.reason);
  const int bits = bits_for(approx::to_double(result.sigma * result.R), 1);
  const PrecisionScope scope(bits);
  Json j = detail::landscape_fields(problem, {"zero_loss"}, bits);
  j["centre"] = detail::numbers(centre);
  j["init"] = detail::zero_loss_field(problem, centre, result);
  return detail::text(std::move(j), info);
}

}  // namespace heed
