// SPDX-License-Identifier: Apache-2.0
#include "mutant.hpp"

namespace tamper {
namespace {

void change_numbers(const Json& c, const Sink& sink) {
  for (const std::string& path : array_paths(c)) {
    const Json& array = c.at(Path(path));
    const std::size_t size = array.at("num").size();
    for (std::size_t k = 0; k < size && k < 12; ++k) {
      const Json changed = with(c, path, nudged(array, k));
      sink("data " + path + " by 2^-20, old hash", changed.dump(), Must::invalid);
      sink("data " + path + " by 2^-20, new hash", rehashed(changed).dump(), Must::other_data);
      const Json plus =
          with(c, path + "/num/" + std::to_string(k), hexadecimal(number(array.at("num")[k]) + 1));
      sink("data " + path + " plus one, old hash", plus.dump(), Must::invalid);
      sink("data " + path + " plus one, new hash", rehashed(plus).dump(), Must::other_data);
    }
    if (size > 1 && array.at("num")[0] != array.at("num")[1]) {
      Json swapped = array;
      std::swap(swapped["num"][0], swapped["num"][1]);
      sink("data " + path + " swapped, old hash", with(c, path, swapped).dump(), Must::invalid);
      sink("data " + path + " swapped, new hash", rehashed(with(c, path, swapped)).dump(),
           Must::other_data);
    }
  }
}

void change_sizes(const Json& c, const Sink& sink) {
  for (const char* name : {"n", "d"}) {
    const int size = c.at(name);
    const std::string path = std::string("/") + name;
    for (const Json& value :
         {Json(0), Json(true), Json(-1), Json(-size), Json(size + 1), Json(double(size)),
          Json(std::to_string(size)), Json(1e30), Json(1000001), Json(4294967296 + size),
          Json(INT64_MAX), Json(nullptr), Json::array({size}), Json("0x1")}) {
      sink(std::string("R4 ") + name + " = " + value.dump(), rehashed(with(c, path, value)).dump(),
           Must::malformed);
    }
    if (size > 1) {
      sink(std::string("R4 ") + name + " smaller", rehashed(with(c, path, size - 1)).dump(),
           Must::malformed);
    }
  }
  if (c.at("form") != "rows") return;
  const int n = c.at("n"), d = c.at("d");
  if (n != d) {
    sink("n and d swapped, old hash", with(with(c, "/n", d), "/d", n).dump(), Must::invalid);
    sink("n and d swapped", rehashed(with(with(c, "/n", d), "/d", n)).dump(), Must::other_data);
  }
}

void change_lengths(const Json& c, const Sink& sink) {
  if (c.at("form") == "rows") return;
  const Json& T = c.at("T");
  const int first = T[0];
  const auto emit = [&](const std::string& what, Json value) {
    sink("R4 T " + what, rehashed(with(c, "/T", std::move(value))).dump(), Must::malformed);
  };
  emit("an integer", first);
  emit("empty", Json::array());
  emit("a string", "T");
  emit("null", nullptr);
  emit("an object", {{"0", first}});
  Json longer = T, shorter = T;
  longer.push_back(1);
  shorter.erase(shorter.size() - 1);
  emit("one long", longer);
  emit("one short", shorter);
  for (const Json& value : {Json(0), Json(true), Json(double(first)), Json(-first), Json(first + 1),
                            Json(std::to_string(first)), Json(nullptr), Json(4294967296 + first),
                            Json(1000001), Json::array({first})}) {
    emit("begins with " + value.dump(), with(T, "/0", value));
  }
  if (T.size() < 2) return;
  const int second = T[1];
  const Json moved = with(c, "/T", with(with(T, "/0", first + 1), "/1", second - 1));
  sink("token moved to the input before, old hash", moved.dump(), Must::invalid);
  sink("token moved to the input before, new hash", rehashed(moved).dump(), Must::other_data);
  if (first > 1) {
    const Json back = with(c, "/T", with(with(T, "/0", first - 1), "/1", second + 1));
    sink("token moved to the next input, new hash", rehashed(back).dump(), Must::other_data);
  }
}

}  // namespace

void mutate_data(const Json& good, const Sink& sink) {
  change_numbers(good, sink);
  change_sizes(good, sink);
  change_lengths(good, sink);
}

}  // namespace tamper
