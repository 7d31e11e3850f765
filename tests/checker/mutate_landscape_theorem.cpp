// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

using Numbers = std::vector<mpq_class>;

Json fraction_json(const mpq_class& x) {
  return {hexadecimal(x.get_num()), hexadecimal(x.get_den())};
}

// The layer of a certificate with a claim that needs no more.
Json bare(const Json& c, const Json& claim) {
  Json other = c;
  for (const char* name : {"centre", "radius", "A", "frozen", "gauge", "v", "u", "V", "index",
                           "witness", "trap", "critical", "eta", "mu", "L", "init"}) {
    other.erase(name);
  }
  other["claim"] = claim;
  return other;
}

struct Points {
  Numbers lower, upper, range;
};

Points points_of(const Json& item) {
  return {numbers_of(item.at("lower")), numbers_of(item.at("upper")), numbers_of(item.at("range"))};
}

class Lists {
 public:
  Lists(const Json& good, const Sink& sink, std::size_t token)
      : good_(good),
        sink_(sink),
        path_("/critical/" + std::to_string(token)),
        points_(points_of(good.at(Path(path_)))) {}

  void run() {
    ranges();
    form();
    for (std::size_t j = 0; j < points_.lower.size(); ++j) point(j);
    invented();
  }

 private:
  void emit(const std::string& what, const Points& p, Must must) {
    Json item = {
        {"range", array_of(p.range)}, {"lower", array_of(p.lower)}, {"upper", array_of(p.upper)}};
    sink_(path_ + " " + what, with(good_, path_, std::move(item)).dump(), must);
  }
  void emit(const std::string& what, std::size_t j, const mpq_class& lower, const mpq_class& upper,
            Must must) {
    Points p = points_;
    p.lower[j] = lower;
    p.upper[j] = upper;
    emit("interval " + what, p, must);
  }

  void ranges() {
    const bool constant = points_.lower.empty();
    const auto range = [&](const std::string& what, const mpq_class& a, const mpq_class& b,
                           Must must) {
      Points p = points_;
      p.range = {a, b};
      emit("range " + what, p, must);
    };
    const mpq_class a = points_.range[0], b = points_.range[1];
    range("doubled", 2 * a, 2 * b, Must::same_statement);
    range("times 1000", 1000 * a, 1000 * b, Must::same_statement);
    range("longer on one side", a, b + 3, Must::same_statement);
    range("halved", a / 2, b / 2, Must::same_statement);
    range("of 2^-30", mpq_class(-1, 1 << 30), mpq_class(1, 1 << 30), Must::same_statement);
    if (constant) return;
    range("reversed", b, a, Must::invalid);
    range("empty", b, b, Must::invalid);
    const mpq_class width = points_.upper[0] - points_.lower[0];
    range("tight", points_.lower.front() - width, points_.upper.back() + width,
          Must::same_statement);
    range("from a point on", points_.upper.front(), b, Must::invalid);
    range("up to a point", a, points_.lower.back(), Must::invalid);
    range("without the points", b, b + 1, Must::invalid);
    // The outermost points outside of it, and not in the list.
    for (const bool left : {true, false}) {
      Points p = points_;
      const auto at = left ? 0 : static_cast<std::ptrdiff_t>(p.lower.size()) - 1;
      if (left) {
        p.range[0] = p.upper.front() + width;
      } else {
        p.range[1] = p.lower.back() - width;
      }
      p.lower.erase(p.lower.begin() + at);
      p.upper.erase(p.upper.begin() + at);
      emit("without a point and its place", p, Must::invalid);
    }
  }

  void form() {
    const Json item = good_.at(Path(path_));
    const auto broken = [&](const std::string& what, Json value) {
      sink_(path_ + " " + what, with(good_, path_, std::move(value)).dump(), Must::malformed);
    };
    for (const char* name : {"range", "lower", "upper"}) {
      broken(std::string("without ") + name, without(item, name));
      broken(std::string("null as ") + name, with(item, std::string("/") + name, nullptr));
      broken(std::string("list as ") + name, with(item, std::string("/") + name, Json::array()));
      Numbers longer = numbers_of(item.at(name));
      longer.emplace_back(1 << 20);
      broken(std::string("one more in ") + name,
             with(item, std::string("/") + name, array_of(longer)));
    }
    broken("further field", with(item, "/kind", "minimum"));
    broken("null", nullptr);
    broken("list", Json::array());
    broken("empty", Json::object());
  }

  // The writer has put the point in the middle, to a small part of the width.
  void point(std::size_t j) {
    const mpq_class a = points_.lower[j], b = points_.upper[j], w = b - a, m = (a + b) / 2;
    emit("shifted by its width", j, a + w * mpq_class(101, 100), b + w * mpq_class(101, 100),
         Must::invalid);
    emit("shifted back by its width", j, a - w * mpq_class(101, 100), b - w * mpq_class(101, 100),
         Must::invalid);
    emit("shifted by a part", j, a + w / 3, b + w / 3, Must::same_statement);
    emit("left of the point", j, a, m - w / 4, Must::invalid);
    emit("right of the point", j, m + w / 4, b, Must::invalid);
    emit("narrower", j, m - w / 8, m + w / 8, Must::same_statement);
    emit("wider", j, a - w, b + w, Must::same_statement);
    emit("wider 2^10 times", j, a - 1024 * w, b + 1024 * w, Must::same_statement);
    emit("reversed", j, b, a, Must::invalid);
    emit("empty", j, m, m, Must::invalid);
    const bool last = j + 1 == points_.lower.size();
    const mpq_class before = j == 0 ? points_.range[0] : points_.upper[j - 1],
                    after = last ? points_.range[1] : points_.lower[j + 1];
    emit("up to the neighbours", j, (before + a) / 2, (b + after) / 2, Must::same_statement);
    emit("from neighbour to neighbour", j, before, after, Must::invalid);
    Points p = points_;
    p.lower.erase(p.lower.begin() + static_cast<std::ptrdiff_t>(j));
    p.upper.erase(p.upper.begin() + static_cast<std::ptrdiff_t>(j));
    emit("without a point", p, Must::invalid);
    p = points_;
    p.lower.insert(p.lower.begin() + static_cast<std::ptrdiff_t>(j), a);
    p.upper.insert(p.upper.begin() + static_cast<std::ptrdiff_t>(j), b);
    emit("a point twice", p, Must::invalid);
    p.upper[j] = p.lower[j + 1] = m;
    emit("a point in two parts", p, Must::invalid);
    p.upper[j] = m - w / 64;
    p.lower[j + 1] = m + w / 64;
    emit("a point in two parts beside it", p, Must::invalid);
    if (last) return;
    p = points_;
    p.upper.erase(p.upper.begin() + static_cast<std::ptrdiff_t>(j));
    p.lower.erase(p.lower.begin() + static_cast<std::ptrdiff_t>(j) + 1);
    emit("two points in one", p, Must::invalid);
    p = points_;
    std::swap(p.lower[j], p.lower[j + 1]);
    std::swap(p.upper[j], p.upper[j + 1]);
    emit("two points exchanged", p, Must::invalid);
    if (j + 2 >= points_.lower.size()) return;
    p = points_;
    p.upper.erase(p.upper.begin() + static_cast<std::ptrdiff_t>(j),
                  p.upper.begin() + static_cast<std::ptrdiff_t>(j) + 2);
    p.lower.erase(p.lower.begin() + static_cast<std::ptrdiff_t>(j) + 1,
                  p.lower.begin() + static_cast<std::ptrdiff_t>(j) + 3);
    emit("three points in one", p, Must::invalid);
  }

  void invented() {
    Numbers ends = points_.lower;
    ends.push_back(points_.range[1]);
    mpq_class from = points_.range[0];
    for (std::size_t j = 0; j < ends.size(); ++j) {
      for (const auto& [s, t] : {std::pair{mpq_class(1, 3), mpq_class(2, 3)},
                                 std::pair{mpq_class(1, 2), mpq_class(1001, 2000)}}) {
        Points p = points_;
        const auto at = static_cast<std::ptrdiff_t>(j);
        p.lower.insert(p.lower.begin() + at, from + s * (ends[j] - from));
        p.upper.insert(p.upper.begin() + at, from + t * (ends[j] - from));
        emit("an invented point", p, Must::invalid);
      }
      if (j < points_.upper.size()) from = points_.upper[j];
    }
  }

  const Json& good_;
  const Sink& sink_;
  const std::string path_;
  const Points points_;
};

void change_complete(const Json& c, const Sink& sink) {
  const Json& critical = c.at("critical");
  for (std::size_t k = 0; k < critical.size(); ++k) {
    if (k == 0 || critical[k] != critical[k - 1]) Lists(c, sink, k).run();
    for (std::size_t other = k + 1; other < critical.size(); ++other) {
      Json exchanged = critical;
      std::swap(exchanged[k], exchanged[other]);
      sink("lists exchanged", with(c, "/critical", exchanged).dump(), Must::same_statement);
    }
  }
  for (const Json& words : {Json::array({"complete_1d"}), Json::array({"complete_1d", "benign"}),
                            Json::array({"complete_1d", "bad_minimum"})}) {
    sink("claim " + words.dump(), with(c, "/claim", words).dump(), Must::same_statement);
  }
  for (const Json& words :
       {Json::array({"complete_1d", "benign", "bad_minimum"}), Json::array({"benign"}),
        Json::array({"bad_minimum"}), Json::array({"complete_1d", "complete_1d"}),
        Json::array({"complete_1d", "fails_forever"}), Json::array({"complete_1d", "attained"}),
        Json::array({"complete_1d", ""})}) {
    sink("claim " + words.dump(), with(c, "/claim", words).dump(), Must::malformed);
  }
  Json shorter = critical, longer = critical;
  shorter.erase(shorter.size() - 1);
  longer.push_back(critical[0]);
  for (const Json& other : {shorter, longer, Json::array(), Json(critical[0])}) {
    sink("as many lists as tokens", with(c, "/critical", other).dump(), Must::malformed);
  }
}

void change_fraction(const Json& c, const std::string& path, const Sink& sink,
                     std::initializer_list<mpq_class> wrong,
                     std::initializer_list<mpq_class> other) {
  const mpq_class value = fraction_of(c.at(Path(path)));
  for (const mpq_class& factor : wrong) {
    sink(path + " on the wrong side", with(c, path, fraction_json(value * factor)).dump(),
         Must::invalid);
  }
  for (const mpq_class& factor : other) {
    sink(path + " changed", with(c, path, fraction_json(value * factor)).dump(),
         Must::same_statement);
  }
  sink(path + " zero", with(c, path, {"0x0", "0x1"}).dump(), Must::malformed);
}

const mpq_class little(1, 1000000);

void change_overshoot(const Json& c, const Sink& sink) {
  change_fraction(c, "/eta", sink, {1 + little, 2, 1000}, {1 - little, mpq_class(1, 2), little});
  const Numbers centre = numbers_of(c.at("centre"));
  const auto emit = [&](const std::string& what, const Numbers& other, Must must) {
    sink("centre " + what, with(c, "/centre", array_of(other)).dump(), must);
  };
  emit("zero: queries in the hull of keys, or far", Numbers(centre.size(), 0),
       Must::same_statement);
  emit("that of the keys", numbers_of(c.at("W_K")), Must::invalid);
  Numbers far = centre;
  for (mpq_class& x : far) x *= 20;
  emit("far from the keys, where phi < y", far, Must::invalid);
  far.push_back(0);
  emit("one long", far, Must::malformed);
  for (std::size_t k = 0; k < centre.size(); ++k) {
    for (const mpq_class& step : {mpq_class(1, 1024), mpq_class(-1, 1024), mpq_class(1, 2)}) {
      Numbers moved = centre;
      moved[k] += step;
      emit("moved", moved, Must::same_statement);
    }
  }
  Numbers Y = numbers_of(c.at("Y"));
  for (std::size_t k = 0; k < Y.size(); ++k) {
    for (const mpq_class& y : {mpq_class(0), mpq_class(-1, 8), mpq_class(1000)}) {
      Numbers other = Y;
      other[k] = y;
      sink("a target that is not below phi, or not positive",
           rehashed(with(c, "/Y", array_of(other))).dump(), Must::invalid);
    }
  }
}

void change_pl(const Json& c, const Sink& sink) {
  change_fraction(c, "/mu", sink, {1 + little, 2, 1000000}, {1 - little, little});
  change_fraction(c, "/L", sink, {1 - little, mpq_class(1, 2), little}, {1 + little, 1000});
  sink("mu and L exchanged", with(with(c, "/mu", c.at("L")), "/L", c.at("mu")).dump(),
       Must::invalid);
  sink("mu is L", with(c, "/mu", c.at("L")).dump(), Must::invalid);
  const char* fixed = c.at("trained")[0] == "W_V" ? "/W_O" : "/W_V";
  const std::size_t count = c.at(Path(fixed)).at("num").size();
  sink("J = 0", rehashed(with(c, fixed, array_of(Numbers(count, 0)))).dump(), Must::invalid);
}

// W_V or W_O alone: J is the same everywhere.
bool has_constant_jacobian(const Json& c) {
  const Json& trained = c.at("trained");
  return trained.size() == 1 && (trained[0] == "W_V" || trained[0] == "W_O");
}

// R and sigma are as tight as 38 bits make them, and so is eta: each side of them is wrong.
void change_ball(const Json& c, const Sink& sink) {
  const bool init = c.at("claim")[0] == "init";
  const mpq_class less = 1 - little, more = 1 + little, half(1, 2);
  change_fraction(c, "/init/sigma", sink, {more, less, 2, half}, {});
  change_fraction(c, "/init/R", sink, {less, half, little}, {more, 2});
  // L_J is 2^-30 above its bound.
  if (!has_constant_jacobian(c)) {
    change_fraction(c, "/init/R", sink, {mpz_class(1) << 80}, {});
    change_fraction(c, "/init/L_J", sink, {less, half}, {more, 2, 1000});
  }
  if (init) {
    change_fraction(c, "/eta", sink, {more, 2, 1000}, {less, half, little});
    change_fraction(c, "/init/J", sink, {less, more, half, 2}, {});
  }
  for (const auto& [name, bounds] : c.at("init").at("norms").items()) {
    const std::string path = "/init/norms/" + name;
    if (name == "U") {
      change_fraction(c, path, sink, {less, half}, {more, 2});
      continue;
    }
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      change_fraction(c, path + "/" + std::to_string(k), sink, {less, half}, {more, 2});
    }
    Json longer = bounds;
    longer.push_back(bounds[0]);
    sink(path + " one long", with(c, path, longer).dump(), Must::malformed);
    sink(path + " empty", with(c, path, Json::array()).dump(), Must::malformed);
  }
  Numbers Y = numbers_of(c.at("Y"));
  for (mpq_class& y : Y) y += 1;
  sink("targets far away", rehashed(with(c, "/Y", array_of(Y))).dump(), Must::invalid);
  Numbers centre = numbers_of(c.at("centre"));
  centre.emplace_back(0);
  sink("centre one long", with(c, "/centre", array_of(centre)).dump(), Must::malformed);
  for (mpq_class& x : centre) x = 0;
  centre.pop_back();
  sink("centre zero: J has no full rank, or r is large",
       with(c, "/centre", array_of(centre)).dump(), Must::invalid);
}

// Data for which f is not a sum over the tokens, whatever else the file says.
void couple_tokens(const Json& c, const Sink& sink) {
  const std::size_t n = c.at("n"), D = c.at("D");
  const Numbers X = numbers_of(c.at("X"));
  if (n > 1) {
    for (const mpq_class& factor : {mpq_class(1), mpq_class(-2), mpq_class(0)}) {
      Numbers other = X;
      for (std::size_t j = 0; j < D; ++j) other[D + j] = factor * other[j];
      sink("a token that is a multiple of another", rehashed(with(c, "/X", array_of(other))).dump(),
           Must::invalid);
    }
  }
  const Numbers U = numbers_of(c.at("U"));
  for (std::size_t k = 0; k < U.size(); ++k) {
    Numbers other = U;
    other[k] += mpq_class(1, 1 << 20);
    sink("another read-out", rehashed(with(c, "/U", array_of(other))).dump(), Must::invalid);
  }
  for (const Json& trained : {Json::array({"W_K"}), Json::array({"W_Q", "W_K"}),
                              Json::array({"W_Q", "W_O"}), Json::array({"W_V"})}) {
    sink("trained " + trained.dump(), with(c, "/trained", trained).dump(), Must::invalid);
  }
}

void change_lojasiewicz(const Json& c, const Sink& sink) {
  for (const char* kernel : {"gaussian", "gaussian/n"}) {
    sink("rows that do not sum to 1", with(c, "/kernel", kernel).dump(), Must::invalid);
  }
  Numbers keys = numbers_of(c.at("W_K"));
  const std::size_t head = keys.size() / c.at("H").get<std::size_t>();
  std::fill(keys.end() - static_cast<std::ptrdiff_t>(head), keys.end(), 0);
  sink("keys of one head that are equal", rehashed(with(c, "/W_K", array_of(keys))).dump(),
       Must::invalid);
}

// Whether some stationary point is not global, if only W_Q is trained.
bool has_bad_point(const Json& c) {
  const std::string word = c.at("claim")[0];
  return c.at("claim").size() == 2 || word == "not_minimum" || word == "saddle";
}

}  // namespace

bool is_theorem(const Json& certificate) {
  if (!is_landscape(certificate)) return false;
  for (const char* word : {"complete_1d", "lojasiewicz", "overshoot", "pl", "init", "zero_loss"}) {
    if (certificate.at("claim")[0] == word) return true;
  }
  return false;
}

void mutate_landscape_theorem(const Json& good, const Sink& sink) {
  const std::string word = good.at("claim")[0];
  const Json pl = with(with(bare(good, Json::array({"pl"})), "/mu", {"0x1", "0x10000000000"}), "/L",
                       {"0x10000000000", "0x1"});
  if (!has_constant_jacobian(good)) sink("claim pl of other blocks", pl.dump(), Must::invalid);
  if (!is_theorem(good)) {
    if (has_bad_point(good))
      sink("claim lojasiewicz", bare(good, Json::array({"lojasiewicz"})).dump(), Must::invalid);
    return;
  }
  if (word != "lojasiewicz") {
    sink("claim lojasiewicz", bare(good, Json::array({"lojasiewicz"})).dump(),
         Must::same_statement);
  }
  if (word != "complete_1d") {
    Json complete = bare(good, Json::array({"complete_1d"}));
    const Json none = {
        {"range", array_of({-1, 1})}, {"lower", array_of({})}, {"upper", array_of({})}};
    complete["critical"] =
        Json(good.at("N").get<std::size_t>() * good.at("n").get<std::size_t>(), none);
    sink("claim complete_1d", complete.dump(), Must::invalid);
  }
  if (word == "pl") {
    change_pl(good, sink);
    return;
  }
  if (word == "init" || word == "zero_loss") {
    change_ball(good, sink);
    return;
  }
  couple_tokens(good, sink);
  if (word == "complete_1d") change_complete(good, sink);
  if (word == "overshoot") change_overshoot(good, sink);
  if (word == "lojasiewicz") change_lojasiewicz(good, sink);
}

}  // namespace tamper
