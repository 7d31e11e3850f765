// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "heed/landscape/analyse.hpp"
#include "heed/landscape/trap.hpp"

namespace heedcert {

/// Options that `landscape` and `certify landscape` share.
struct LandscapeRequest {
  std::string blocks = "W_Q";  ///< that are trained
  std::string centre;          ///< file: the trained coordinates of one point
  std::string radius = "0";    ///< of the box around it; 0: chosen
  std::string trap;    ///< a box or a ball around the centre, or auto; see add_landscape_options
  std::string start;   ///< of the trap: a file, or one number for all coordinates
  std::string eta;     ///< step of gradient descent in the trap
  std::string claim;   ///< of `certify`: a claim about f as a whole; empty: about a point
  bool point = false;  ///< only the point of the file, or of --centre
  int starts = 64;
};

void add_landscape_options(CLI::App& app, LandscapeRequest& r);

/// The loss as a function of the blocks; throws InputError for what --blocks does not know.
heed::LandscapeProblem landscape_problem(const heed::KernelInstance& instance,
                                         heed::AttentionKernel kernel, const LandscapeRequest& r);

/// --centre, or the instance's own weights, with --radius.
heed::PointBox requested_box(const heed::LandscapeProblem& problem, const LandscapeRequest& r);

heed::LandscapeOptions landscape_options(const LandscapeRequest& r, const CommonOptions& o);

/// All weights at a point of small loss, found in double: for witnesses.
heed::KernelWeights<heed::Rational> low_weights(const heed::LandscapeProblem& problem,
                                                const heed::SearchOptions& search);

/// --trap auto: the widest ball.
bool wants_widest_trap(const LandscapeRequest& r);
/// --eta, if it is there.
std::optional<heed::Rational> requested_step(const LandscapeRequest& r);

/// The trap that is asked for, not auto.
struct RequestedTrap {
  heed::TrapRegion region;
  std::vector<heed::Rational> theta_0;
  std::optional<heed::Rational> eta;
};
RequestedTrap requested_trap(const heed::LandscapeProblem& problem, const LandscapeRequest& r);

/// The instance of model kernel; throws InputError for another model.
const heed::KernelInstance& kernel_instance(const LoadedAny& loaded);

}  // namespace heedcert
