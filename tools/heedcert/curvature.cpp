// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "command.hpp"
#include "heed/attention/approx_gradient.hpp"
#include "heed/data/input_bytes.hpp"
#include "heed/data/read.hpp"
#include "heed/data/sha256.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/fast_curvature.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "kernel_curvature.hpp"
#include "query_curvature.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

using heed::Ball;

struct Options {
  CommonOptions common;
  std::string file, direction;
  bool approx = false;
  std::size_t at = 0;
  std::string blocks = "all";
};

/// Everything that is printed, at one working precision.
struct Values {
  Ball loss, mean_slope, gradient_norm;
  heed::Extremes<Ball> hessian;
  heed::CurvatureRatios<Ball> ratios;
  std::vector<Ball> block_minima;
  std::vector<Ball> gradient, phi, margins, losses, dloss, d2loss, hvp;
  heed::Matrix<Ball> ntk_kernel;
  std::vector<std::vector<heed::Matrix<Ball>>> attention;  // sample, head
  std::string reduction;
  int bits = 0;

  // Calls f on every number.
  template <class F>
  void for_each(F&& f) const {
    for (const Ball* x : {&loss, &mean_slope, &gradient_norm, &hessian.least, &hessian.largest,
                          &ratios.kappa_hat, &ratios.kappa_hat_G})
      f(*x);
    for (const auto* v : {&block_minima, &gradient, &phi, &margins, &losses, &dloss, &d2loss, &hvp,
                          &ntk_kernel.entries()})
      for (const Ball& x : *v) f(x);
    for (const auto& heads : attention)
      for (const auto& a : heads)
        for (const Ball& x : a.entries()) f(x);
  }
};

template <class S>
Values evaluate(const heed::MhaInstance& instance, const std::vector<heed::Rational>& direction,
                bool full) {
  const heed::MhaAnalysis<S> a(instance);
  const heed::MhaModel<S>& m = a.model();
  const heed::Extremes<S>& hessian = a.hessian_extremes();
  const heed::CurvatureRatios<S> ratios = heed::curvature_ratios(a);
  Values v;
  v.reduction = a.reduction_note();
  v.bits = heed::working_precision();
  v.loss = to_ball(a.loss());
  v.mean_slope = to_ball(a.mean_slope());
  v.gradient_norm = to_ball(a.gradient_norm());
  v.hessian = {to_ball(hessian.least), to_ball(hessian.largest)};
  v.ratios = {to_ball(ratios.kappa_hat), to_ball(ratios.kappa_hat_G)};
  v.block_minima = balls(a.block_minima());
  if (full) {
    v.gradient = balls(a.gradient());
    v.phi = balls(m.phi());
    v.margins = balls(m.margins());
    for (const heed::LossTerms<S>& l : m.loss_terms()) {
      v.losses.push_back(to_ball(l.value));
      v.dloss.push_back(-to_ball(l.slope));
      v.d2loss.push_back(to_ball(l.second));
    }
    v.ntk_kernel = balls(m.ntk_kernel());
    for (std::size_t i = 0; i < a.samples(); ++i) {
      v.attention.emplace_back();
      for (std::size_t h = 0; h < a.heads(); ++h)
        v.attention.back().push_back(balls(m.head(i, h).A));
    }
  }
  if (!direction.empty()) {
    const std::vector<S> d(direction.begin(), direction.end());
    v.hvp = balls(a.hessian_vector_product(d));
  }
  return v;
}

std::optional<Values> fast(const heed::MhaInstance& instance) {
  const std::optional<heed::FastCurvature> c = heed::fast_curvature(instance);
  if (!c) return std::nullopt;
  Values v;
  v.reduction = c->reduction;
  v.bits = heed::working_precision();
  v.loss = to_ball(c->loss);
  v.mean_slope = to_ball(c->mean_slope);
  v.gradient_norm = to_ball(c->gradient_norm);
  v.hessian = {to_ball(c->hessian.least), to_ball(c->hessian.largest)};
  v.ratios = {to_ball(c->ratios.kappa_hat), to_ball(c->ratios.kappa_hat_G)};
  v.block_minima = balls(c->block_minima);
  return v;
}

// The generic formulas in DoubleBall are a little sharper, at T^3 d operations for each sample and head.
bool generic_takes_minutes(const heed::MhaInstance& instance) {
  const auto T = static_cast<double>(instance.max_tokens());
  return static_cast<double>(instance.samples() * instance.heads() * instance.dim()) * T * T * T >
         3e8;
}

/// The heads whose block may carry the least eigenvalue; one entry when that is certain.
std::vector<std::size_t> curvature_heads(const std::vector<Ball>& minima) {
  Ball least = minima.front();
  for (const Ball& m : minima) least = min(least, m);
  std::vector<std::size_t> heads;
  if (!certainly(negative(least.upper()))) return heads;
  for (std::size_t h = 0; h < minima.size(); ++h)
    if (minima[h].overlaps(least)) heads.push_back(h);
  return heads;
}

std::string heads_text(const std::vector<std::size_t>& heads) {
  if (heads.empty()) return "no head is certain to have negative curvature";
  std::string s = heads.size() == 1 ? "carried by head" : "carried equally by heads";
  for (std::size_t h : heads) s += " " + std::to_string(h);
  return s;
}

void print(const Options& o, const heed::MhaInstance& instance, const Values& v, bool settled,
           const std::vector<double>& approx_gradient) {
  const heed::PrecisionScope scope(std::max(v.bits, 128));
  const auto text = [&](const Ball& x) {
    return heed::certain_digits(x, std::max(o.common.digits, 15));
  };
  const bool contains_zero = lost_in_zero(v.hessian.least);
  std::cout << "lambda_min = " << text(v.hessian.least) << (contains_zero ? "  (contains 0)" : "")
            << "\n"
            << "lambda_max = " << text(v.hessian.largest) << "\n"
            << "loss = " << text(v.loss) << ",  G = " << text(v.mean_slope) << "\n"
            << "gradient_norm = " << text(v.gradient_norm) << "\n"
            << "kappa_hat = " << text(v.ratios.kappa_hat) << "   (-lambda_min sqrt(H) / loss)\n"
            << "kappa_hat_G = " << text(v.ratios.kappa_hat_G) << "   (-lambda_min sqrt(H) / G)\n"
            << "least eigenvalue of each head's block:\n";
  for (std::size_t h = 0; h < v.block_minima.size(); ++h)
    std::cout << "  head " << h << "  " << text(v.block_minima[h]) << "\n";
  std::cout << "negative curvature: " << heads_text(curvature_heads(v.block_minima)) << "\n"
            << "n = " << instance.samples() << ", T = " << instance.max_tokens()
            << ", d = " << instance.dim() << ", H = " << instance.heads()
            << ", P = " << instance.parameters() << "; " << v.bits << " bits\n";
  const auto list = [&](const char* name, const std::vector<Ball>& values) {
    if (values.empty()) return;
    std::cout << name << "\n";
    for (std::size_t k = 0; k < values.size(); ++k)
      std::cout << "  " << k << "  " << text(values[k]) << "\n";
  };
  list("phi", v.phi);
  list("margins", v.margins);
  list("gradient", v.gradient);
  list("hvp", v.hvp);
  if (o.approx) {
    std::cout << "gradient in double (approximate)\n";
    std::cout.precision(17);
    for (std::size_t k = 0; k < approx_gradient.size(); ++k)
      std::cout << "  " << k << "  " << approx_gradient[k] << "\n";
  }
  if (!v.reduction.empty()) std::cout << "note: " << v.reduction << "\n";
  for (const std::string& note : instance.notes) std::cout << "note: " << note << "\n";
  if (!settled)
    std::cout << "note: the budget ended before " << o.common.digits
              << " digits were reached everywhere; raise --max-bits or --timeout\n";
}

Json quantities(const Options& o, const Values& v, const std::vector<double>& approx_gradient) {
  const int digits = o.common.digits;
  const heed::PrecisionScope scope(std::max(v.bits, 128));
  const auto j = [&](const auto& x) { return to_json(x, digits); };
  Json q = {{"loss", j(v.loss)},
            {"G", j(v.mean_slope)},
            {"gradient_norm", j(v.gradient_norm)},
            {"lambda_min", j(v.hessian.least)},
            {"lambda_max", j(v.hessian.largest)},
            {"kappa_hat", j(v.ratios.kappa_hat)},
            {"kappa_hat_G", j(v.ratios.kappa_hat_G)},
            {"block_min_eigenvalues", j(v.block_minima)},
            {"curvature_heads", curvature_heads(v.block_minima)}};
  if (o.common.full) {
    q["gradient"] = j(v.gradient);
    q["phi"] = j(v.phi);
    q["margins"] = j(v.margins);
    q["losses"] = j(v.losses);
    q["dloss"] = j(v.dloss);
    q["d2loss"] = j(v.d2loss);
    q["ntk_kernel"] = j(v.ntk_kernel);
    q["attention"] = Json::array();
    for (const auto& heads : v.attention) {
      Json sample = Json::array();
      for (const auto& a : heads) sample.push_back(j(a));
      q["attention"].push_back(std::move(sample));
    }
  }
  if (!v.hvp.empty()) q["hvp"] = j(v.hvp);
  if (o.approx) {
    q["gradient_approx"] = approx_json(approx_gradient);
    if (o.common.full)
      for (std::size_t k = 0; k < approx_gradient.size(); ++k)
        q["gradient"][k].update(approx_json(approx_gradient[k]));
  }
  return q;
}

int run_curvature(const Options& o) {
  LoadedAny any = load_any(o.file, o.common);
  if (const auto* query = std::get_if<heed::QueryInstance>(&any.instance))
    return query_curvature(*query, any.input, o.at, o.common);
  if (const auto* kernel = std::get_if<heed::KernelInstance>(&any.instance))
    return kernel_curvature(*kernel, any.input, {o.blocks, o.direction, o.approx}, o.common);
  const LoadedInstance loaded = with_weights(std::move(any), o.common);
  const heed::MhaInstance& instance = loaded.instance;
  std::vector<Input> inputs{loaded.input};
  std::vector<heed::Rational> direction;
  if (!o.direction.empty()) {
    const std::string bytes = heed::read_input_bytes(o.direction);
    direction = heed::parse_direction(bytes, heed::input_label(o.direction), instance.parameters());
    inputs.push_back({o.direction, heed::sha256_hex(bytes)});
  }
  const heed::Budget budget = budget_for(o.common);
  std::optional<Values> v;
  const auto enough = [&] {
    bool all = true;
    v->for_each([&](const Ball& x) { all = all && has_digits(x, budget); });
    return all;
  };
  const auto in_double = [&] {
    if (!o.common.full && direction.empty()) {
      v = fast(instance);
      if (v && (enough() || generic_takes_minutes(instance))) return enough();
    }
    v = evaluate<heed::DoubleBall>(instance, direction, o.common.full);
    return enough();
  };
  const auto in_balls = [&] {
    v = evaluate<Ball>(instance, direction, o.common.full);
    return enough();
  };
  const bool settled = heed::escalate(budget, in_double, in_balls);
  std::vector<double> approx_gradient;
  if (o.approx) approx_gradient = heed::approx::gradient(instance);
  if (o.common.json) {
    Json j = result_object("curvature", o.common, inputs);
    j["status"] = settled ? "ok" : "undecided";
    j["bits"] = v->bits;
    j["quantities"] = quantities(o, *v, approx_gradient);
    j["claims"] = Json::array();
    j["notes"] = instance.notes;
    if (!v->reduction.empty()) j["notes"].push_back(v->reduction);
    if (lost_in_zero(v->hessian.least)) j["notes"].push_back("lambda_min contains 0");
    if (!settled) j["notes"].push_back("the budget ended before every digit was reached");
    print_json(j);
  } else {
    print(o, instance, *v, settled, approx_gradient);
  }
  return settled ? Exit::ok : Exit::undecided;
}

}  // namespace

void register_curvature(CLI::App& app, Run& run) {
  auto o = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("curvature", "enclose loss, gradient and the extreme Hessian eigenvalues");
  sub->add_option("FILE", o->file, "instance (.json, .npz, - for standard input)")->required();
  sub->add_option("--direction", o->direction,
                  "file with P numbers: adds hvp, the Hessian-vector product");
  sub->add_option("--at", o->at, "attsvm: which point of the file (entry of loss_evals)")
      ->capture_default_str();
  add_kernel_options(*sub, o->common);
  sub->add_option("--blocks", o->blocks,
                  "kernel: parameters to differentiate by, W_Q,W_K,W_V,W_O or all")
      ->capture_default_str();
  sub->add_flag("--approx", o->approx, "add the gradient in double, without a guarantee");
  add_output_options(*sub, o->common);
  add_precision_options(*sub, o->common);
  sub->footer(
      "Example:\n  heedcert curvature examples/digits-3-vs-8.json --digits 40\n"
      "  heedcert curvature layer.npz --json --full --direction v.json\n"
      "  heedcert curvature task.json --kernel gaussian --blocks W_Q\n"
      "Exit: 0 all digits reached, 2 budget ended first, 3 bad input");
  sub->callback([&run, o] { run = [o] { return run_curvature(*o); }; });
}

}  // namespace heedcert
