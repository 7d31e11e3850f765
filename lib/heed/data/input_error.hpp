// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace heed {

/// The user's file or argument cannot be used. The message names the file, the tensor and index (or
/// byte), what was expected, what was found, and what to do; the command prints it and exits
/// with 3.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heed
