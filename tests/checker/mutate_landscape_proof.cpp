// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

using Numbers = std::vector<mpq_class>;

Numbers constants(std::size_t count, const mpq_class& value) { return Numbers(count, value); }

Numbers identity(std::size_t order) {
  Numbers entries(order * order, 0);
  for (std::size_t k = 0; k < order; ++k) entries[k * (order + 1)] = 1;
  return entries;
}

Numbers scaled(Numbers numbers, const mpq_class& factor) {
  for (mpq_class& x : numbers) x *= factor;
  return numbers;
}

Json fraction_json(const mpq_class& x) {
  return {hexadecimal(x.get_num()), hexadecimal(x.get_den())};
}

std::string claim_of(const Json& c) { return c.at("claim")[0]; }

Json with_claim(Json c, const std::string& word) {
  c["claim"][0] = word;
  return c;
}

std::size_t free_count(const Json& c) {
  return c.at("centre").at("num").size() - (c.contains("frozen") ? c.at("frozen").size() : 0);
}

bool is_free(const Json& c, std::size_t k) {
  return !c.contains("frozen") ||
         std::find(c.at("frozen").begin(), c.at("frozen").end(), Json(k)) == c.at("frozen").end();
}

// Entries of an array by 2^-20 of it and by 2^-10, 2^-20, 2^-40, as proofs of the same statement.
void nudge(const Json& c, const std::string& path, const Sink& sink, std::size_t most = 12) {
  const Json& array = c.at(Path(path));
  const Numbers numbers = numbers_of(array);
  for (std::size_t k = 0; k < numbers.size() && k < most; ++k) {
    sink(path + " by 2^-20 of it", with(c, path, nudged(array, k)).dump(), Must::same_statement);
    for (const unsigned bits : {10U, 20U, 40U}) {
      for (const int sign : {1, -1}) {
        Numbers moved = numbers;
        moved[k] += mpq_class(sign, mpz_class(1) << bits);
        sink(path + " moved", with(c, path, array_of(moved)).dump(), Must::same_statement);
      }
    }
  }
}

void move_box(const Json& c, const Sink& sink) {
  nudge(c, "/centre", sink);
  const Numbers centre = numbers_of(c.at("centre"));
  if (!c.contains("radius")) {
    Json box = with(c, "/radius", {"0x1", "0x3e8"});
    sink("exact with a radius", box.dump(), Must::malformed);
    if (claim_of(c) == "stationary_exact") return;
    box["A"] = array_of(constants(centre.size() * centre.size(), 0));
    sink("exact as a box with A = 0", box.dump(), Must::invalid);
    return;
  }
  const mpq_class r = fraction_of(c.at("radius"));
  for (std::size_t k = 0; k < centre.size(); ++k) {
    for (const int sign : {1, -1}) {
      for (const auto& [what, factor, must] :
           {std::tuple{"half a radius", mpq_class(1, 2), Must::same_statement},
            std::tuple{"2.1 radii", mpq_class(21, 10), Must::invalid},
            std::tuple{"1000 radii", mpq_class(1000), Must::invalid}}) {
        Numbers moved = centre;
        moved[k] += sign * factor * r;
        // In a frozen coordinate it is the box of another slice.
        sink(std::string("centre by ") + what, with(c, "/centre", array_of(moved)).dump(),
             is_free(c, k) ? must : Must::same_statement);
      }
    }
  }
  for (const mpq_class& factor : {mpq_class(1, 1000000), mpq_class(1, 2), mpq_class(2),
                                  mpq_class(1000), mpq_class(1000000)}) {
    sink("another radius", with(c, "/radius", fraction_json(r * factor)).dump(),
         Must::same_statement);
  }
  // f may be quadratic in values and outputs, and then any radius is right.
  const bool bent = c.at("trained")[0] == "W_Q" || c.at("trained")[0] == "W_K";
  sink("radius 10^12", with(c, "/radius", {"0xe8d4a51000", "0x1"}).dump(),
       bent ? Must::invalid : Must::same_statement);
  sink("radius 0", with(c, "/radius", {"0x0", "0x1"}).dump(), Must::malformed);
  const Numbers A = numbers_of(c.at("A"));
  const auto emit = [&](const std::string& what, const Numbers& other, Must must) {
    sink("A " + what, with(c, "/A", array_of(other)).dump(), must);
  };
  emit("zero", constants(A.size(), 0), Must::invalid);
  emit("negated", scaled(A, -1), Must::invalid);
  emit("times 5/2", scaled(A, mpq_class(5, 2)), Must::invalid);
  emit("times 9/10", scaled(A, mpq_class(9, 10)), Must::same_statement);
  emit("times 2^-40", scaled(A, mpq_class(1, mpz_class(1) << 40)), Must::same_statement);
  emit("of ones", constants(A.size(), 1), Must::same_statement);
  for (std::size_t k = 0; k < free_count(c); ++k) {
    Numbers other = A;
    std::fill_n(other.begin() + static_cast<std::ptrdiff_t>(k * free_count(c)), free_count(c), 0);
    emit("with a row of zeros", other, Must::invalid);
  }
  nudge(c, "/A", sink);
}

// The claim on the box replaced by one that contradicts it, with directions that could deceive.
void contradict(const Json& c, const Sink& sink) {
  const std::string word = claim_of(c);
  const std::size_t order = free_count(c);
  Json bare = c;
  for (const char* name : {"u", "v", "V", "index"}) bare.erase(name);
  const bool up = word == "minimum" || (word == "index" && c.at("index") == 0);
  const bool down =
      word == "not_minimum" || word == "saddle" || (word == "index" && c.at("index") != 0);
  if (word != "stationary_exact") {
    const bool exact = !c.contains("radius");
    sink("only stationary", with_claim(bare, exact ? "stationary_exact" : "stationary").dump(),
         Must::same_statement);
    sink("the other way to be stationary",
         with_claim(bare, exact ? "stationary" : "stationary_exact").dump(), Must::malformed);
    Json other = without(without(without(without(bare, "radius"), "A"), "frozen"), "gauge");
    sink("box as exact", with_claim(other, "stationary_exact").dump(), Must::same_statement);
  }
  if (word == "stationary" || word == "stationary_exact") {
    sink("minimum of a stationary point", with_claim(bare, "minimum").dump(), Must::same_statement);
  }
  if (down) sink("minimum", with_claim(bare, "minimum").dump(), Must::invalid);
  for (std::size_t k = 0; k < order; ++k) {
    Numbers unit(order, 0);
    unit[k] = 1;
    Json other = with_claim(bare, "not_minimum");
    other["v"] = array_of(unit);
    sink("not_minimum along an axis", other.dump(), up ? Must::invalid : Must::same_statement);
    other = with_claim(other, "saddle");
    other["u"] = array_of(unit);
    sink("saddle with u = v", other.dump(), Must::invalid);
    other["v"] = array_of(constants(order, 0));
    sink("saddle with v = 0", other.dump(), Must::invalid);
  }
  const std::size_t index = word == "index" ? c.at("index").get<std::size_t>() : 0;
  for (std::size_t k = 0; k <= order; ++k) {
    Json other = with_claim(bare, "index");
    other["V"] = word == "index" ? c.at("V") : array_of(identity(order));
    other["index"] = k;
    const bool wrong = (up && k != 0) || (down && k == 0) || (word == "index" && k != index);
    sink("index " + std::to_string(k), other.dump(), wrong ? Must::invalid : Must::same_statement);
    other["V"] = array_of(constants(order * order, 0));
    sink("index with V = 0", other.dump(), Must::invalid);
    other["V"] = array_of(scaled(identity(order), mpq_class(3, 2)));
    sink("index with V = 3/2 I", other.dump(), Must::invalid);
  }
}

void change_directions(const Json& c, const Sink& sink) {
  const std::string word = claim_of(c);
  for (const char* path : {"/u", "/v"}) {
    if (!c.contains(Path(path))) continue;
    const Numbers w = numbers_of(c.at(Path(path)));
    const auto emit = [&](const std::string& what, const Numbers& other, Must must) {
      sink(path + (" " + what), with(c, path, array_of(other)).dump(), must);
    };
    emit("zero", constants(w.size(), 0), Must::invalid);
    emit("negated", scaled(w, -1), Must::same_statement);
    emit("times 1000", scaled(w, 1000), Must::same_statement);
    nudge(c, path, sink);
  }
  if (word == "saddle") {
    sink("u and v exchanged", with(with(c, "/u", c.at("v")), "/v", c.at("u")).dump(),
         Must::invalid);
    sink("v for both", with(c, "/u", c.at("v")).dump(), Must::invalid);
    sink("u for both", with(c, "/v", c.at("u")).dump(), Must::invalid);
    sink("v only", without(c, "u").dump(), Must::malformed);
  }
  if (word != "index") return;
  nudge(c, "/V", sink);
  for (const Json& index :
       {Json(-1), Json(true), Json("0x0"), Json(1.0), Json(free_count(c) + 1)}) {
    sink("index " + index.dump(), with(c, "/index", index).dump(), Must::malformed);
  }
}

bool same_frozen(const Json& a, const Json& b) {
  if (a.contains("frozen") != b.contains("frozen")) return false;
  return !a.contains("frozen") || a.at("frozen") == b.at("frozen");
}

// 1: a minimum, -1: none, 0: not said.
int sign_of(const Json& c) {
  const std::string word = claim_of(c);
  if (word == "index") return c.at("index") == 0 ? 1 : -1;
  return word == "minimum" ? 1 : word == "not_minimum" || word == "saddle" ? -1 : 0;
}

bool same_signs(const Json& a, const Json& b) { return sign_of(a) * sign_of(b) >= 0; }

}  // namespace

bool landscapes_agree(const Json& a, const Json& b) {
  for (const char* name : {"sha256", "kernel", "trained"}) {
    if (a.at(name) != b.at(name)) return false;
  }
  if (is_theorem(a) || is_theorem(b)) return theorems_agree(a, b);
  if (claim_of(a) == "trap" || claim_of(b) == "trap") {
    return claim_of(a) == claim_of(b) && traps_agree(a, b);
  }
  if (!same_frozen(a, b) || !same_signs(a, b)) return false;
  // Both boxes hold the point: they meet, in one slice.
  const Numbers ca = numbers_of(a.at("centre")), cb = numbers_of(b.at("centre"));
  const auto radius = [](const Json& c) {
    return c.contains("radius") ? fraction_of(c.at("radius")) : mpq_class(0);
  };
  const mpq_class reach = radius(a) + radius(b);
  for (std::size_t k = 0; k < ca.size(); ++k) {
    if (is_free(a, k) && abs(ca[k] - cb[k]) > reach) return false;
    if (!is_free(a, k) && ca[k] != cb[k]) return false;
  }
  return true;
}

bool is_image_of_point(const Json& a, const Json& b) {
  for (const char* name : {"sha256", "kernel", "trained"}) {
    if (a.at(name) != b.at(name)) return false;
  }
  if (!a.contains("centre") || !b.contains("centre")) return false;
  if (!same_frozen(a, b) || !same_signs(a, b)) return false;
  const Numbers ca = numbers_of(a.at("centre")), cb = numbers_of(b.at("centre"));
  bool other_slice = false, reflected = true;
  for (std::size_t k = 0; k < ca.size(); ++k) {
    other_slice = other_slice || (!is_free(a, k) && ca[k] != cb[k]);
    reflected = reflected && cb[k] == -ca[k];
  }
  return other_slice || reflected;
}

void mutate_landscape_point(const Json& good, const Sink& sink) {
  if (claim_of(good) == "trap" || is_theorem(good)) return;
  move_box(good, sink);
  contradict(good, sink);
  change_directions(good, sink);
  if (good.contains("witness")) {
    nudge(good, "/witness", sink);
    const Numbers witness = numbers_of(good.at("witness"));
    Numbers longer = witness, shorter = witness;
    longer.emplace_back(0);
    shorter.pop_back();
    sink("witness one long", with(good, "/witness", array_of(longer)).dump(), Must::malformed);
    sink("witness one short", with(good, "/witness", array_of(shorter)).dump(), Must::malformed);
  }
}

void mutate_landscape_gauge(const Json& good, const Sink& sink) {
  if (!good.contains("gauge")) return;
  const Json& gauge = good.at("gauge");
  const std::size_t P = good.at("centre").at("num").size();
  const auto emit = [&](const std::string& what, const Json& other, Must must) {
    sink("gauge " + what, with(good, "/gauge", other).dump(), must);
  };
  Json longer = gauge, shorter = gauge;
  longer.push_back(gauge[0]);
  shorter.erase(shorter.size() - 1);
  emit("one long", longer, Must::malformed);
  emit("one short", shorter, Must::malformed);
  for (std::size_t k = 0; k < gauge.size(); ++k) {
    const std::string at = "/" + std::to_string(k), word = gauge[k].begin().key();
    const Numbers numbers = numbers_of(gauge[k].at(word));
    for (std::size_t other = 0; other < gauge.size(); ++other) {
      if (other != k) emit("with one twice", with(gauge, at, gauge[other]), Must::invalid);
    }
    const auto change = [&](const std::string& what, const Numbers& other, Must must) {
      emit(what, with(gauge, at + "/" + word, array_of(other)), must);
    };
    change("zero", constants(numbers.size(), 0), Must::invalid);
    change("times -3", scaled(numbers, -3), Must::same_statement);
    for (std::size_t q = 0; q < numbers.size() && q < 12; ++q) {
      Numbers moved = numbers;
      moved[q] += 1;
      change("moved", moved, Must::same_statement);
      // A vector that only pretends to be flat reaches any frozen coordinate.
      Numbers unit(P, 0);
      unit[q % P] = 1;
      emit("a unit vector", with(gauge, at, {{"shift", array_of(unit)}}), Must::same_statement);
    }
    Numbers all(P, 1);
    emit("a shift of everything", with(gauge, at, {{"shift", array_of(all)}}),
         Must::same_statement);
    for (const char* other : {"turn", "mix"}) {
      if (word == other || word == "shift") continue;
      Json renamed = {{other, gauge[k].at(word)}, {"head", gauge[k].at("head")}};
      emit("renamed", with(gauge, at, renamed), Must::invalid);
    }
    emit("without its numbers", with(gauge, at, without(gauge[k], word)), Must::malformed);
    emit("further field", with(gauge, at + "/note", 1), Must::malformed);
    emit("null", with(gauge, at, nullptr), Must::malformed);
    emit("empty", with(gauge, at, Json::object()), Must::malformed);
    emit("two kinds", with(gauge, at, {{"shift", array_of(all)}, {"head", 0}}), Must::malformed);
    if (!gauge[k].contains("head")) continue;
    for (const Json& head : {Json(-1), good.at("H"), Json(true), Json("0x0"), Json(0.0)}) {
      emit("head " + head.dump(), with(gauge, at + "/head", head), Must::malformed);
    }
    emit("no head", with(gauge, at, without(gauge[k], "head")), Must::malformed);
  }
  std::reverse(longer.begin(), longer.end());
  longer.erase(longer.size() - 1);
  emit("reversed", longer, Must::same_statement);
  const Json& frozen = good.at("frozen");
  for (const Json& other :
       {Json::array(), Json(0), Json::array({-1}), Json::array({P}), Json::array({true}),
        Json::array({0.0}), Json::array({"0x0"}), Json::array({nullptr})}) {
    sink("frozen " + other.dump(), with(good, "/frozen", other).dump(), Must::malformed);
  }
  for (std::size_t k = 0; k < frozen.size(); ++k) {
    for (std::size_t other = 0; other < P; ++other) {
      if (!is_free(good, other)) continue;
      Json moved = frozen;
      moved[k] = other;
      std::sort(moved.begin(), moved.end());
      sink("another coordinate frozen", with(good, "/frozen", moved).dump(), Must::invalid);
    }
  }
  sink("nothing frozen, A too small", without(without(good, "frozen"), "gauge").dump(),
       Must::malformed);
  Json free = without(without(good, "frozen"), "gauge");
  for (const char* name : {"u", "v", "V", "index"}) free.erase(name);
  free = with_claim(free, "stationary");
  for (const mpq_class& factor : {mpq_class(1), mpq_class(1, 16), mpq_class(0)}) {
    free["A"] = array_of(scaled(identity(P), factor));
    sink("nothing frozen", free.dump(), Must::invalid);
  }
}

void mutate_landscape_trap(const Json& good, const Sink& sink) {
  if (claim_of(good) != "trap" || good.at("trap").contains("scales")) return;
  const Json& trap = good.at("trap");
  const Numbers lower = numbers_of(trap.at("lower")), upper = numbers_of(trap.at("upper")),
                start = numbers_of(trap.at("theta_0"));
  const auto emit = [&](const std::string& what, const char* name, const Numbers& other,
                        Must must) {
    sink(std::string("trap ") + name + " " + what,
         with(good, std::string("/trap/") + name, array_of(other)).dump(), must);
  };
  for (std::size_t k = 0; k < lower.size(); ++k) {
    const mpq_class width = upper[k] - lower[k];
    for (const mpq_class& part : {mpq_class(1, 1000000), mpq_class(1), mpq_class(1000)}) {
      Numbers moved = start;
      moved[k] = upper[k] + part * width;
      emit("outside", "theta_0", moved, Must::invalid);
      moved[k] = lower[k] - part * width;
      emit("outside", "theta_0", moved, Must::invalid);
    }
    Numbers moved = start;
    moved[k] = upper[k];
    emit("on a face", "theta_0", moved, Must::invalid);
    moved = upper;
    moved[k] = start[k] - width / 1000;
    emit("below theta_0", "upper", moved, Must::invalid);
    moved[k] = start[k];
    emit("at theta_0", "upper", moved, Must::invalid);
    moved[k] = lower[k];
    emit("at lower", "upper", moved, Must::invalid);
    moved[k] = upper[k] + 20 * width;
    emit("far away", "upper", moved, Must::same_statement);
    moved = lower;
    moved[k] = start[k] + width / 1000;
    emit("above theta_0", "lower", moved, Must::invalid);
    moved[k] = lower[k] - 20 * width;
    emit("far away", "lower", moved, Must::same_statement);
  }
  emit("exchanged", "lower", upper, Must::invalid);
  emit("exchanged", "upper", lower, Must::invalid);
  nudge(good, "/trap/theta_0", sink, 1);
  nudge(good, "/trap/lower", sink, 1);
  nudge(good, "/trap/upper", sink, 1);
  const mpq_class eta = fraction_of(trap.at("eta"));
  for (const mpq_class& factor : {mpq_class(1, 1000), mpq_class(1, 2), mpq_class(11, 10)}) {
    sink("another step", with(good, "/trap/eta", fraction_json(eta * factor)).dump(),
         Must::same_statement);
  }
  for (const mpq_class& factor : {mpq_class(5), mpq_class(1000)}) {
    sink("a step too large", with(good, "/trap/eta", fraction_json(eta * factor)).dump(),
         Must::invalid);
  }
  for (const char* name : {"eta", "tolerance"}) {
    sink(std::string("no ") + name, with(good, std::string("/trap/") + name, {"0x0", "0x1"}).dump(),
         Must::malformed);
  }
  const mpq_class tolerance = fraction_of(trap.at("tolerance"));
  for (const mpq_class& factor : {mpq_class(1, 4), mpq_class(8), mpq_class(100000)}) {
    sink("another tolerance",
         with(good, "/trap/tolerance", fraction_json(tolerance * factor)).dump(),
         Must::same_statement);
  }
  for (const Json& cells : {Json(0), Json(-1), Json(1000001), Json(true), Json("0x10")}) {
    sink("cells " + cells.dump(), with(good, "/trap/cells", cells).dump(), Must::malformed);
  }
  for (const int cells : {1, 2, 20, 1000}) {
    sink("cells " + std::to_string(cells), with(good, "/trap/cells", cells).dump(),
         Must::same_statement);
  }
  if (good.contains("witness")) {
    nudge(good, "/witness", sink, 1);
    for (const Numbers& inside : {start, lower, upper}) {
      sink("witness in B", with(good, "/witness", array_of(inside)).dump(), Must::invalid);
    }
  }
}

}  // namespace tamper
