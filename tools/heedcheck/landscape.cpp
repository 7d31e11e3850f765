// SPDX-License-Identifier: Apache-2.0
#include "landscape.hpp"

#include <algorithm>

#include "landscape_ball.hpp"
#include "landscape_gauge.hpp"
#include "landscape_theorem.hpp"

namespace heedcheck {
namespace {

using Names = std::vector<std::string_view>;

struct Claim {
  std::string word, second;
  bool lower = false;  // non_global, fails_forever: the witness lies below
};

// The second words that may follow.
Names second_words(const std::string& word) {
  if (is_theorem(word)) return second_words_of_theorem(word);
  return {word == "trap" ? "fails_forever" : "non_global"};
}

Claim read_claim(const Value& certificate) {
  const Names words = {
      "stationary", "stationary_exact", "minimum", "not_minimum", "saddle", "index", "trap"};
  const std::vector<Value>& list = list_of(certificate.at("claim"), "claim");
  require_form(list.size() == 1 || list.size() == 2, "claim is not a list of one or two words");
  Claim claim;
  claim.word = string_of(list[0], "claim");
  require_form(
      is_theorem(claim.word) || std::find(words.begin(), words.end(), claim.word) != words.end(),
      "claim begins with \"" + claim.word.substr(0, 40) + "\"");
  if (list.size() == 2) {
    claim.second = string_of(list[1], "claim");
    const Names seconds = second_words(claim.word);
    require_form(std::find(seconds.begin(), seconds.end(), claim.second) != seconds.end(),
                 "claim goes on with \"" + claim.second.substr(0, 40) + "\"");
    claim.lower = !is_theorem(claim.word);
  }
  return claim;
}

void require_fields_of(const Value& certificate, const Claim& claim) {
  Names must = {"format", "version", "kind", "claim", "sha256", "bits"};
  must.insert(must.end(), layer_fields.begin(), layer_fields.end());
  if (claim.lower) must.push_back("witness");
  if (is_theorem(claim.word)) {
    const Names fields = fields_of_theorem(claim.word);
    must.insert(must.end(), fields.begin(), fields.end());
  } else if (claim.word == "trap") {
    must.push_back("trap");
  } else {
    must.push_back("centre");
    const bool box = claim.word != "stationary_exact" &&
                     (claim.word == "stationary" || certificate.find("radius") != nullptr);
    if (box) must.insert(must.end(), {"radius", "A"});
    if (box && certificate.find("frozen") != nullptr) {
      must.insert(must.end(), {"frozen", "gauge"});
    }
  }
  if (claim.word == "not_minimum" || claim.word == "saddle") must.push_back("v");
  if (claim.word == "saddle") must.push_back("u");
  if (claim.word == "index") must.insert(must.end(), {"V", "index"});
  require_fields(certificate, must, {"info"}, "the certificate");
}

PointBox read_box(const Value& certificate, const Layer& layer) {
  PointBox box;
  const std::size_t P = layer.coordinates();
  box.centre = rationals(array(certificate.at("centre"), P, "centre"));
  if (const Value* radius = certificate.find("radius")) {
    const Fraction r = fraction(*radius, "radius");
    require_form(r.num > 0, "radius is not positive");
    box.radius = mpq_class(r.num, r.den);
    box.radius.canonicalize();
  }
  if (const Value* frozen = certificate.find("frozen")) {
    for (const Value& item : list_of(*frozen, "frozen")) {
      const std::size_t k = index_of(item, P, "frozen");
      require_form(box.frozen.empty() || box.frozen.back() < k, "frozen is not rising");
      box.frozen.push_back(k);
    }
    require_form(!box.frozen.empty() && box.frozen.size() < P,
                 "frozen holds no coordinate, or all");
  }
  for (std::size_t k = 0; k < P; ++k) {
    if (!std::binary_search(box.frozen.begin(), box.frozen.end(), k)) box.free.push_back(k);
  }
  return box;
}

// What a file has beside the layer; fields that it does not have stay empty.
struct Parts {
  PointBox box;
  Rationals A, u, v, V, witness;
  std::size_t index = 0;
  std::vector<Direction> gauge;
  Trap trap;
  std::optional<CurvatureTrap> by_curvature;
};

Parts read_parts(const Value& certificate, const Claim& claim, const Layer& layer) {
  Parts parts;
  const auto read = [&](const char* name, std::size_t count, Rationals& numbers) {
    const Value* value = certificate.find(name);
    if (value != nullptr) numbers = rationals(array(*value, count, name));
  };
  read("witness", layer.coordinates(), parts.witness);
  if (claim.word == "trap") {
    const Value& trap = certificate.at("trap");
    if (is_by_curvature(trap)) {
      parts.by_curvature = read_curvature_trap(trap, layer);
    } else {
      parts.trap = read_trap(trap, layer);
    }
    return parts;
  }
  parts.box = read_box(certificate, layer);
  const std::size_t order = parts.box.free.size();
  read("A", order * order, parts.A);
  read("V", order * order, parts.V);
  read("u", order, parts.u);
  read("v", order, parts.v);
  if (const Value* index = certificate.find("index")) {
    parts.index = index_of(*index, order + 1, "index");
  }
  if (const Value* gauge = certificate.find("gauge")) {
    parts.gauge = read_gauge(*gauge, layer, parts.box);
  }
  return parts;
}

class Checker {
 public:
  Checker(const Layer& layer, const Claim& claim, const Parts& parts, Verdict& verdict)
      : layer_(layer),
        claim_(claim),
        parts_(parts),
        verdict_(verdict),
        model_(layer, beta_of(layer)) {}

  void trap() {
    const TrapBounds bounds = prove_trap(layer_, model_, parts_.trap);
    bound("start_loss", {}, bounds.start_hi);
    bound("boundary_loss", bounds.boundary_lo, {});
    bound("region_loss", bounds.region_lo, {});
    bound("eta", {}, parts_.trap.eta);
    verdict_.statements.push_back(
        "gradient descent on f from theta_0 with any step up to eta stays in B for ever");
    if (claim_.lower) below(bounds.region_lo, "f on B");
  }

  void curvature_trap() {
    const CurvatureTrap& trap = *parts_.by_curvature;
    const CurvatureTrapBounds bounds = prove_curvature_trap(model_, trap);
    bound("start_loss", {}, bounds.start_hi);
    bound("boundary_loss", bounds.boundary_lo, {});
    bound("region_loss", bounds.region_lo, {});
    bound("eta", {}, trap.eta);
    if (trap.radius) bound("radius", {}, *trap.radius);
    if (trap.start_radius) bound("start_radius", {}, *trap.start_radius);
    verdict_.statements.push_back(
        std::string("gradient descent on f from ") +
        (trap.start_radius ? "every theta_0 within start_radius of the centre" : "theta_0") +
        " with any step up to eta stays in B for ever");
    if (bounds.one_minimum) {
      verdict_.statements.push_back(
          "it converges to the only stationary point of f in B, a local minimum");
    }
    if (claim_.lower) below(bounds.region_lo, "f on B");
  }

  void point() {
    const PointBox& box = parts_.box;
    const bool exact = box.radius == 0;
    Gauge gauge = Gauge::none;
    const IntervalMatrix H = hessian(model_, box);
    mpq_class lowest;
    if (exact) {
      lowest = prove_exactly_stationary(layer_, box.centre);
      bound("loss", lowest, lowest);
      verdict_.statements.push_back(
          "the gradient of f by the trained blocks is exactly 0 at the centre");
    } else {
      prove_isolated_zero(model_, box, parts_.A, H);
      if (!box.frozen.empty()) gauge = prove_transversal(parts_.gauge, layer_, box);
      const Interval f = model_.loss(enclose(box), {}, model_.all()).value;
      lowest = f.lower();
      bound("loss", lowest, f.upper());
      bound("radius", {}, box.radius);
      verdict_.statements.push_back(
          gauge == Gauge::none
              ? "within the radius of the centre lies exactly one stationary point of f"
              : "within the radius of the centre, and with the frozen coordinates, lies exactly "
                "one "
                "stationary point of f, of all trained blocks");
    }
    // All matrices of H are nonsingular after prove_isolated_zero: one of them has the signs of all.
    curvature(H, exact ? H : middle(H), gauge);
    if (claim_.lower) below(lowest, "f at the point");
  }

 private:
  void bound(const char* name, const std::optional<mpq_class>& lo,
             const std::optional<mpq_class>& hi) {
    verdict_.quantities.push_back(quantity(name, lo, hi));
  }

  void curvature(const IntervalMatrix& H, const IntervalMatrix& signs, Gauge gauge) {
    const std::string& word = claim_.word;
    const std::string slice = gauge == Gauge::none ? "" : " in the slice of the frozen coordinates";
    std::string statement;
    if (word == "minimum") {
      prove_minimum(signs);
      statement = "it is a strict local minimum" + slice;
      if (gauge == Gauge::nearby) {
        statement += "; of all trained blocks a local minimum, strict modulo the flat directions";
      }
    } else if (word == "not_minimum" || word == "saddle") {
      prove_curvature_sign(H, parts_.v, false, "v^T H v < 0 is not proved over the box");
      statement = "it is no local minimum";
      if (word == "saddle") {
        prove_curvature_sign(H, parts_.u, true, "u^T H u > 0 is not proved over the box");
        statement = "it is a saddle: neither a local minimum nor a local maximum";
      }
    } else if (word == "index") {
      prove_index(signs, parts_.V, parts_.index);
      statement =
          "the Hessian" + slice + " has no eigenvalue 0 and index " + std::to_string(parts_.index);
    }
    if (!statement.empty()) verdict_.statements.push_back(statement);
  }

  // f(witness) < lowest.
  void below(const mpq_class& lowest, const std::string& what) {
    const std::vector<Interval> theta(parts_.witness.begin(), parts_.witness.end());
    const mpq_class f = model_.loss(theta, {}, model_.all()).value.upper();
    require_proof(f < lowest, "the loss of the witness is not proved to lie below " + what);
    bound("witness_loss", {}, f);
    bound("gap", mpq_class(lowest - f), {});
    verdict_.statements.push_back(
        claim_.word == "trap" ? "it fails for ever: the witness has a lower loss than all of B"
                              : "it is no global minimum: the witness has a lower loss");
  }

  const Layer& layer_;
  const Claim& claim_;
  const Parts& parts_;
  Verdict& verdict_;
  Model<Interval> model_;
};

}  // namespace

Verdict check_landscape(const Value& certificate, const Expected& expected) {
  const Claim claim = read_claim(certificate);
  require_fields_of(certificate, claim);
  const Layer layer = read_layer(certificate);
  Interval::set_bits(
      static_cast<unsigned long>(integer_of(certificate.at("bits"), 32, 65536, "bits")));
  Verdict verdict;
  verdict.kind = "landscape";
  verdict.problem = layer.problem;
  verdict.claim.push_back(claim.word);
  if (!claim.second.empty()) verdict.claim.push_back(claim.second);
  verdict.sha256 = string_of(certificate.at("sha256"), "sha256");
  require_form(is_digest(verdict.sha256), "sha256 is not 64 digits 0-9a-f");
  if (is_theorem(claim.word)) {
    const Theorem theorem = read_theorem(certificate, claim.word, layer);
    require_expected(layer.sha256, verdict, expected);
    prove_theorem(theorem, claim.second, layer, verdict);
    return verdict;
  }
  const Parts parts = read_parts(certificate, claim, layer);
  require_expected(layer.sha256, verdict, expected);
  Checker checker(layer, claim, parts, verdict);
  if (claim.word != "trap") {
    checker.point();
  } else {
    parts.by_curvature ? checker.curvature_trap() : checker.trap();
  }
  return verdict;
}

}  // namespace heedcheck
