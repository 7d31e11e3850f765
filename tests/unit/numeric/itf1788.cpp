// SPDX-License-Identifier: Apache-2.0
// The cases of IEEE 1788 (ITF1788, *.itl in the folder HEED_ITF1788_DIR) for Ball and MPFI.
//
// A case gives the tightest interval of doubles, [a, b], around the exact range [p, q] of an
// operation on a box: a = RD(p), b = RU(q). An enclosure [l, h] of the range has l <= p, hence
// RD(l) <= a, and likewise RU(h) >= b: this is demanded of every result, also on unbounded boxes.
// Inside the domain, p and q are values at corners of the box. Each corner is enclosed on its own,
// at 128 bits, and min RD(l) <= a <= min RD(h) over the corners is demanded: containment and
// tightness in one, as RD(l) = RD(h) unless a double lies within 2^-120 of the value.
//
//   input            Ball                                   MPFI
//   bounded          contains; corners tight; width at      contains; ends within one double
//                    most 4 times the exact one
//   partly outside   not finite, or contains                likewise
//   outside          not finite                             NaN or unbounded
//   unbounded        not finite, or contains                contains
//   NaI              NaN ball: result not finite            NaN
//   empty            no such value: counted, not run        likewise
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <tuple>

#include "unit/numeric/itl_predicates.hpp"
#include "unit/numeric/itl_scalars.hpp"

using heed::Ball;
using heed::Rational;
using namespace heed::test;

namespace {

const double inf = std::numeric_limits<double>::infinity();

const ItlOutcome no_value{ItlResult::no_value, {}};

bool any_of_kind(const std::vector<ItlValue>& in, ItlValue::Kind kind) {
  return std::any_of(in.begin(), in.end(), [&](const ItlValue& v) { return v.kind == kind; });
}
bool all_bounded(const std::vector<ItlValue>& in) {
  return std::all_of(in.begin(), in.end(), [](const ItlValue& v) { return v.bounded(); });
}

// The corners of the box, or the two ends and 0 where the operation turns there.
std::vector<std::vector<double>> corners(const std::vector<ItlValue>& in, bool turns_at_zero) {
  if (turns_at_zero && in[0].lo < 0 && in[0].hi > 0) return {{in[0].lo}, {0.0}, {in[0].hi}};
  std::vector<std::vector<double>> all;
  for (std::size_t which = 0; which < std::size_t{1} << in.size(); ++which) {
    all.emplace_back();
    for (std::size_t k = 0; k < in.size(); ++k)
      all.back().push_back(((which >> k) & 1) != 0 ? in[k].hi : in[k].lo);
  }
  return all;
}

// Demands min RD(l) <= a <= min RD(h), and the like above.
template <class S>
std::string check_corners(const Operation<S>& f, const std::vector<ItlValue>& in,
                          const ItlValue& out) {
  double least = inf, least_up = inf, largest_down = -inf, largest = -inf;
  for (const std::vector<double>& corner : corners(in, f.turns_at_zero)) {
    const std::vector<S> x(corner.begin(), corner.end());
    const Ends e = ends_of(f.apply(x.data()));
    if (!e.defined) return "NaN at a corner";
    least = std::min(least, e.lo);
    least_up = std::min(least_up, e.hi_down);
    largest_down = std::max(largest_down, e.lo_up);
    largest = std::max(largest, e.hi);
  }
  if (!(least <= out.lo && out.lo <= least_up)) return "the least corner is elsewhere";
  if (!(largest_down <= out.hi && out.hi <= largest)) return "the largest corner is elsewhere";
  return {};
}

std::string check_width(const Mpfi& x, const ItlValue& out) {
  const Ends e = ends_of(x);
  if (!e.defined) return "NaN inside the domain";
  if (e.lo < std::nextafter(out.lo, -inf)) return "the lower end is more than a double too low";
  if (e.hi > std::nextafter(out.hi, inf)) return "the upper end is more than a double too high";
  return {};
}

// One radius of 30 bits serves both ends: the width is that of the exact range times at most 4.
std::string check_width(const Ball& x, const ItlValue& out) {
  if (!out.bounded()) return {};
  const double size = std::max(std::fabs(out.lo), std::fabs(out.hi));
  const Ball exact = Ball(out.hi) - Ball(out.lo), slack = Ball(size) * Ball(0x1p-50);
  if (!x.is_finite()) return "not finite";
  if (!certainly(less_equal(ldexp(x.radius(), 1), ldexp(exact, 2) + slack + Ball(0x1p-1070))))
    return "more than four times too wide";
  return {};
}

template <class S>
ItlOutcome check_operation(const Operation<S>& f, const ItlCase& c) {
  if (any_of_kind(c.in, ItlValue::Kind::empty)) return no_value;
  std::vector<S> x;
  for (const ItlValue& v : c.in) x.push_back(enclosure<S>(v));
  const S value = f.apply(x.data());
  const Ends e = ends_of(value);
  std::ostringstream found;
  found << std::hexfloat << "; found " << (e.defined ? "" : "NaN ") << "[" << e.lo << ", " << e.hi
        << "]";
  const auto verdict = [&](const std::string& complaint) {
    return ItlOutcome{ItlResult::run, complaint.empty() ? complaint : complaint + found.str()};
  };
  const ItlValue& out = c.out.at(0);
  if (any_of_kind(c.in, ItlValue::Kind::nai))
    return verdict(e.finite() ? "finite although the input is not an interval" : "");
  if (out.kind == ItlValue::Kind::empty)
    return verdict(e.finite() && !f.cuts_domain ? "finite outside of the domain" : "");
  if (e.defined && !(e.lo <= out.lo && e.hi >= out.hi)) return verdict("does not contain");
  if (!all_bounded(c.in) || !f.continuous(c.in.back().lo, c.in.back().hi)) return verdict("");
  const std::string corner = check_corners(f, c.in, out);
  if (!corner.empty()) return verdict(corner);
  // A ball around [0, 1] may reach below 0, where no one knows a square root.
  const Ends last = ends_of(x.back());
  return verdict(f.continuous(last.lo, last.hi) ? check_width(value, out) : "");
}

template <class S>
ItlOutcome check(const ItlCase& c) {
  ItlOutcome outcome{ItlResult::not_offered, {}};
  for (const Operation<S>& f : operations<S>()) {
    if (c.operation != f.name) continue;
    outcome = check_operation(f, c);
    if (!outcome.complaint.empty()) return outcome;
  }
  return outcome;
}

struct Counts {
  std::size_t run = 0, not_offered = 0, no_value = 0;

  void add(const char* scalar, const std::string& file, const ItlCase& c, const ItlOutcome& o) {
    run += o.result == ItlResult::run ? 1 : 0;
    not_offered += o.result == ItlResult::not_offered ? 1 : 0;
    no_value += o.result == ItlResult::no_value ? 1 : 0;
    if (!o.complaint.empty())
      FAIL_CHECK(scalar << ": " << file << ":" << c.line << ": " << c.operation << ": "
                        << o.complaint);
  }
};

void run_file(const std::filesystem::path& path, Counts& ball, Counts& mpfi) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  REQUIRE(stream);
  const std::string name = path.filename().string();
  Counts b, m;
  for (const ItlCase& c : parse_itl(text.str())) {
    const ItlOutcome operation = check<Ball>(c);
    b.add("Ball", name, c,
          operation.result == ItlResult::not_offered ? check_ball_predicate(c) : operation);
    m.add("MPFI", name, c, check<Mpfi>(c));
  }
  for (auto [scalar, counts, total] : {std::tuple{"Ball", &b, &ball}, {"MPFI", &m, &mpfi}}) {
    std::cout << name << ": " << scalar << ": " << counts->run << " cases run, "
              << counts->not_offered << " of operations not offered, " << counts->no_value
              << " on values not offered\n";
    total->run += counts->run;
  }
}

}  // namespace

TEST_CASE("Enclosures pass the cases of IEEE 1788") {
  const char* folder = std::getenv("HEED_ITF1788_DIR");
  if (folder == nullptr || *folder == '\0') {
    std::cout << "SKIPPED: set HEED_ITF1788_DIR to a folder with the *.itl files of ITF1788\n";
    return;
  }
  INFO("HEED_ITF1788_DIR is " << folder);
  REQUIRE(std::filesystem::is_directory(folder));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".itl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  Counts ball, mpfi;
  for (const std::filesystem::path& file : files) run_file(file, ball, mpfi);
  CHECK(ball.run > 0);
  CHECK(mpfi.run > 0);
}
