// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace tamper {
namespace {

using Numbers = std::vector<mpq_class>;

Json fraction_json(const mpq_class& x) {
  return {hexadecimal(x.get_num()), hexadecimal(x.get_den())};
}

// A ball or a box, and one start unless it is a ball of starts.
struct Region {
  Numbers centre, lower, upper, start;
  mpq_class radius, start_radius;

  explicit Region(const Json& trap) {
    if (trap.contains("centre")) centre = numbers_of(trap.at("centre"));
    if (trap.contains("theta_0")) start = numbers_of(trap.at("theta_0"));
    if (trap.contains("start_radius")) start_radius = fraction_of(trap.at("start_radius"));
    if (trap.contains("radius")) {
      radius = fraction_of(trap.at("radius"));
    } else {
      lower = numbers_of(trap.at("lower"));
      upper = numbers_of(trap.at("upper"));
    }
  }

  bool holds(const Numbers& theta) const {
    mpq_class squared = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      if (radius > 0) {
        squared += (theta[k] - centre[k]) * (theta[k] - centre[k]);
      } else if (theta[k] < lower[k] || upper[k] < theta[k]) {
        return false;
      }
    }
    return squared <= radius * radius;
  }
};

class Mutants {
 public:
  Mutants(const Json& good, const Sink& sink)
      : good_(good), sink_(sink), region_(good.at("trap")) {}

  void starts() {
    const std::size_t P = region_.centre.size();
    if (region_.start_radius > 0) {
      const mpq_class rho = region_.start_radius;
      for (const mpq_class& factor :
           {mpq_class(1, 1000), mpq_class(1, 2), mpq_class(101, 100), mpq_class(21, 20)}) {
        number("start_radius", rho * factor, Must::same_statement);
      }
      for (const mpq_class& factor : {mpq_class(4), mpq_class(1000)}) {
        number("start_radius", rho * factor, Must::invalid);
      }
      number("start_radius", region_.radius, Must::invalid);
      Json both = good_;
      both["trap"]["theta_0"] = good_.at("trap").at("centre");
      sink_("two kinds of starts", both.dump(), Must::malformed);
      both["trap"].erase("start_radius");
      sink_("one start, the centre", both.dump(), Must::same_statement);
      for (std::size_t k = 0; k < P; ++k) {
        for (const mpq_class& part : {mpq_class(-1), mpq_class(1), mpq_class(1000)}) {
          Numbers moved = region_.centre;
          moved[k] += part * region_.radius;
          both["trap"]["theta_0"] = array_of(moved);
          sink_("one start on the boundary or outside", both.dump(), Must::invalid);
        }
      }
      if (P > 1) {
        Numbers corner = region_.centre;
        for (mpq_class& x : corner) x += mpq_class(99, 100) * region_.radius;
        both["trap"]["theta_0"] = array_of(corner);
        sink_("one start in the box around the ball", both.dump(), Must::invalid);
      }
      return;
    }
    nudge("theta_0");
    for (std::size_t k = 0; k < P; ++k) {
      const mpq_class up = region_.radius > 0 ? mpq_class(region_.centre[k] + region_.radius)
                                              : region_.upper[k],
                      down = region_.radius > 0 ? mpq_class(region_.centre[k] - region_.radius)
                                                : region_.lower[k];
      for (const mpq_class& place : {up, down, mpq_class(up + (up - down) / 1000000),
                                     mpq_class(down - 1000 * (up - down))}) {
        Numbers moved = region_.start;
        moved[k] = place;
        numbers("theta_0", moved, Must::invalid);
      }
    }
    Json starts = good_;
    starts["trap"]["start_radius"] = fraction_json(mpq_class(1, 1000000));
    sink_("two kinds of starts", starts.dump(), Must::malformed);
    starts["trap"].erase("theta_0");
    sink_("a ball of starts", starts.dump(),
          region_.radius > 0 ? Must::same_statement : Must::malformed);
  }

  void region() {
    nudge("centre");
    for (std::size_t k = 0; k < region_.centre.size(); ++k) {
      for (const int sign : {1, -1}) {
        Numbers moved = region_.centre;
        moved[k] +=
            sign * (region_.radius > 0 ? mpq_class(3 * region_.radius)
                                       : mpq_class(2 * (region_.upper[k] - region_.lower[k])));
        numbers("centre", moved, Must::invalid);
      }
    }
    if (region_.radius > 0) {
      for (const mpq_class& factor :
           {mpq_class(1, 1000), mpq_class(1, 2), mpq_class(101, 100), mpq_class(2)}) {
        number("radius", region_.radius * factor, Must::same_statement);
      }
      for (const mpq_class& factor : {mpq_class(8), mpq_class(1000)}) {
        number("radius", region_.radius * factor, Must::invalid);
      }
      Json box = good_;
      box["trap"]["lower"] = box["trap"]["upper"] = good_.at("trap").at("centre");
      sink_("ball and box", box.dump(), Must::malformed);
      return;
    }
    nudge("lower");
    nudge("upper");
    numbers("lower", region_.upper, Must::invalid);
    numbers("upper", region_.lower, Must::invalid);
    numbers("upper", region_.centre, Must::invalid);
    numbers("lower", region_.centre, Must::invalid);
    for (std::size_t k = 0; k < region_.centre.size(); ++k) {
      Numbers moved = region_.upper;
      moved[k] = region_.lower[k];
      numbers("upper", moved, Must::invalid);
      moved[k] = region_.upper[k] + 1000 * (region_.upper[k] - region_.lower[k]);
      numbers("upper", moved, Must::same_statement);
      moved[k] = (region_.start[k] + region_.centre[k]) / 2;
      numbers("upper", moved, Must::same_statement);
    }
  }

  void work() {
    const mpq_class eta = fraction_of(good_.at("trap").at("eta"));
    for (const mpq_class& factor :
         {mpq_class(1, 1000), mpq_class(1, 2), mpq_class(11, 10), mpq_class(2)}) {
      number("eta", eta * factor, Must::same_statement);
    }
    for (const mpq_class& factor : {mpq_class(5), mpq_class(1000)}) {
      number("eta", eta * factor, Must::invalid);
    }
    for (const char* name : {"eta", "radius", "start_radius"}) {
      if (good_.at("trap").contains(name)) number(name, 0, Must::malformed);
    }
    for (const Json& scales :
         {Json(-1), Json(1001), Json(true), Json("0x10"), Json(1.0), Json(nullptr)}) {
      sink_("scales " + scales.dump(), with(good_, "/trap/scales", scales).dump(), Must::malformed);
    }
    for (const int scales : {0, 1, 2, 3, 7, 40}) {
      sink_("scales " + std::to_string(scales), with(good_, "/trap/scales", scales).dump(),
            Must::same_statement);
    }
    if (!good_.contains("witness")) return;
    Numbers near = region_.centre;
    sink_("witness at the centre", with(good_, "/witness", array_of(near)).dump(), Must::invalid);
    near[0] += region_.radius > 0 ? mpq_class(region_.radius / 2)
                                  : mpq_class((region_.upper[0] - near[0]) / 2);
    sink_("witness in B", with(good_, "/witness", array_of(near)).dump(), Must::invalid);
  }

 private:
  void number(const char* name, const mpq_class& x, Must must) {
    sink_(std::string("trap ") + name,
          with(good_, std::string("/trap/") + name, fraction_json(x)).dump(), must);
  }
  void numbers(const char* name, const Numbers& x, Must must) {
    sink_(std::string("trap ") + name,
          with(good_, std::string("/trap/") + name, array_of(x)).dump(), must);
  }
  void nudge(const char* name) {
    const Numbers list = numbers_of(good_.at("trap").at(name));
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const unsigned bits : {10U, 20U, 40U}) {
        for (const int sign : {1, -1}) {
          Numbers moved = list;
          moved[k] += mpq_class(sign, mpz_class(1) << bits);
          numbers(name, moved, Must::same_statement);
        }
      }
    }
  }

  const Json& good_;
  const Sink& sink_;
  Region region_;
};

}  // namespace

bool traps_agree(const Json& a, const Json& b) {
  // Steps far beyond 2 / |Hess| leave a trap.
  const Json& trap = b.at("trap");
  if (fraction_of(trap.at("eta")) >= 5 * fraction_of(a.at("trap").at("eta"))) return false;
  const Region region(trap);
  for (std::size_t k = 0; k < region.lower.size(); ++k) {
    if (!(region.lower[k] < region.upper[k])) return false;
  }
  if (!region.start.empty() && !region.holds(region.start)) return false;
  if (region.start_radius > region.radius) return false;
  return !a.contains("witness") || !region.holds(numbers_of(a.at("witness")));
}

void mutate_landscape_ball(const Json& good, const Sink& sink) {
  if (good.at("claim")[0] != "trap" || !good.at("trap").contains("scales")) return;
  Mutants mutants(good, sink);
  mutants.starts();
  mutants.region();
  mutants.work();
}

}  // namespace tamper
