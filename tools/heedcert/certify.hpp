// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.hpp"
#include "landscape_options.hpp"

namespace heedcert {

/// A certificate and what it says; without text if nothing is proved.
struct Written {
  std::string text, statement, sha256;
  int exit = Exit::ok;
};

/// Kind landscape: the point of the file (or --centre), or the trap, for its one kernel.
/// Throws InputError if the instance names no kernel.
Written landscape_certificate(const heed::KernelInstance& instance, const LandscapeRequest& r,
                              const CommonOptions& o, const std::string& info);

}  // namespace heedcert
