// SPDX-License-Identifier: Apache-2.0
#include "landscape_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "heed/data/input_bytes.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/read.hpp"

namespace heedcert {
namespace {

heed::Rational number(const std::string& option, const std::string& text) {
  try {
    return heed::Rational::parse(text);
  } catch (const std::invalid_argument& error) {
    throw heed::InputError(option + ": " + error.what());
  }
}

std::vector<heed::Rational> coordinates(const heed::LandscapeProblem& problem,
                                        const std::string& file) {
  return heed::read_direction(file, problem.parameters(),
                              "the trained blocks, block by block, head by head, row by row");
}

std::optional<heed::Rational> as_number(const std::string& text) {
  try {
    return heed::Rational::parse(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

heed::TrapRegion requested_region(const heed::LandscapeProblem& problem,
                                  const std::vector<heed::Rational>& centre,
                                  const std::string& text) {
  constexpr std::string_view ball = "ball:";
  if (text.starts_with(ball)) {
    const heed::Rational radius = number("--trap", text.substr(ball.size()));
    if (radius.sign() <= 0)
      throw heed::InputError("--trap: expected ball:RADIUS with a radius > 0, found " + text);
    return heed::TrapRegion::ball(centre, radius);
  }
  std::vector<heed::Rational> half, lower, upper;
  if (const auto all = as_number(text))
    half.assign(centre.size(), *all);
  else
    half = coordinates(problem, text);
  for (std::size_t k = 0; k < centre.size(); ++k) {
    if (half[k].sign() <= 0)
      throw heed::InputError("--trap: expected a half width > 0, found " + half[k].to_string());
    lower.push_back(centre[k] - half[k]);
    upper.push_back(centre[k] + half[k]);
  }
  return heed::TrapRegion::box(std::move(lower), std::move(upper));
}

}  // namespace

void add_landscape_options(CLI::App& app, LandscapeRequest& r) {
  app.add_option("--blocks", r.blocks, "trained parameters: W_Q,W_K,W_V,W_O or all")
      ->capture_default_str();
  app.add_flag("--point", r.point, "certify the point of the file (or --centre) only: no search");
  app.add_option("--centre", r.centre,
                 "file with the trained coordinates of one point to certify (implies --point)");
  app.add_option("--radius", r.radius, "of the box around the centre; 0: chosen")
      ->capture_default_str();
  app.add_option("--starts", r.starts, "random starts of the search")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  CLI::Option* const trap = app.add_option(
      "--trap", r.trap,
      "prove that gradient descent stays around the point: in a box of this half width "
      "(a number, or a file with one for each coordinate), in ball:RADIUS, or auto: in "
      "the widest ball, from every start near the point");
  app.add_option("--start", r.start,
                 "trap: where descent starts, a file or one number for every coordinate "
                 "(default: the centre)")
      ->needs(trap);
  app.add_option("--eta", r.eta, "trap: a step to be trapped (default: half the largest one)")
      ->needs(trap);
}

heed::LandscapeProblem landscape_problem(const heed::KernelInstance& instance,
                                         heed::AttentionKernel kernel, const LandscapeRequest& r) {
  const auto blocks = heed::KernelBlocks::parse(r.blocks);
  if (!blocks)
    throw heed::InputError("--blocks: expected all, or W_Q, W_K, W_V, W_O with commas, found " +
                           r.blocks);
  return {instance, kernel, *blocks};
}

heed::PointBox requested_box(const heed::LandscapeProblem& problem, const LandscapeRequest& r) {
  heed::PointBox box;
  box.centre = r.centre.empty() ? problem.start() : coordinates(problem, r.centre);
  box.radius = number("--radius", r.radius);
  if (box.radius.sign() < 0)
    throw heed::InputError("--radius: expected a number >= 0, found " + r.radius);
  return box;
}

heed::LandscapeOptions landscape_options(const LandscapeRequest& r, const CommonOptions& o) {
  heed::LandscapeOptions options;
  options.search.seed = o.seed;
  options.search.starts = r.starts;
  options.digits = std::max(o.digits, 20);
  options.max_bits = std::min(o.max_bits, 4096);
  return options;
}

heed::KernelWeights<heed::Rational> low_weights(const heed::LandscapeProblem& problem,
                                                const heed::SearchOptions& search) {
  heed::approx::SearchStatistics unused;
  return problem.weights(heed::approx::low_point(
      problem, search.seed, search.starts, heed::approx::find_candidates(problem, search, unused)));
}

bool wants_widest_trap(const LandscapeRequest& r) {
  if (r.trap == "auto" && !r.start.empty())
    throw heed::InputError(
        "--start: not with --trap auto, which is about every start near the point");
  return r.trap == "auto";
}

std::optional<heed::Rational> requested_step(const LandscapeRequest& r) {
  if (r.eta.empty()) return std::nullopt;
  const heed::Rational eta = number("--eta", r.eta);
  if (eta.sign() <= 0) throw heed::InputError("--eta: expected a step > 0, found " + r.eta);
  return eta;
}

RequestedTrap requested_trap(const heed::LandscapeProblem& problem, const LandscapeRequest& r) {
  RequestedTrap trap;
  trap.theta_0 = requested_box(problem, r).centre;
  trap.region = requested_region(problem, trap.theta_0, r.trap);
  if (!r.start.empty()) {
    if (const auto all = as_number(r.start))
      trap.theta_0.assign(problem.parameters(), *all);
    else
      trap.theta_0 = coordinates(problem, r.start);
  }
  trap.eta = requested_step(r);
  return trap;
}

const heed::KernelInstance& kernel_instance(const LoadedAny& loaded) {
  const auto* kernel = std::get_if<heed::KernelInstance>(&loaded.instance);
  if (!kernel)
    throw heed::InputError(heed::input_label(loaded.input.path) + ": an instance of model " +
                           std::string(heed::model_word(loaded.instance)) + "; expected kernel");
  return *kernel;
}

}  // namespace heedcert
