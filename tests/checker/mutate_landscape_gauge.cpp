// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

using Numbers = std::vector<mpq_class>;

Json unit(std::size_t size, std::size_t k) {
  Numbers numbers(size, 0);
  numbers[k] = 1;
  return array_of(numbers);
}

struct Sizes {
  std::size_t D, d, d_v, p, H, P;
  explicit Sizes(const Json& c)
      : D(c.at("D")),
        d(c.at("d")),
        d_v(c.at("d_v")),
        p(c.at("p")),
        H(c.at("H")),
        P(c.at("centre").at("num").size()) {}
};

// Whether X_i E is a multiple of X_i for all i: all minors of the two vectors are 0.
bool scales_samples(const Json& c, const Numbers& E) {
  const std::size_t D = c.at("D"), size = c.at("n").get<std::size_t>() * D;
  const Numbers X = numbers_of(c.at("X"));
  for (std::size_t first = 0; first < X.size(); first += size) {
    Numbers image(size, 0);
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j < D; ++j) {
        image[k] += X[first + k / D * D + j] * E[j * D + k % D];
      }
    }
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j < size; ++j) {
        if (image[k] * X[first + j] != image[j] * X[first + k]) return false;
      }
      if (image[k] != 0 && std::all_of(X.begin() + static_cast<std::ptrdiff_t>(first),
                                       X.begin() + static_cast<std::ptrdiff_t>(first + size),
                                       [](const auto& x) { return x == 0; })) {
        return false;
      }
    }
  }
  return true;
}

// Named directions of every form, most of them not flat or not new. `head` and `shift` aside, the
// numbers are unit vectors and unit matrices.
std::vector<Json> directions(const Json& c) {
  const Sizes s(c);
  std::vector<Json> list;
  for (std::size_t k = 0; k < s.P; ++k) list.push_back({{"shift", unit(s.P, k)}});
  for (std::size_t h = 0; h < s.H; ++h) {
    for (std::size_t k = 0; k < s.d * s.d; ++k) {
      list.push_back({{"turn", unit(s.d * s.d, k)}, {"head", h}});
      for (std::size_t e = 0; e < s.D * s.D; ++e) {
        list.push_back({{"turn", unit(s.d * s.d, k)}, {"E", unit(s.D * s.D, e)}, {"head", h}});
      }
    }
    if (s.d > 1) {
      Numbers skew(s.d * s.d, 0);
      skew[1] = 1;
      skew[s.d] = -1;
      list.push_back({{"turn", array_of(skew)}, {"head", h}});
      for (std::size_t e = 0; e < s.D * s.D; ++e) {
        list.push_back({{"turn", array_of(skew)}, {"E", unit(s.D * s.D, e)}, {"head", h}});
      }
    }
    for (std::size_t k = 0; k < s.d_v * s.d_v; ++k) {
      list.push_back({{"mix", unit(s.d_v * s.d_v, k)}, {"head", h}});
    }
    for (const char* block : {"W_Q", "W_K", "W_V", "W_O"}) {
      const std::size_t length = block[2] == 'O' ? s.p : s.D,
                        columns = block[2] == 'Q' || block[2] == 'K' ? s.d : s.d_v;
      for (std::size_t set = 0; set < std::size_t(1) << columns; ++set) {
        Json pivots = Json::array();
        for (std::size_t k = 0; k < columns; ++k) {
          if ((set >> k & 1U) != 0) pivots.push_back(k);
        }
        for (std::size_t free = 0; free < columns; ++free) {
          if ((set >> free & 1U) != 0) continue;
          for (std::size_t j = 0; j < length; ++j) {
            list.push_back({{"unseen", unit(length, j)},
                            {"block", block},
                            {"head", h},
                            {"pivots", pivots},
                            {"free", free}});
          }
        }
      }
    }
  }
  return list;
}

// The claim that the point is stationary with free coordinate number k frozen as well. Its zero of the
// free gradient exists, but nothing reaches the coordinate: f is not flat in more directions than there
// were frozen coordinates, as the Hessian in the free ones is nonsingular. False whatever the gauge.
Json one_more_frozen(const Json& c, std::size_t k) {
  const std::size_t P = c.at("centre").at("num").size();
  const Numbers A = numbers_of(c.at("A"));
  std::vector<std::size_t> frozen = c.at("frozen"), free;
  for (std::size_t j = 0; j < P; ++j) {
    if (std::find(frozen.begin(), frozen.end(), j) == frozen.end()) free.push_back(j);
  }
  const std::size_t order = free.size();
  // the inverse of the Hessian without row and column k, on a grid
  Numbers smaller;
  const mpz_class grid = mpz_class(1) << 80;
  for (std::size_t r = 0; r < order; ++r) {
    for (std::size_t j = 0; j < order; ++j) {
      if (r == k || j == k) continue;
      const mpq_class x = A[r * order + j] - A[r * order + k] * A[k * order + j] / A[k * order + k];
      smaller.emplace_back(mpz_class(x.get_num() * grid / x.get_den()), grid);
      smaller.back().canonicalize();
    }
  }
  frozen.push_back(free[k]);
  std::sort(frozen.begin(), frozen.end());
  Json other = c;
  for (const char* name : {"u", "v", "V", "index", "witness"}) other.erase(name);
  other["claim"] = Json::array({"stationary"});
  other["A"] = array_of(smaller);
  other["frozen"] = frozen;
  return other;
}

void change_turn(const Json& c, std::size_t k, const Sink& sink) {
  const Json& turn = c.at("gauge")[k];
  const std::string at = "/gauge/" + std::to_string(k);
  const Sizes s(c);
  const auto emit = [&](const std::string& what, const Json& E, Must must) {
    sink("gauge E " + what, with(c, at + "/E", E).dump(), must);
  };
  const auto judged = [&](const std::string& what, const Numbers& E) {
    const bool zero = std::all_of(E.begin(), E.end(), [](const auto& x) { return x == 0; });
    emit(what, array_of(E), !zero && scales_samples(c, E) ? Must::same_statement : Must::invalid);
  };
  Numbers one(s.D * s.D, 0);
  for (std::size_t j = 0; j < s.D; ++j) one[j * (s.D + 1)] = 1;
  const Numbers E = turn.contains("E") ? numbers_of(turn.at("E")) : one;
  judged("zero", Numbers(s.D * s.D, 0));
  judged("identity", one);
  for (std::size_t j = 0; j < E.size(); ++j) {
    for (const mpq_class& step :
         {mpq_class(1), mpq_class(-1, 3), mpq_class(1, mpz_class(1) << 100)}) {
      Numbers moved = E;
      moved[j] += step;
      judged("moved", moved);
      moved = one;
      moved[j] += step;
      judged("near the identity", moved);
    }
    Numbers alone(E.size(), 0);
    alone[j] = 1;
    judged("a unit matrix", alone);
  }
  Numbers longer = E, shorter = E;
  longer.emplace_back(0);
  shorter.pop_back();
  emit("one long", array_of(longer), Must::malformed);
  emit("one short", array_of(shorter), Must::malformed);
  for (const Json& other : {Json(nullptr), Json(1), Json::array(), Json("I"), Json(true)}) {
    emit(other.dump(), other, Must::malformed);
  }
}

void change_unseen(const Json& c, std::size_t k, const Sink& sink) {
  const std::string at = "/gauge/" + std::to_string(k);
  const Json& entry = c.at("gauge")[k];
  const auto emit = [&](const std::string& what, const Json& other, Must must) {
    sink("gauge unseen " + what, with(c, at, other).dump(), must);
  };
  for (const char* name : {"block", "pivots", "free", "head"}) {
    emit(std::string("without ") + name, without(entry, name), Must::malformed);
  }
  for (const Json& block : {Json("W_q"), Json("U"), Json(""), Json(0), Json(nullptr),
                            Json::array({entry.at("block")})}) {
    emit("block " + block.dump(), with(entry, "/block", block), Must::malformed);
  }
  const Json& free = entry.at("free");
  for (const Json& other :
       {Json(-1), Json(1000), Json(0.0), Json("0x0"), Json(true), Json::array({free})}) {
    emit("free " + other.dump(), with(entry, "/free", other), Must::malformed);
  }
  Json doubled = entry.at("pivots"), with_free = doubled, reversed = doubled;
  if (!doubled.empty()) doubled.push_back(doubled.back());
  with_free.push_back(free);
  std::sort(with_free.begin(), with_free.end());
  std::reverse(reversed.begin(), reversed.end());
  if (!doubled.empty()) emit("pivot twice", with(entry, "/pivots", doubled), Must::malformed);
  emit("free as pivot", with(entry, "/pivots", with_free), Must::malformed);
  if (reversed.size() > 1) emit("pivots fall", with(entry, "/pivots", reversed), Must::malformed);
  for (const Json& other : {Json(0), Json(nullptr), Json::array({-1}), Json::array({1000}),
                            Json::array({"0x0"}), Json::array({0.0}), Json::object()}) {
    emit("pivots " + other.dump(), with(entry, "/pivots", other), Must::malformed);
  }
  Json fewer = entry.at("pivots");
  if (!fewer.empty()) {
    fewer.erase(0);
    emit("a pivot less", with(entry, "/pivots", fewer), Must::invalid);
  }
  emit("with E", with(entry, "/E", unit(1, 0)), Must::malformed);
}

}  // namespace

void mutate_landscape_directions(const Json& good, const Sink& sink) {
  if (!good.contains("gauge")) return;
  const Json& gauge = good.at("gauge");
  const std::vector<Json> list = directions(good);
  for (std::size_t k = 0; k < gauge.size() && k < 3; ++k) {
    for (const Json& other : list) {
      sink("gauge with another direction", with(good, "/gauge/" + std::to_string(k), other).dump(),
           Must::same_statement);
    }
  }
  for (std::size_t k = 0; k < gauge.size(); ++k) {
    if (gauge[k].contains("turn")) change_turn(good, k, sink);
    if (gauge[k].contains("unseen")) change_unseen(good, k, sink);
  }
  const std::size_t free = good.at("centre").at("num").size() - gauge.size();
  for (std::size_t k = 0; free > 1 && k < free && k < 4; ++k) {
    Json other = one_more_frozen(good, k);
    for (const Json& direction : list) {
      other["gauge"] = gauge;
      other["gauge"].push_back(direction);
      sink("one coordinate more frozen, and reached by " + direction.dump(), other.dump(),
           Must::invalid);
    }
  }
}

}  // namespace tamper
