// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.hpp"

namespace heedcert {

/// What `curvature` is asked of an instance of model kernel.
struct KernelCurvatureRequest {
  std::string blocks = "all";  ///< as of KernelBlocks::parse
  std::string direction;       ///< file with as many numbers as the blocks have parameters
  bool approx = false;
};

/// `curvature` on an instance of model kernel: for its kernel, or for softmax and gaussian.
int kernel_curvature(const heed::KernelInstance& instance, const Input& input,
                     const KernelCurvatureRequest& request, const CommonOptions& o);

}  // namespace heedcert
