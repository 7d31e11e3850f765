// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/read.hpp"
#include "heed/theory/budget.hpp"

namespace heedcert {

/// Exit codes of the command.
enum Exit : int { ok = 0, refuted = 1, undecided = 2, bad_input = 3, internal = 4, usage = 64 };

/// Options that several subcommands share.
struct CommonOptions {
  bool json = false;
  bool full = false;
  int digits = 15;
  int max_bits = 8192;
  bool balls_only = false;
  double timeout = 0;
  double max_memory = 12;  // GiB
  int threads = 1;
  std::uint64_t seed = 1;
  std::string loss;
  std::string kernel, beta;  // model kernel
};

void add_output_options(CLI::App& app, CommonOptions& o);
void add_digits_option(CLI::App& app, CommonOptions& o);
void add_precision_options(CLI::App& app, CommonOptions& o);

/// --kernel and --beta.
void add_kernel_options(CLI::App& app, CommonOptions& o);

heed::Budget budget_for(const CommonOptions& o);

/// An input file and the hash of the bytes that were really read.
struct Input {
  std::string path;
  std::string sha256;
};

struct LoadedInstance {
  heed::MhaInstance instance;
  Input input;
};

struct LoadedAny {
  heed::Instance instance;
  Input input;
};

/// Reads an instance of any model.
LoadedAny load_any(const std::string& path, const CommonOptions& o);

/// The instance of model mha with weights; throws InputError that says what to do for any other, and
/// for one whose analysis needs more than --max-memory.
LoadedInstance with_weights(LoadedAny any, const CommonOptions& o);

/// A subcommand registers itself and leaves what to do in `run`.
using Run = std::function<int()>;
void register_verify(CLI::App& app, Run& run);
void register_curvature(CLI::App& app, Run& run);
void register_margin(CLI::App& app, Run& run);
void register_certify(CLI::App& app, Run& run);
void register_claims(CLI::App& app, Run& run);
void register_generate(CLI::App& app, Run& run);
void register_convert(CLI::App& app, Run& run);
void register_reproduce(CLI::App& app, Run& run);
void register_selftest(CLI::App& app, Run& run);

}  // namespace heedcert
