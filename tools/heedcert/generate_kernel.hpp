// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/data/kernel_instance.hpp"

namespace heedcert {

/// Options of `generate kernel` that the other models do not have.
struct KernelGenerateOptions {
  std::string name;
};

void add_kernel_generate_options(CLI::App& app, KernelGenerateOptions& o);

/// Throws InputError that lists the names.
heed::KernelInstance generate_kernel(const KernelGenerateOptions& o);

}  // namespace heedcert
