// SPDX-License-Identifier: Apache-2.0
#include "landscape_report.hpp"

#include <iostream>

#include "heed/data/write.hpp"
#include "heed/numeric/format.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using heed::PointReport;
using heed::VerdictKind;

bool proved(const heed::Verdict& v) { return v.kind == VerdictKind::proved; }

bool is_exact(const PointReport& p) { return p.exact && proved(p.exact->verdict); }

bool is_stationary(const PointReport& p) { return proved(p.stationary.verdict) || is_exact(p); }

Json exact_list(const std::vector<heed::Rational>& v) {
  Json j = Json::array();
  for (const heed::Rational& x : v) j.push_back(heed::exact_text(x));
  return j;
}

std::string count_text(const std::optional<heed::Rational>& count) {
  return count ? count->to_string() : "unknown";
}

Json ternary_json(heed::Ternary t) {
  if (certainly(t)) return true;
  if (t == heed::Ternary::certainly_false) return false;
  return nullptr;
}

Json bounds_json(const auto& t, const LandscapeFindings& f, int digits) {
  Json j = {{"start_loss", to_json(t.start_loss, digits)},
            {"boundary_loss", to_json(t.boundary_loss, digits)},
            {"region_loss", to_json(t.region_loss, digits)},
            {"hessian_norm", to_json(t.curvature, digits)},
            {"step_limit", to_json(t.step_limit, digits)},
            {"convex", t.convex},
            {"one_minimum", t.one_minimum}};
  if (f.eta) j["eta"] = {{"exact", f.eta->to_string()}, {"trapped", is_trapped_step(t, *f.eta)}};
  j["fails_forever"] = {{"verdict", to_string(t.fails_forever.kind)},
                        {"reason", t.fails_forever.reason}};
  if (proved(t.fails_forever)) {
    j["witness"] = exact_list(flatten(*t.witness, f.problem.trained));
    j["witness_loss"] = to_json(t.witness_loss, digits);
  }
  return j;
}

Json ball_json(const LandscapeFindings& f, const heed::TrapBall& t, int digits) {
  Json j = {{"verdict", to_string(t.verdict.kind)}, {"reason", t.verdict.reason}};
  if (!proved(t.verdict)) return j;
  j["radius"] = {{"exact", t.radius.to_string()}};
  j["start_radius"] = {{"exact", t.start_radius.to_string()}};
  j.update(bounds_json(t, f, digits));
  j["hessian_least"] = to_json(t.least_curvature, digits);
  j["scales"] = t.scales;
  j["flat_directions"] = t.flat.size();
  return j;
}

Json point_json(const LandscapeFindings& f, const PointReport& p, int digits) {
  Json j = {{"kind", to_string(p.kind)},
            {"centre", exact_list(p.box.centre)},
            {"radius", heed::exact_text(p.box.radius)},
            {"frozen", Json::array()},
            {"loss", to_json(p.loss, digits)},
            {"bits", p.bits}};
  for (const std::size_t k : p.box.frozen) j["frozen"].push_back(coordinate_name(f.problem, k));
  if (f.search) j["hits"] = p.hits;
  if (p.exact && proved(p.exact->verdict)) j["exact_loss"] = {{"exact", p.exact->loss.to_string()}};
  const heed::CurvatureResults& c = p.curvature;
  if (proved(c.index.verdict)) j["index"] = c.index.index;
  if (proved(c.minimum.verdict)) {
    j["hessian_least"] = to_json(c.minimum.least, digits);
    j["hessian_largest"] = to_json(c.minimum.largest, digits);
  }
  if (proved(c.not_minimum.verdict)) {
    j["v"] = exact_list(c.not_minimum.v);
    j["along_v"] = to_json(c.not_minimum.along_v, digits);
  }
  if (proved(c.saddle.verdict)) {
    j["u"] = exact_list(c.saddle.u);
    j["along_u"] = to_json(c.saddle.along_u, digits);
  }
  if (p.non_global && proved(p.non_global->verdict))
    j["non_global"] = {{"witness", exact_list(flatten(p.non_global->witness, f.problem.trained))},
                       {"witness_loss", to_json(p.non_global->witness_loss, digits)},
                       {"gap", to_json(p.non_global->gap, digits)}};
  if (p.trap) j["trap"] = ball_json(f, *p.trap, digits);
  if (!p.reason.empty()) j["reason"] = p.reason;
  return j;
}

Json token_json(const heed::Landscape1d& t, int digits) {
  Json j = {{"status", to_string(t.status)},
            {"reason", t.reason},
            {"infimum", to_json(t.infimum, digits)},
            {"attained", ternary_json(t.attained)},
            {"globally_benign", ternary_json(t.globally_benign())},
            {"loss_at_minus_infinity", {{"exact", t.loss_minus.to_string()}}},
            {"loss_at_plus_infinity", {{"exact", t.loss_plus.to_string()}}},
            {"critical_points", Json::array()}};
  for (const heed::CriticalPoint& c : t.points)
    j["critical_points"].push_back({{"kind", to_string(c.kind)},
                                    {"q", to_json(c.q, digits)},
                                    {"loss", to_json(c.loss, digits)},
                                    {"global", ternary_json(c.global)},
                                    {"multiplicity", c.multiplicity}});
  return j;
}

Json trap_json(const LandscapeFindings& f, int digits) {
  const heed::TrapResult& t = *f.trap;
  Json j = {{"verdict", to_string(t.verdict.kind)}, {"reason", t.verdict.reason}};
  if (!proved(t.verdict)) return j;
  j["route"] = to_string(t.route);
  j.update(bounds_json(t, f, digits));
  j["cells"] = t.cells;
  j["notes"] = t.notes;
  return j;
}

void print_failure(const auto& t, const LandscapeFindings& f, int digits) {
  if (f.eta)
    std::cout << "    step " << f.eta->to_decimal_or_fraction() << ": "
              << (is_trapped_step(t, *f.eta) ? "trapped" : "not proved to be trapped") << "\n";
  if (proved(t.fails_forever))
    std::cout << "    fails forever: a witness outside has the loss "
              << heed::certain_digits(t.witness_loss, digits) << "\n";
  else
    std::cout << "    fails forever: " << to_string(t.fails_forever.kind) << " ("
              << t.fails_forever.reason << ")\n";
}

void print_ball(const LandscapeFindings& f, const heed::TrapBall& t, int digits) {
  const auto text = [](const Ball& x) { return heed::approx_digits(x, 7); };
  if (!proved(t.verdict)) {
    std::cout << "    trap: " << to_string(t.verdict.kind) << " (" << t.verdict.reason << ")\n";
    return;
  }
  std::cout << "    trap: from every start within " << text(Ball(t.start_radius))
            << " gradient descent stays within " << text(Ball(t.radius)) << " for every step below "
            << text(t.step_limit) << (t.one_minimum ? ", and converges to the point" : "")
            << "\n    starts at most " << text(t.start_loss) << ", boundary at least "
            << text(t.boundary_loss) << ", ball at least " << text(t.region_loss)
            << ", Hessian at least " << text(t.least_curvature) << " and at most "
            << text(t.curvature) << "\n";
  if (!t.flat.empty())
    std::cout << "    distances without their part in " << t.flat.size()
              << " directions along which f is constant\n";
  print_failure(t, f, digits);
}

void print_point(const LandscapeFindings& f, const PointReport& p, int digits) {
  const auto text = [&](const Ball& x) { return heed::certain_digits(x, digits); };
  std::cout << "  " << to_string(p.kind);
  if (proved(p.curvature.index.verdict)) std::cout << ", index " << p.curvature.index.index;
  std::cout << ", loss " << (is_exact(p) ? p.exact->loss.to_decimal_or_fraction() : text(p.loss));
  if (f.search) std::cout << ", found " << p.hits << (p.hits == 1 ? " time" : " times");
  std::cout << "\n    at (";
  constexpr std::size_t shown = 8;
  for (std::size_t k = 0; k < p.box.centre.size() && k < shown; ++k)
    std::cout << (k ? ", " : "") << heed::approx_digits(Ball(p.box.centre[k]), 12);
  std::cout << (p.box.centre.size() > shown ? ", ...)" : ")");
  if (is_exact(p))
    std::cout << ", stationary in exact arithmetic";
  else if (is_stationary(p))
    std::cout << ", within " << heed::approx_digits(Ball(p.box.radius), 3);
  std::cout << "\n";
  if (!p.box.frozen.empty()) {
    std::cout << "    held fixed:";
    for (const std::size_t k : p.box.frozen) std::cout << " " << coordinate_name(f.problem, k);
    std::cout << "\n";
  }
  if (proved(p.curvature.minimum.verdict))
    std::cout << "    Hessian between " << text(p.curvature.minimum.least) << " and "
              << text(p.curvature.minimum.largest) << "\n";
  if (p.non_global && proved(p.non_global->verdict))
    std::cout << "    not global: a witness has the loss " << text(p.non_global->witness_loss)
              << ", lower by at least " << heed::approx_digits(p.non_global->gap, 6) << "\n";
  if (p.trap) print_ball(f, *p.trap, digits);
  if (!p.reason.empty()) std::cout << "    " << p.reason << "\n";
}

void print_separate(const SeparateTokens& s, int digits) {
  if (!s.decoupling.applies) {
    std::cout << "  no enumeration of all critical points: " << s.decoupling.reason << "\n";
    return;
  }
  const auto text = [&](const Ball& x) { return heed::certain_digits(x, digits); };
  std::cout << "  f splits over " << s.tokens.size() << " tokens; local minima "
            << count_text(s.sum.minima) << ", global " << count_text(s.sum.global_minima)
            << ", bad " << count_text(s.sum.bad_minima) << "; inf f = " << text(s.sum.infimum)
            << (s.sum.attained == heed::Ternary::certainly_false ? ", not attained" : "") << "\n";
  for (std::size_t k = 0; k < s.tokens.size(); ++k) {
    const heed::Landscape1d& t = s.tokens[k];
    const heed::TokenProblem &a = s.decoupling.tokens[k], &b = s.decoupling.tokens[0];
    if (k > 0 && a.keys == b.keys && a.values == b.values && a.target == b.target) {
      std::cout << "  token " << k << ": as token 0\n";
      continue;
    }
    std::cout << "  token " << k << ": " << to_string(t.status)
              << (t.reason.empty() ? "" : " (" + t.reason + ")") << ", limits of g "
              << t.loss_minus.to_decimal_or_fraction() << " and "
              << t.loss_plus.to_decimal_or_fraction() << "\n";
    for (const heed::CriticalPoint& c : t.points)
      std::cout << "    q = " << text(c.q) << "  g = " << text(c.loss) << "  " << to_string(c.kind)
                << (c.kind == heed::CriticalKind::local_minimum &&
                            c.global == heed::Ternary::certainly_false
                        ? ", not global"
                        : "")
                << "\n";
  }
}

void print_trap(const LandscapeFindings& f, int digits) {
  const heed::TrapResult& t = *f.trap;
  const auto text = [&](const Ball& x) { return heed::certain_digits(x, digits); };
  std::cout << "  trap: " << to_string(t.verdict.kind);
  if (!proved(t.verdict)) {
    std::cout << " (" << t.verdict.reason << ")\n";
    return;
  }
  std::cout << " by " << to_string(t.route) << ": gradient descent stays in B for every step below "
            << heed::approx_digits(t.step_limit, 6) << "\n    start " << text(t.start_loss)
            << ", boundary at least " << heed::approx_digits(t.boundary_loss, 7) << ", B at least "
            << heed::approx_digits(t.region_loss, 7) << ", |Hessian| at most "
            << heed::approx_digits(t.curvature, 7) << "\n";
  print_failure(t, f, digits);
  for (const std::string& note : t.notes) std::cout << "    note: " << note << "\n";
}

Json claim(const LandscapeFindings& f, const std::string& id, VerdictKind kind,
           const std::string& reason, std::optional<std::size_t> point = {}) {
  Json j = {{"id", id},
            {"kernel", kernel_word(f.problem.kernel)},
            {"verdict", to_string(kind)},
            {"reason", reason}};
  if (point) j["point"] = *point;
  return j;
}

}  // namespace

bool proves_something(const LandscapeFindings& f) {
  if (f.trap) return proved(f.trap->verdict) && (!f.eta || is_trapped_step(*f.trap, *f.eta));
  if (f.wants_widest_trap) {
    const heed::TrapBall& t = *f.points.front().trap;
    return proved(t.verdict) && (!f.eta || is_trapped_step(t, *f.eta));
  }
  for (const PointReport& p : f.points)
    if (is_stationary(p)) return true;
  if (f.separate && f.separate->decoupling.applies)
    for (const heed::Landscape1d& t : f.separate->tokens)
      if (t.lists_all() || t.status == heed::LandscapeStatus::constant) return true;
  for (const heed::PositiveCertificate& c : f.positive)
    if (c.kind == VerdictKind::proved) return true;
  return false;
}

bool is_refuted(const LandscapeFindings& f) {
  return f.trap && f.trap->verdict.kind == VerdictKind::refuted;
}

void print(const LandscapeFindings& f, int digits, bool all) {
  std::cout << kernel_word(f.problem.kernel) << ", trained: " << f.problem.trained.to_string()
            << "\n";
  if (f.separate) print_separate(*f.separate, digits);
  std::size_t certified = 0, shown = 0, minima = 0, bad = 0;
  for (const PointReport& p : f.points) {
    if (!is_stationary(p)) continue;
    ++certified;
    if (!proved(p.curvature.minimum.verdict)) continue;
    ++minima;
    if (p.non_global && proved(p.non_global->verdict)) ++bad;
  }
  if (f.search)
    std::cout << "  search: " << f.search->statistics.starts << " starts, "
              << f.search->statistics.distinct << " different points, " << certified
              << " certified: " << minima << " local minima, " << bad
              << " of them proved not global\n";
  constexpr std::size_t most = 12;
  for (const PointReport& p : f.points) {
    if (!all && f.search && (!is_stationary(p) || shown == most)) continue;
    print_point(f, p, digits);
    ++shown;
  }
  if (shown < f.points.size())
    std::cout << "  " << f.points.size() - shown << " further points with --full\n";
  for (const heed::PositiveCertificate& c : f.positive) {
    if (c.kind != VerdictKind::proved) continue;
    std::cout << "  " << c.claim << " (" << c.theorem << "): proved";
    for (const heed::NamedConstant& k : c.constants)
      std::cout << ", " << k.name << " = " << heed::certain_digits(k.value, 8);
    std::cout << "\n";
  }
  if (f.trap) print_trap(f, digits);
  if (f.search)
    for (const std::string& note : f.search->notes) std::cout << "  note: " << note << "\n";
}

Json quantities(const LandscapeFindings& f, int digits) {
  Json q = {{"blocks", f.problem.trained.to_string()}, {"points", Json::array()}};
  for (const PointReport& p : f.points) q["points"].push_back(point_json(f, p, digits));
  if (f.search)
    q["search"] = {{"starts", f.search->statistics.starts},
                   {"converged", f.search->statistics.converged},
                   {"diverged", f.search->statistics.diverged},
                   {"underflow", f.search->statistics.underflow},
                   {"distinct", f.search->statistics.distinct}};
  if (f.separate && f.separate->decoupling.applies) {
    const heed::LandscapeOfSum& s = f.separate->sum;
    q["complete_1d"] = {
        {"local_minima", count_text(s.minima)},      {"global_minima", count_text(s.global_minima)},
        {"bad_minima", count_text(s.bad_minima)},    {"strict_minima", count_text(s.strict_minima)},
        {"infimum", to_json(s.infimum, digits)},     {"attained", ternary_json(s.attained)},
        {"globally_benign", ternary_json(s.benign)}, {"tokens", Json::array()}};
    for (const heed::Landscape1d& t : f.separate->tokens)
      q["complete_1d"]["tokens"].push_back(token_json(t, digits));
  }
  for (const heed::PositiveCertificate& c : f.positive)
    for (const heed::NamedConstant& k : c.constants) q[c.claim][k.name] = to_json(k.value, digits);
  if (f.trap) q["trap"] = trap_json(f, digits);
  return q;
}

Json claims(const LandscapeFindings& f) {
  Json all = Json::array();
  for (std::size_t k = 0; k < f.points.size(); ++k) {
    const PointReport& p = f.points[k];
    const auto add = [&](const char* id, const heed::Verdict& v) {
      all.push_back(claim(f, id, v.kind, v.reason, k));
    };
    add("landscape.stationary", p.stationary.verdict);
    if (p.exact) add("landscape.stationary_exact", p.exact->verdict);
    if (is_stationary(p)) {
      add("landscape.minimum", p.curvature.minimum.verdict);
      add("landscape.not_minimum", p.curvature.not_minimum.verdict);
      add("landscape.saddle", p.curvature.saddle.verdict);
    }
    if (p.non_global) add("landscape.non_global", p.non_global->verdict);
    if (p.trap) add("landscape.trap", p.trap->verdict);
  }
  if (f.separate) {
    const heed::Decoupling& d = f.separate->decoupling;
    bool complete = d.applies;
    std::string reason = d.reason;
    for (const heed::Landscape1d& t : f.separate->tokens) {
      if (t.status == heed::LandscapeStatus::complete ||
          t.status == heed::LandscapeStatus::constant)
        continue;
      complete = false;
      reason = t.reason;
    }
    all.push_back(claim(f, "landscape.complete_1d",
                        complete    ? VerdictKind::proved
                        : d.applies ? VerdictKind::undecided
                                    : VerdictKind::not_applicable,
                        reason));
  }
  for (const heed::PositiveCertificate& c : f.positive) {
    all.push_back(claim(f, c.claim, c.kind, c.reason));
    all.back()["theorem"] = c.theorem;
  }
  if (f.trap)
    all.push_back(claim(f, "landscape.trap", f.trap->verdict.kind, f.trap->verdict.reason));
  return all;
}

}  // namespace heedcert
