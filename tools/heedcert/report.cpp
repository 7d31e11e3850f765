// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <iostream>

#include "heed/numeric/format.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/version.hpp"

namespace heedcert {
namespace {

// Printed digits beyond the requested ones, so that outward rounding costs nothing visible.
constexpr int guard_digits = 8;

const char* fixture_name(const std::string& id) {
  if (id == "mha.grad_bound") return "grad";
  if (id == "mha.hessian_bound") return "hess_phi";
  if (id == "mha.loss_grad") return "loss_grad";
  if (id == "mha.weak_convexity") return "weak_convexity";
  if (id == "mha.smoothness") return "smoothness";
  return nullptr;
}

}  // namespace

Json result_object(const std::string& command, const CommonOptions& o,
                   const std::vector<Input>& inputs) {
  Json files = Json::array();
  for (const Input& i : inputs) files.push_back({{"file", i.path}, {"sha256", i.sha256}});
  return {{"schema", "heed-result-1"},
          {"command", command},
          {"version", heed::version},
          {"seed", o.seed},
          {"settings",
           {{"digits", o.digits},
            {"max_bits", o.max_bits},
            {"double_tier", !o.balls_only},
            {"timeout", o.timeout},
            {"threads", o.threads},
            {"full", o.full}}},
          {"inputs", files}};
}

Json to_json(const heed::Ball& x, int digits) {
  const heed::DecimalInterval d = heed::decimal_interval(x, digits + guard_digits);
  Json j = {{"lo", d.lo}, {"hi", d.hi}};
  if (x.is_exact() && d.lo == d.hi) j["exact"] = d.lo;
  return j;
}

Json to_json(const std::vector<heed::Ball>& v, int digits) {
  Json a = Json::array();
  for (const heed::Ball& x : v) a.push_back(to_json(x, digits));
  return a;
}

Json to_json(const heed::Matrix<heed::Ball>& m, int digits) {
  Json a = Json::array();
  for (std::size_t i = 0; i < m.rows(); ++i)
    a.push_back(to_json(std::vector<heed::Ball>(m.row(i), m.row(i) + m.cols()), digits));
  return a;
}

Json approx_json(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", x);
  return {{"approx", text}};
}

Json approx_json(const std::vector<double>& v) {
  Json a = Json::array();
  for (double x : v) a.push_back(approx_json(x));
  return a;
}

namespace {

Json item_json(const heed::ItemResult& item, int digits) {
  Json j;
  if (!item.where.empty()) j["where"] = item.where;
  j["verdict"] = heed::to_string(item.verdict.kind);
  j["lhs"] = to_json(item.lhs, digits);
  j["rhs"] = to_json(item.rhs, digits);
  const heed::Ball t = item.tightness();
  j["tightness"] = t.is_finite() ? to_json(t, digits) : Json(nullptr);
  return j;
}

}  // namespace

Json to_json(const heed::ClaimResult& c, const CommonOptions& o) {
  Json j = {{"id", c.id}, {"rung", c.rung}, {"verdict", heed::to_string(c.verdict.kind)}};
  if (c.items > 0) {
    Json shown = item_json(c.shown, o.digits);
    shown.erase("verdict");
    j.update(shown);
  } else {
    j["lhs"] = j["rhs"] = j["tightness"] = nullptr;
  }
  j["bits"] = c.verdict.bits;
  Json hypotheses = Json::array();
  for (const heed::Hypothesis& h : c.hypotheses)
    hypotheses.push_back({{"text", h.text}, {"status", h.status}});
  j["hypotheses"] = hypotheses;
  j["reason"] = c.verdict.reason;
  j["equality"] = c.verdict.equality;
  j["items"] = c.items;
  if (o.full && !c.per_sample.empty()) {
    Json samples = Json::array();
    for (const heed::ItemResult& i : c.per_sample) samples.push_back(item_json(i, o.digits));
    j["per_sample"] = samples;
  }
  return j;
}

Json to_json(const heed::IdentityResult& i, const CommonOptions& o) {
  return {{"id", i.id},
          {"statement", i.statement},
          {"status", i.status},
          {"deviation", to_json(i.deviation, o.digits)},
          {"comparisons", i.comparisons},
          {"reason", i.reason}};
}

Json bounds_json(const std::vector<heed::ClaimResult>& claims, const heed::InstanceQuantities& q,
                 const CommonOptions& o) {
  Json b = Json::object();
  for (const heed::ClaimResult& c : claims) {
    const char* group = fixture_name(c.id);
    if (group == nullptr || c.items == 0) continue;
    if (c.per_sample.empty()) {
      b[group][c.rung] = to_json(c.shown.rhs, o.digits);
      continue;
    }
    const bool one_value = c.rung == "paper" || c.rung == "worst";
    Json values = Json::array();
    for (const heed::ItemResult& i : c.per_sample) values.push_back(to_json(i.rhs, o.digits));
    b[group][c.rung] = one_value ? values.front() : values;
  }
  for (const heed::ClaimResult& c : claims)
    if (c.id == "mha.weak_convexity" && c.rung == "exact") {
      const heed::Ball scaled = c.shown.rhs * q.sqrt_heads;
      b["kappa_hat"] = to_json(scaled / q.loss, o.digits);
      b["kappa_hat_G"] = to_json(scaled / q.mean_slope, o.digits);
    }
  b["L"] = to_json(q.loss, o.digits);
  b["G"] = to_json(q.mean_slope, o.digits);
  const heed::WeightNorms<heed::Ball>& w = q.norms;
  b["R"] = to_json(w.R, o.digits);
  b["theta_2inf"] = to_json(w.theta_2inf, o.digits);
  b["MU"] = to_json(w.M_U, o.digits);
  b["meanU2"] = to_json(w.mean_U2, o.digits);
  Json geometry = Json::array();
  for (const heed::TokenGeometry<heed::Ball>& g : q.geometry)
    geometry.push_back({{"rmax", to_json(g.r, o.digits)},
                        {"sigma", to_json(g.sigma, o.digits)},
                        {"diam", to_json(g.D, o.digits)}});
  b["geometry"] = geometry;
  return b;
}

void print_json(const Json& j) {
  // File names need not be UTF-8; their other bytes become replacement characters.
  std::cout << j.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string kernel_sizes(const heed::KernelInstance& a) {
  const auto part = [](const char* name, std::size_t value) {
    return std::string(name) + " = " + std::to_string(value);
  };
  return part("N", a.samples()) + ", " + part("n", a.tokens()) + ", " + part("D", a.dim()) + ", " +
         part("d", a.key_dim()) + ", " + part("d_v", a.value_dim()) + ", " +
         part("p", a.output_dim()) + ", " + part("H", a.heads());
}

}  // namespace heedcert
