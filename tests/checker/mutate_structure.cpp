// SPDX-License-Identifier: Apache-2.0
#include "mutant.hpp"

namespace tamper {
namespace {

std::string member(const std::string& name, const Json& value) {
  return Json(name).dump() + ":" + value.dump();
}

// The text with one more member at the beginning or at the end of the object that starts at `open`.
std::string with_first(const std::string& text, std::size_t open, const std::string& one) {
  return text.substr(0, open + 1) + one + "," + text.substr(open + 1);
}
std::string with_last(const std::string& text, const std::string& one) {
  return text.substr(0, text.size() - 1) + "," + one + "}";
}

void repeat_names(const Json& c, const Sink& sink) {
  const std::string text = c.dump();
  for (const auto& [name, value] : c.items()) {
    const std::string field = name;
    const auto emit = [&](const std::string& what, const std::string& changed) {
      sink("R2 " + field + ": " + what, changed, Must::malformed);
    };
    emit("twice the same", with_first(text, 0, member(name, value)));
    emit("null first", with_first(text, 0, member(name, nullptr)));
    emit("null last", with_last(text, member(name, nullptr)));
    emit("same last", with_last(text, member(name, value)));
    if (!value.is_object()) continue;
    const std::size_t open = text.find(Json(name).dump() + ":{") + Json(name).dump().size() + 1;
    for (const auto& [inner, inner_value] : value.items()) {
      emit("twice " + inner, with_first(text, open, member(inner, inner_value)));
      emit("null first as " + inner, with_first(text, open, member(inner, nullptr)));
    }
  }
  sink("R2 twice inside info", with_last(text, R"("info":{"a":1,"a":1})"), Must::malformed);
  sink("R2 twice deep inside info", with_last(text, R"("info":[{"b":{"a":1,"c":0,"a":2}}])"),
       Must::malformed);
  sink("R2 twice by an escape", with_last(text, R"("vers\u0069on":1)"), Must::malformed);
}

void change_fields(const Json& c, const Sink& sink) {
  for (const char* name : {"note", "Claim", "claim ", " claim", "radius", "gap", "status", "", "F2",
                           "__proto__", "dim", "W", "den", "num"}) {
    sink(std::string("R3 unknown field ") + name, with(c, std::string("/") + name, 1).dump(),
         Must::malformed);
  }
  sink("R3 empty name", R"({"":1,)" + c.dump().substr(1), Must::malformed);
  const bool free_point = c.at("problem") == "fro" && !is_tied(c);
  for (const auto& [name, value] : c.items()) {
    const Json less = without(c, name);
    const bool side = name == "scores" || name == "self";
    if (side) {
      sink("R3 without " + name + ", old hash", less.dump(), Must::invalid);
      sink("R3 without " + name, rehashed(less).dump(), Must::other_data);
    } else if (name == "mu" && c.at("problem") != "fro-eq") {
      if (!value.at("num").empty()) sink("R3 without mu", less.dump(), Must::invalid);
    } else if (name == "primal" && free_point) {
      sink("R3 without primal", less.dump(), Must::same_statement);
    } else if (name != "info") {
      sink("R3 without " + name, less.dump(), Must::malformed);
    }
    if (name != "info") {
      sink("R3 null as " + name, with(c, "/" + name, nullptr).dump(), Must::malformed);
      sink("R3 list around " + name, with(c, "/" + name, Json::array({value})).dump(),
           Must::malformed);
      sink("R3 object around " + name, with(c, "/" + name, Json{{"value", value}}).dump(),
           Must::malformed);
    }
    if (!value.is_object() || name == "info") continue;
    sink("R3 unknown field in " + name, with(c, "/" + name + "/note", 1).dump(), Must::malformed);
    for (const auto& [inner, inner_value] : value.items()) {
      sink("R3 without " + inner + " in " + name, with(c, "/" + name, without(value, inner)).dump(),
           Must::malformed);
      sink("R3 null as " + inner + " in " + name, with(c, "/" + name + "/" + inner, nullptr).dump(),
           Must::malformed);
    }
  }
}

void change_words(const Json& c, const Sink& sink) {
  const std::vector<Json> versions = {true, 1.0, "1", 2, 0, -1, nullptr, Json::array({1}), "0x1"};
  for (const Json& value : versions) {
    sink("R4 version " + value.dump(), with(c, "/version", value).dump(), Must::malformed);
  }
  for (const char* value : {"heed-certificate-2", "heed-certificate-1 ", "heed-certificate",
                            "HEED-CERTIFICATE-1", "attn-svm-certificate", ""}) {
    sink(std::string("format ") + value, with(c, "/format", value).dump(), Must::malformed);
  }
  std::string digest = c.at("sha256");
  sink("hash of zeros", with(c, "/sha256", std::string(64, '0')).dump(), Must::invalid);
  std::string other = digest;
  other[10] = other[10] == '0' ? '1' : '0';
  sink("hash with another digit", with(c, "/sha256", other).dump(), Must::invalid);
  for (const std::string& value : {digest.substr(1), digest + "0", "0x" + digest, digest + " ",
                                   std::string(64, 'A'), std::string("sha256"), std::string()}) {
    sink("hash " + value.substr(0, 8), with(c, "/sha256", value).dump(), Must::malformed);
  }
}

void break_json(const Json& c, const Sink& sink) {
  const std::string t = c.dump();
  const auto emit = [&](const std::string& what, const std::string& text) {
    sink("R1 " + what, text, Must::malformed);
  };
  const auto with_version = [&](const std::string& version) {
    const std::string old = "\"version\":1";
    std::string text = t;
    return text.replace(text.find(old), old.size(), "\"version\":" + version);
  };
  for (const char* version : {"NaN", "Infinity", "-0", "01", "1e0", "1.", "+1", "0x1", "1E0",
                              "1000000000000000000000000000001", "-18446744073709551615",
                              "18446744073709551617", "4294967297"}) {
    emit(std::string("version ") + version, with_version(version));
  }
  for (const std::string place : {"\"idx\":[", "\"select\":[[", "\"self\":["}) {
    const std::size_t at = t.find(place + "0");
    if (at == std::string::npos) continue;
    for (const char* zero : {"-0", "00", "0.0", "0e0", "false"}) {
      std::string text = t;
      emit(place + zero, text.replace(at + place.size(), 1, zero));
    }
  }
  emit("empty", "");
  emit("a blank", " ");
  emit("object behind it", t + " {}");
  emit("itself behind it", t + t);
  emit("comma behind it", t + ",");
  emit("NUL behind it", t + std::string(1, '\0'));
  emit("NUL and text behind it", t + std::string(1, '\0') + "{}");
  emit("byte-order mark", "\xef\xbb\xbf" + t);
  emit("in a list", "[" + t + "]");
  emit("as a string", Json(t).dump());
  emit("comment", "/* */" + t);
  emit("line comment", t + "// comment");
  emit("trailing comma", t.substr(0, t.size() - 1) + ",}");
  emit("apostrophes", "{'format': 'heed-certificate-1'}");
  emit("invalid UTF-8", with_last(t, "\"info\":\"\xff\""));
  emit("overlong UTF-8", with_last(t, "\"info\":\"\xc0\x80\""));
  emit("lone surrogate", with_last(t, R"("info":"\ud800")"));
  emit("control character", with_last(t, "\"info\":\"\n\""));
  emit("NaN in info", with_last(t, "\"info\":NaN"));
  for (const std::size_t depth : {65U, 100000U}) {
    emit("nested lists",
         with_last(t, "\"info\":" + std::string(depth, '[') + std::string(depth, ']')));
  }
  std::string objects;
  for (int k = 0; k < 50000; ++k) objects += "{\"a\":";
  emit("nested objects", with_last(t, "\"info\":" + objects + "1" + std::string(50000, '}')));
  for (std::size_t k = 1; k < 40; ++k) emit("truncated", t.substr(0, t.size() * k / 40));
}

}  // namespace

void mutate_structure(const Json& good, const Sink& sink) {
  repeat_names(good, sink);
  change_words(good, sink);
  break_json(good, sink);
}

void mutate_fields(const Json& good, const Sink& sink) { change_fields(good, sink); }

}  // namespace tamper
