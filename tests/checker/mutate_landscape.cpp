// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

void add_fields(const Json& c, const Sink& sink) {
  const auto foreign = [&](const char* name, const Json& value) {
    if (!c.contains(name)) {
      sink(std::string("R3 foreign field ") + name, with(c, std::string("/") + name, value).dump(),
           Must::malformed);
    }
  };
  for (const char* name : {"note", "Claim", "claim ", "", "loss", "form", "problem", "lambda", "mu",
                           "primal", "T", "Z", "F", "select", "scores", "self", "rhs", "box"}) {
    foreign(name, 1);
  }
  // Fields of other claims, with values that they could have there.
  const std::size_t P = c.contains("witness") ? c.at("witness").at("num").size() : 1;
  const Json array = array_of(std::vector<mpq_class>(P, 0));
  for (const char* name : {"centre", "u", "v", "V", "A", "witness"}) foreign(name, array);
  foreign("radius", {"0x1", "0x3e8"});
  foreign("frozen", Json::array({0}));
  foreign("gauge", Json::array({{{"shift", array}}}));
  foreign("index", 0);
  foreign("critical", Json::array());
  for (const char* name : {"eta", "mu", "L"}) foreign(name, {"0x1", "0x1"});
  foreign("trap", {{"lower", array}, {"upper", array}, {"theta_0", array}});
}

void drop_fields(const Json& c, const Sink& sink) {
  for (const auto& item : c.items()) {
    const std::string name = item.key();
    const Json& value = item.value();
    if (name == "info") continue;
    sink("R3 without " + name, without(c, name).dump(), Must::malformed);
    const auto emit = [&](const std::string& what, Json changed) {
      sink("R3 " + what + " " + name, with(c, "/" + name, std::move(changed)).dump(),
           Must::malformed);
    };
    emit("null as", nullptr);
    emit("list around", Json::array({value}));
    emit("object around", {{"value", value}});
    emit("true as", true);
    emit("text of", value.dump());
    if (!value.is_object()) continue;
    emit("unknown field in", with(value, "/note", 1));
    for (const auto& [inner, inner_value] : value.items()) {
      emit("without " + inner + " in", without(value, inner));
      emit("null as " + inner + " in", with(value, "/" + inner, nullptr));
    }
  }
}

void change_claims(const Json& c, const Sink& sink) {
  const Json first = c.at("claim")[0];
  for (const Json& claim :
       {Json::array(), Json(first), Json::array({"global"}), Json::array({"minimum", "minimum"}),
        Json::array({"non_global"}), Json::array({"non_global", first}),
        Json::array({first, "global"}), Json::array({first, "non_global", "non_global"}),
        Json::array({first, first == "trap" ? "non_global" : "fails_forever"}),
        Json::array({"Minimum"}), Json::array({""}), Json::array({1}), Json::array({nullptr}),
        Json::array({Json::array({first})}), Json{{"lo", {"0x0", "0x1"}}, {"hi", {"0x1", "0x1"}}},
        Json{{"0", first}}}) {
    sink("claim " + claim.dump(), with(c, "/claim", claim).dump(), Must::malformed);
  }
  for (const char* kind : {"margin", "infeasible", "Landscape", "landscape ", "point", ""}) {
    sink(std::string("kind ") + kind, with(c, "/kind", kind).dump(), Must::malformed);
  }
  if (is_theorem(c)) return;
  const bool lower = c.at("claim").size() == 2;
  if (lower) {
    sink("second word dropped, witness kept", with(c, "/claim", Json::array({first})).dump(),
         Must::malformed);
    sink("second word dropped with the witness",
         without(with(c, "/claim", Json::array({first})), "witness").dump(), Must::same_statement);
  }
  const Json second = first == "trap" ? "fails_forever" : "non_global";
  const Json& place = c.contains("centre") ? c : c.at("trap");
  const Json point = place.contains("centre") ? place.at("centre") : place.at("theta_0");
  Json own = with(c, "/claim", Json::array({first, second}));
  if (!lower) sink("second word without a witness", own.dump(), Must::malformed);
  own["witness"] = point;
  sink("the point itself as witness", own.dump(), Must::invalid);
}

void change_bits(const Json& c, const Sink& sink) {
  for (const Json& bits : {Json(0), Json(-128), Json(31), Json(65537), Json(true), Json(128.0),
                           Json("0x80"), Json(INT64_MAX), Json(1e300)}) {
    sink("bits " + bits.dump(), with(c, "/bits", bits).dump(), Must::malformed);
  }
  for (const int bits : {32, 33, 40, 48, 63, 65, 127, 1000}) {
    sink("bits " + std::to_string(bits), with(c, "/bits", bits).dump(), Must::same_statement);
  }
}

void change_sizes(const Json& c, const Sink& sink) {
  const std::vector<const char*> names = {"N", "n", "m", "D", "H", "d", "d_v", "p"};
  for (const char* name : names) {
    const int size = c.at(name);
    const std::string path = std::string("/") + name;
    for (const Json& value : {Json(0), Json(true), Json(-1), Json(-size), Json(double(size)),
                              Json(std::to_string(size)), Json(1000001), Json(4294967296 + size),
                              Json(INT64_MAX), Json(nullptr), Json::array({size}), Json("0x1")}) {
      sink("R4 " + path + " = " + value.dump(), rehashed(with(c, path, value)).dump(),
           Must::malformed);
    }
    for (const int other : {size + 1, size - 1, 2 * size}) {
      sink("R4 " + path + " = " + std::to_string(other), rehashed(with(c, path, other)).dump(),
           Must::malformed);
    }
    for (const char* other : names) {
      if (c.at(name) == c.at(other)) continue;
      const Json swapped = with(with(c, path, c.at(other)), std::string("/") + other, c.at(name));
      sink(std::string("sizes swapped, old hash ") + name + other, swapped.dump(), Must::invalid);
      sink(std::string("sizes swapped ") + name + other, rehashed(swapped).dump(),
           Must::other_data);
    }
  }
}

void change_problem(const Json& c, const Sink& sink) {
  for (const char* kernel : {"softmax", "gaussian", "gaussian/n", "gaussian-normalised"}) {
    if (c.at("kernel") == kernel) continue;
    sink(std::string("kernel ") + kernel, with(c, "/kernel", kernel).dump(), Must::other_norm);
  }
  for (const char* kernel : {"", "Softmax", "gaussian ", "gaussian_over_n", "linear"}) {
    sink(std::string("kernel ") + kernel, with(c, "/kernel", kernel).dump(), Must::malformed);
  }
  const std::vector<Json> blocks = {"W_Q", "W_K", "W_V", "W_O"};
  for (unsigned set = 0; set < 16; ++set) {
    Json trained = Json::array();
    for (unsigned k = 0; k < 4; ++k) {
      if ((set >> k & 1U) != 0) trained.push_back(blocks[k]);
    }
    if (trained == c.at("trained")) continue;
    sink("trained " + trained.dump(), with(c, "/trained", trained).dump(),
         set == 0 ? Must::malformed : Must::other_norm);
  }
  Json doubled = c.at("trained"), unknown = doubled;
  doubled.push_back(doubled.back());
  unknown.push_back("U");
  for (const Json& trained :
       {doubled, unknown, Json("W_Q"), Json::array({1}), Json::array({"W_O", "W_Q"}),
        Json::array({"all"}), Json{{"W_Q", true}}}) {
    sink("trained " + trained.dump(), with(c, "/trained", trained).dump(), Must::malformed);
  }
  for (const Json& power : {Json(0), Json(3), Json(-1), Json(true), Json("2"), Json(1.0)}) {
    sink("beta power " + power.dump(), rehashed(with(c, "/beta/power", power)).dump(),
         Must::malformed);
  }
  const int other = 3 - c.at("beta").at("power").get<int>();
  sink("the other power of beta, old hash", with(c, "/beta/power", other).dump(), Must::invalid);
  sink("the other power of beta", rehashed(with(c, "/beta/power", other)).dump(), Must::other_data);
}

}  // namespace

void mutate_landscape_fields(const Json& good, const Sink& sink) {
  add_fields(good, sink);
  drop_fields(good, sink);
  change_claims(good, sink);
  change_bits(good, sink);
}

void mutate_landscape_data(const Json& good, const Sink& sink) {
  change_sizes(good, sink);
  change_problem(good, sink);
  for (const std::string& path : array_paths(good)) {
    if (!is_data(good, path)) continue;
    const Json& array = good.at(Path(path));
    for (std::size_t k = 0; k < array.at("num").size() && k < 12; ++k) {
      const Json changed = with(good, path, nudged(array, k));
      sink("data " + path + " by 2^-20, old hash", changed.dump(), Must::invalid);
      sink("data " + path + " by 2^-20, new hash", rehashed(changed).dump(), Must::other_data);
    }
  }
  for (const char* sign : {"-0x1", "0x0"}) {
    sink("beta not positive", rehashed(with(good, "/beta/value/num/0", sign)).dump(),
         Must::malformed);
  }
}

}  // namespace tamper
