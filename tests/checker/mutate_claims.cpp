// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

bool selects(const Json& selected, int t) {
  return std::find(selected.begin(), selected.end(), Json(t)) != selected.end();
}

void change_selection(const Json& c, const Sink& sink) {
  const bool scores = c.contains("scores");
  const Json& select = c.at("select");
  for (std::size_t i = 0; i < select.size(); ++i) {
    const std::string path = "/select/" + std::to_string(i);
    const int T = c.at("T")[i];
    const auto malformed = [&](const std::string& what, Json value) {
      sink("select " + what, rehashed(with(c, path, std::move(value))).dump(), Must::malformed);
    };
    malformed("of T_i", Json::array({T}));
    malformed("of -1", Json::array({-1}));
    malformed("of true", Json::array({true}));
    malformed("of a float", Json::array({select[i][0].get<double>()}));
    malformed("of a string", Json::array({select[i][0].dump()}));
    malformed("of null", Json::array({nullptr}));
    malformed("of a list", Json::array({select[i]}));
    malformed("of 2^32", Json::array({4294967296 + select[i][0].get<int>()}));
    malformed("empty", Json::array());
    malformed("not a list", select[i][0]);
    Json repeated = select[i];
    repeated.push_back(select[i][0]);
    malformed("with a repeated index", repeated);
    for (int t = 0; t < T; ++t) {
      if (selects(select[i], t)) continue;
      const Json other = with(c, path, Json::array({t}));
      Json larger = select[i];
      larger.push_back(t);
      const Must must = scores ? Must::invalid : Must::other_data;
      sink("another token selected, old hash", other.dump(), Must::invalid);
      sink("another token selected, new hash", rehashed(other).dump(), must);
      sink("one token more selected, old hash", with(c, path, larger).dump(), Must::invalid);
      sink("one token more selected, new hash", rehashed(with(c, path, larger)).dump(), must);
    }
    if (select[i].size() < 2) continue;
    const Must must = scores ? Must::invalid : Must::other_data;
    Json fewer = with(c, path, Json::array({select[i][0]}));
    sink("one of the tied tokens selected", rehashed(fewer).dump(), must);
    fewer = without(fewer, "mu");
    sink("one of the tied tokens selected, no mu", rehashed(fewer).dump(), must);
    Json turned = select[i];
    std::swap(turned[0], turned[1]);
    sink("order of the tied tokens, old hash", with(c, path, turned).dump(), Must::invalid);
    sink("order of the tied tokens, new hash", rehashed(with(c, path, turned)).dump(),
         Must::other_data);
  }
  Json longer = select, shorter = select;
  longer.push_back(Json::array({0}));
  shorter.erase(shorter.size() - 1);
  sink("select one long", rehashed(with(c, "/select", longer)).dump(), Must::malformed);
  sink("select one short", rehashed(with(c, "/select", shorter)).dump(), Must::malformed);
}

bool has_inequality(const Json& c) {
  for (std::size_t i = 0; i < c.at("T").size(); ++i) {
    if (c.at("select")[i].size() < c.at("T")[i].get<std::size_t>()) return true;
  }
  return false;
}

void change_scores(const Json& c, const Sink& sink) {
  const std::size_t n = c.at("n"), d = c.at("d");
  const Json zeros = {{"den", "0x1"}, {"num", std::vector<Json>(d, "0x0")}};
  if (!c.contains("scores")) {
    if (!has_inequality(c)) return;
    Json claimed = with(c, "/scores", {{"y", std::vector<int>(n, 1)}, {"v", zeros}});
    sink("scores claimed with v = 0", rehashed(claimed).dump(), Must::invalid);
    sink("scores claimed, old hash", claimed.dump(), Must::invalid);
    return;
  }
  const Json& y = c.at("scores").at("y");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string path = "/scores/y/" + std::to_string(i);
    const Json flipped = with(c, path, -y[i].get<int>());
    // an input whose tokens all are selected, or which has one token, fits both labels
    const bool decided = c.at("select")[i].size() < c.at("T")[i].get<std::size_t>();
    sink("label flipped", rehashed(flipped).dump(), decided ? Must::invalid : Must::other_data);
    sink("label flipped, old hash", flipped.dump(), Must::invalid);
    for (const Json& value : {Json(0), Json(true), Json(1.0), Json(2), Json(-2), Json("1"),
                              Json("0x1"), Json(nullptr), Json(INT64_MIN), Json(UINT64_MAX)}) {
      sink("label " + value.dump(), rehashed(with(c, path, value)).dump(), Must::malformed);
    }
  }
  Json shorter = y, longer = y;
  shorter.erase(shorter.size() - 1);
  longer.push_back(1);
  sink("a label less", rehashed(with(c, "/scores/y", shorter)).dump(), Must::malformed);
  sink("a label more", rehashed(with(c, "/scores/y", longer)).dump(), Must::malformed);
  sink("v zero", rehashed(with(c, "/scores/v", zeros)).dump(), Must::invalid);
  std::vector<mpz_class> negated;
  for (const Json& x : c.at("scores").at("v").at("num")) negated.push_back(-number(x));
  sink("v negated", rehashed(with(c, "/scores/v/num", hexadecimal_list(negated))).dump(),
       Must::invalid);
}

void change_self(const Json& c, const Sink& sink) {
  const std::size_t n = c.at("n"), d = c.at("d");
  if (!c.contains("self")) {
    // a nudged query is no token any more
    const Json free = with(c, "/Z", nudged(c.at("Z"), 0));
    Json claimed = with(free, "/self", std::vector<int>(n, 0));
    sink("self claimed of free queries", rehashed(claimed).dump(), Must::invalid);
    sink("self claimed, old hash", with(c, "/self", std::vector<int>(n, 0)).dump(), Must::invalid);
    return;
  }
  const Json& self = c.at("self");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string path = "/self/" + std::to_string(i);
    const int T = c.at("T")[i], own = self[i];
    for (int t = 0; t < T; ++t) {
      if (t == own) continue;
      sink("self names another token", rehashed(with(c, path, t)).dump(), Must::invalid);
      sink("self names another token, old hash", with(c, path, t).dump(), Must::invalid);
    }
    for (const Json& value : {Json(T), Json(-1), Json(true), Json(double(own)), Json(nullptr),
                              Json(std::to_string(own)), Json::array({own})}) {
      sink("self " + value.dump(), rehashed(with(c, path, value)).dump(), Must::malformed);
    }
  }
  Json shorter = self, longer = self;
  shorter.erase(shorter.size() - 1);
  longer.push_back(0);
  sink("self one short", rehashed(with(c, "/self", shorter)).dump(), Must::malformed);
  sink("self one long", rehashed(with(c, "/self", longer)).dump(), Must::malformed);
  for (std::size_t k = 0; k < n * d; ++k) {
    sink("a query off by 2^-20, self kept", rehashed(with(c, "/Z", nudged(c.at("Z"), k))).dump(),
         Must::invalid);
  }
}

}  // namespace

void mutate_claims(const Json& good, const Sink& sink) {
  if (good.at("form") == "rows") return;
  change_selection(good, sink);
  change_scores(good, sink);
  change_self(good, sink);
}

}  // namespace tamper
