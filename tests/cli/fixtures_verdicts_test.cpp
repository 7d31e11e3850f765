// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "cli/enclosure.hpp"
#include "cli/run.hpp"

using namespace cli_test;

namespace {

// Groups of stored bounds, by claim.
const std::map<std::string, std::string> groups = {{"mha.grad_bound", "grad"},
                                                   {"mha.hessian_bound", "hess_phi"},
                                                   {"mha.loss_grad", "loss_grad"},
                                                   {"mha.weak_convexity", "weak_convexity"},
                                                   {"mha.smoothness", "smoothness"}};

Rational number(const Json& j) { return Rational::parse(j.get<std::string>()); }
const Json& entry(const Json& values, std::size_t k) {
  return values.is_array() ? values[k] : values;
}

// True if a <= (1 - 1e-9) b.
bool clearly_below(const Rational& a, const Rational& b) {
  return b.sign() > 0 && a <= (Rational(1) - ten_to_minus(9)) * b;
}

// Whether the stored values say that the rung holds with room; nothing if they do not cover it.
std::optional<bool> stored_says(const Json& results, const std::string& id,
                                const std::string& rung) {
  const auto group = groups.find(id);
  if (group == groups.end() || !results.contains("bounds")) return std::nullopt;
  const Json& bounds = results["bounds"][group->second];
  if (!bounds.contains(rung)) return std::nullopt;
  // The left side: per sample for bounds of Phi, else the norm of the gradient or the exact rung.
  const Json& exact = group->second == "loss_grad" ? results["grad_L_norm"] : bounds["exact"];
  const std::size_t items = exact.is_array() ? exact.size() : 1;
  bool all = true;
  for (std::size_t k = 0; k < items; ++k)
    all = all && clearly_below(number(entry(exact, k)), number(entry(bounds[rung], k)));
  return all;
}

bool printed_says(const Json& claim) {
  const auto below = [](const Json& item) {
    return clearly_below(enclosure_of(item["lhs"]).hi, enclosure_of(item["rhs"]).lo);
  };
  if (!claim.contains("per_sample")) return below(claim);
  return std::all_of(claim["per_sample"].begin(), claim["per_sample"].end(), below);
}

// What each verdict promises about the printed sides.
void check_verdict(const Json& claim) {
  const std::string verdict = claim["verdict"];
  if (verdict == "not_applicable") {
    CHECK_FALSE(claim["reason"].get<std::string>().empty());
    CHECK(claim["lhs"].is_null());
    return;
  }
  CHECK((verdict == "proved" || verdict == "undecided"));
  const Enclosure lhs = enclosure_of(claim["lhs"]), rhs = enclosure_of(claim["rhs"]);
  if (verdict == "proved") CHECK(lhs.lo <= rhs.hi);
  if (verdict == "undecided") {
    CHECK(claim["equality"] == true);
    CHECK(holds(claim["reason"], "equality"));
    CHECK(lhs.meets(rhs));
  }
  for (const Json& h : claim["hypotheses"]) CHECK(h["status"] == "proved");
}

}  // namespace

TEST_CASE("no rung is refuted on a reference file, and every rung with room is proved") {
  std::size_t proved_by_stored = 0, proved_by_printed = 0;
  for (const auto& path : fixture_files()) {
    const Json results = Json::parse(bytes_of(path)).at("results");
    const Json j = heedcert_json({"verify", "--full", path.string()});
    CHECK(j["status"] == "proved");
    CHECK_FALSE(j["claims"].empty());
    for (const Json& claim : j["claims"]) {
      INFO(path.filename().string() << " " << claim["id"] << " " << claim["rung"] << ": "
                                    << claim["verdict"] << ", " << claim["reason"]);
      check_verdict(claim);
      if (claim["verdict"] == "not_applicable") continue;
      const std::optional<bool> stored = stored_says(results, claim["id"], claim["rung"]);
      const bool has_room = stored ? *stored : printed_says(claim);
      if (!has_room) continue;
      CHECK(claim["verdict"] == "proved");
      ++(stored ? proved_by_stored : proved_by_printed);
    }
    for (const Json& identity : j["identities"]) {
      INFO(path.filename().string() << " " << identity.dump());
      CHECK(identity["status"] != "inconsistent");
    }
  }
  CHECK(proved_by_stored > 200);
  CHECK(proved_by_printed > 150);
}
