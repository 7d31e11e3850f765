// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "heed/data/kernel_instance.hpp"

namespace heedcert {

/// Options of `generate kernel`. Those shared with the other models count only if they were given.
struct KernelGenerateOptions {
  std::string name, data, kernel;
  std::optional<std::size_t> samples, tokens, dim, heads;
  std::size_t key_dim = 8, value_dim = 8, outputs = 1;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> weight_seed;
};

/// The options that the other models do not have.
void add_kernel_generate_options(CLI::App& app, KernelGenerateOptions& o);

/// Throws InputError for an unknown name (with the known ones) or data, and for impossible sizes.
heed::KernelInstance generate_kernel(const KernelGenerateOptions& o);

}  // namespace heedcert
