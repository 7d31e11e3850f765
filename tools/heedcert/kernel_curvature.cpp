// SPDX-License-Identifier: Apache-2.0
#include "kernel_curvature.hpp"

#include <algorithm>
#include <iostream>

#include "heed/data/input_bytes.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/sha256.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/kernel_curvature.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using heed::KernelBlock;
using heed::KernelBlocks;
using heed::KernelWeights;
using Values = heed::KernelCurvature<Ball>;

template <class S>
heed::Extremes<Ball> in_balls(const heed::Extremes<S>& e) {
  return {to_ball(e.least), to_ball(e.largest)};
}

template <class S>
KernelWeights<Ball> in_balls(const KernelWeights<S>& w) {
  return map(w, [](const S& x) { return to_ball(x); });
}

template <class S>
Values in_balls(const heed::KernelCurvature<S>& c) {
  Values v;
  v.loss = to_ball(c.loss);
  v.gradient = in_balls(c.gradient);
  v.gradient_norm = to_ball(c.gradient_norm);
  v.gradient_squared = to_ball(c.gradient_squared);
  for (const auto& [block, x] : c.squared) v.squared[block] = to_ball(x);
  v.hessian = in_balls(c.hessian);
  if (c.hvp) v.hvp = in_balls(*c.hvp);
  for (const auto& a : c.attention) v.attention.push_back(balls(a));
  for (const auto& f : c.outputs) v.outputs.push_back(balls(f));
  for (const auto& [word, g] : c.gram) v.gram[word] = in_balls(g);
  v.sigma_B = c.sigma_B;
  v.sigma_O = c.sigma_O;
  v.hessian_matrix = balls(c.hessian_matrix);
  v.eigenvalues = c.eigenvalues;
  return v;
}

// Calls f on every number that is reported, but for the ends of the Hessian.
template <class F>
void for_each_number(const Values& v, KernelBlocks blocks, F&& f) {
  const auto all = [&](const std::vector<Ball>& list) {
    for (const Ball& x : list) f(x);
  };
  for (const Ball* x : {&v.loss, &v.gradient_norm, &v.gradient_squared}) f(*x);
  for (const auto& [block, x] : v.squared) f(x);
  if (v.hvp) all(flatten(*v.hvp, blocks));
  if (v.outputs.empty()) return;
  all(flatten(v.gradient, blocks));
  for (const auto& m : v.attention) all(m.entries());
  for (const auto& m : v.outputs) all(m.entries());
  for (const auto& [word, g] : v.gram) f(g.least), f(g.largest);
  for (const auto& s : v.sigma_B) all(s);
  for (const auto& s : v.sigma_O) all(s);
  all(v.hessian_matrix.entries());
  all(v.eigenvalues);
}

/// One kernel's values and how they were reached.
struct Evaluated {
  heed::AttentionKernel kernel;
  Values values;
  int bits = 0;
  bool settled = false, one_sided = false, crowded = false;
  std::optional<heed::AttentionEntry> underflow;  // of the values in double
  KernelWeights<double> approx_gradient;
};

Evaluated evaluate(const heed::KernelInstance& instance, heed::AttentionKernel kernel,
                   heed::KernelCurvatureOptions options, bool approx, const heed::Budget& budget) {
  Evaluated e;
  e.kernel = kernel;
  const std::size_t P = parameter_count(instance.weights, options.blocks);
  bool can_sharpen = true, digits = false;
  if (P > heed::max_full_hessian) {
    options.ends = std::make_shared<const heed::HessianEnds>(
        heed::hessian_ends(instance, kernel, options.blocks));
    can_sharpen = ends_can_sharpen(*options.ends, P);
    e.one_sided = options.ends->one_sided;
    e.crowded = !can_sharpen && !e.one_sided;
  }
  const auto step = [&](auto values) {
    e.values = in_balls(values);
    e.bits = heed::working_precision();
    const heed::Extremes<Ball>& ends = e.values.hessian;
    digits = has_digits(ends.least, budget) && has_digits(ends.largest, budget);
    bool enough = digits || !can_sharpen;
    for_each_number(e.values, options.blocks,
                    [&](const Ball& x) { enough = enough && has_digits(x, budget); });
    return enough;
  };
  const auto doubles = [&] {
    return step(heed::kernel_curvature<heed::DoubleBall>(instance, kernel, options));
  };
  const auto balls = [&] { return step(heed::kernel_curvature<Ball>(instance, kernel, options)); };
  e.settled = options.full ? heed::escalate(budget, balls) : heed::escalate(budget, doubles, balls);
  e.settled = e.settled && (digits || e.one_sided || lost_in_zero(e.values.hessian.least));
  if (approx) {
    const auto model = heed::kernel_model<double>(instance, kernel);
    e.underflow = model.underflow();
    e.approx_gradient = model.gradient(options.blocks);
  }
  return e;
}

Json extremes_json(const heed::Extremes<Ball>& e, const char* least, const char* largest,
                   int digits) {
  return {{least, to_json(e.least, digits)}, {largest, to_json(e.largest, digits)}};
}

Json weights_json(const KernelWeights<Ball>& w, KernelBlocks blocks, int digits) {
  Json j = Json::object();
  for_each_matrix(w, blocks, [&](KernelBlock block, std::size_t, const heed::Matrix<Ball>& m) {
    j[std::string(block_word(block))].push_back(to_json(m, digits));
  });
  return j;
}

Json lists_json(const std::vector<std::vector<Ball>>& lists, int digits) {
  Json j = Json::array();
  for (const auto& list : lists) j.push_back(to_json(list, digits));
  return j;
}

Json quantities(const Evaluated& e, KernelBlocks blocks, std::size_t heads, bool approx,
                int digits) {
  const Values& v = e.values;
  const auto j = [&](const auto& x) { return to_json(x, digits); };
  Json q = {{"loss", j(v.loss)},
            {"gradient_norm", j(v.gradient_norm)},
            {"gradient_norm_squared", j(v.gradient_squared)},
            {"block_gradient_norm_squared", Json::object()}};
  for (const auto& [block, x] : v.squared)
    q["block_gradient_norm_squared"][std::string(block_word(block))] = j(x);
  q.update(extremes_json(v.hessian, "lambda_min", "lambda_max", digits));
  if (v.hvp) q["hvp"] = weights_json(*v.hvp, blocks, digits);
  if (approx) {
    q["gradient_approx"] = approx_json(flatten(e.approx_gradient, blocks));
    q["underflow"] = e.underflow.has_value();
  }
  if (v.outputs.empty()) return q;
  q["gradient"] = weights_json(v.gradient, blocks, digits);
  q["attention"] = Json::array();
  for (std::size_t k = 0; k < v.attention.size(); ++k) {
    if (k % heads == 0) q["attention"].push_back(Json::array());
    q["attention"].back().push_back(j(v.attention[k]));
  }
  q["outputs"] = Json::array();
  for (const auto& f : v.outputs) q["outputs"].push_back(j(f));
  q["pl"] = Json::object();
  for (const auto& [word, g] : v.gram) q["pl"][word] = extremes_json(g, "mu", "L", digits);
  q["sigma_B"] = lists_json(v.sigma_B, digits);
  q["sigma_W_O"] = lists_json(v.sigma_O, digits);
  if (v.hessian_matrix.size() > 0) {
    q["hessian"] = j(v.hessian_matrix);
    q["hessian_eigenvalues"] = j(v.eigenvalues);
  }
  return q;
}

void print(const Evaluated& e, KernelBlocks blocks, bool full, bool approx, int digits) {
  const Values& v = e.values;
  const heed::PrecisionScope scope(std::max(e.bits, 128));
  const auto text = [&](const Ball& x) { return heed::certain_digits(x, digits); };
  std::cout << kernel_word(e.kernel) << " (" << e.bits << " bits)\n";
  std::cout << "  lambda_min = " << text(v.hessian.least)
            << (lost_in_zero(v.hessian.least) && v.hessian.least.contains_zero() ? "  (contains 0)"
                                                                                 : "")
            << "\n"
            << "  lambda_max = " << text(v.hessian.largest) << "\n"
            << "  loss = " << text(v.loss) << "\n"
            << "  gradient_norm = " << text(v.gradient_norm) << "\n";
  for (const auto& [block, x] : v.squared)
    std::cout << "  |grad " << block_word(block) << "|^2 = " << text(x) << "\n";
  const auto list = [&](const char* name, const std::vector<Ball>& values) {
    std::cout << "  " << name << "\n";
    for (std::size_t k = 0; k < values.size(); ++k)
      std::cout << "    " << k << "  " << text(values[k]) << "\n";
  };
  if (v.hvp) list("hvp", flatten(*v.hvp, blocks));
  if (full) {
    for (const auto& [word, g] : v.gram)
      std::cout << "  J J^T of " << word << ": mu = " << text(g.least)
                << ", L = " << text(g.largest) << "\n";
    list("gradient", flatten(v.gradient, blocks));
    if (!v.eigenvalues.empty()) list("eigenvalues of the Hessian", v.eigenvalues);
  }
  if (approx) {
    std::cout << "  gradient in double (approximate)\n";
    std::cout.precision(17);
    const std::vector<double> g = flatten(e.approx_gradient, blocks);
    for (std::size_t k = 0; k < g.size(); ++k) std::cout << "    " << k << "  " << g[k] << "\n";
  }
}

std::vector<std::string> notes_of(const heed::KernelInstance& instance,
                                  const std::vector<Evaluated>& all) {
  std::vector<std::string> notes = instance.notes;
  if (!all.empty() && all.front().one_sided)
    notes.push_back(
        "lambda_min and lambda_max lie between a Rayleigh quotient and a bound of norms: "
        "more than " +
        std::to_string(heed::max_hessian_parameters) + " parameters or " +
        std::to_string(heed::max_hessian_residuals) + " residuals (--blocks)");
  for (const Evaluated& e : all) {
    const std::string kernel(kernel_word(e.kernel));
    if (e.underflow)
      notes.push_back(
          kernel + ", in double: S has zero entries (underflow), the first in sample " +
          std::to_string(e.underflow->sample) + ", head " + std::to_string(e.underflow->head) +
          ", row " + std::to_string(e.underflow->row) + ", column " +
          std::to_string(e.underflow->column) + "; a gradient that vanishes there says nothing");
    if (e.crowded && !e.settled)
      notes.push_back(kernel +
                      ": an end of the Hessian is a multiple eigenvalue, or nearly, and enclosed "
                      "in double only");
    else if (!e.settled)
      notes.push_back(kernel + ": the budget ended before every digit was reached");
  }
  return notes;
}

heed::KernelCurvatureOptions options_for(const heed::KernelInstance& instance,
                                         const KernelCurvatureRequest& request, bool full,
                                         std::vector<Input>& inputs) {
  heed::KernelCurvatureOptions options;
  const auto blocks = KernelBlocks::parse(request.blocks);
  if (!blocks)
    throw heed::InputError("--blocks: expected all, or W_Q, W_K, W_V, W_O with commas, found " +
                           request.blocks);
  options.blocks = *blocks;
  options.full = full;
  if (request.direction.empty()) return options;
  const std::string bytes = heed::read_input_bytes(request.direction);
  const auto zero = map(instance.weights, [](const heed::Rational&) { return heed::Rational(); });
  options.direction = with_flat(
      zero, *blocks,
      heed::parse_direction(bytes, heed::input_label(request.direction),
                            parameter_count(instance.weights, *blocks),
                            "block by block (W_Q, W_K, W_V, W_O), head by head, row by row"));
  inputs.push_back({request.direction, heed::sha256_hex(bytes)});
  return options;
}

}  // namespace

int kernel_curvature(const heed::KernelInstance& instance, const Input& input,
                     const KernelCurvatureRequest& request, const CommonOptions& o) {
  std::vector<Input> inputs{input};
  const heed::KernelCurvatureOptions options = options_for(instance, request, o.full, inputs);
  const std::size_t P = parameter_count(instance.weights, options.blocks);
  std::vector<Evaluated> all;
  bool settled = true;
  for (const heed::AttentionKernel kernel : reported_kernels(instance)) {
    all.push_back(evaluate(instance, kernel, options, request.approx, budget_for(o)));
    settled = settled && all.back().settled;
  }
  const std::vector<std::string> notes = notes_of(instance, all);
  if (o.json) {
    Json j = result_object("curvature", o, inputs);
    j["settings"]["blocks"] = options.blocks.to_string();
    j["status"] = settled ? "ok" : "undecided";
    for (const Evaluated& e : all) {
      const heed::PrecisionScope scope(std::max(e.bits, 128));
      Json q = quantities(e, options.blocks, instance.heads(), request.approx, o.digits);
      q["bits"] = e.bits;
      j["quantities"][std::string(kernel_word(e.kernel))] = std::move(q);
    }
    j["claims"] = Json::array();
    j["notes"] = notes;
    print_json(j);
  } else {
    for (const Evaluated& e : all)
      print(e, options.blocks, o.full, request.approx, std::max(o.digits, 15));
    std::cout << kernel_sizes(instance) << "; blocks " << options.blocks.to_string()
              << ", P = " << P << "\n";
    for (const std::string& note : notes) std::cout << "note: " << note << "\n";
  }
  return settled ? Exit::ok : Exit::undecided;
}

}  // namespace heedcert
