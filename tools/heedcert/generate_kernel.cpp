// SPDX-License-Identifier: Apache-2.0
#include "generate_kernel.hpp"

#include "heed/data/generate_kernel.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/kernel_named.hpp"

namespace heedcert {
namespace {

std::string names(const std::string& separator) {
  std::string text;
  for (const heed::KernelName& n : heed::kernel_names())
    text += (text.empty() ? "" : separator) + std::string(n.name);
  return text;
}

heed::KernelSpec spec_of(const KernelGenerateOptions& o) {
  using Data = heed::KernelSpec::Data;
  heed::KernelSpec spec;
  if (o.data == "pathfinder") {
    spec.data = Data::pathfinder;
    spec.tokens = 9;
    spec.shape.dim = 13;
  } else if (o.data == "gaussian") {
    spec.data = Data::normal;
  } else if (o.data != "token-task") {
    throw heed::InputError(
        "--data: expected token-task, pathfinder or gaussian for kernel (or --name " + names("|") +
        "), found " + o.data);
  }
  spec.samples = o.samples.value_or(spec.samples);
  spec.tokens = o.tokens.value_or(spec.tokens);
  spec.shape = {o.dim.value_or(spec.shape.dim), o.key_dim, o.value_dim, o.outputs,
                o.heads.value_or(spec.shape.heads)};
  spec.seed = o.seed;
  spec.weight_seed = o.weight_seed;
  return spec;
}

}  // namespace

void add_kernel_generate_options(CLI::App& app, KernelGenerateOptions& o) {
  const auto size = [&](const char* name, std::size_t& value, const char* text) {
    app.add_option(name, value, text)->check(CLI::Range(0.0, 1e9))->capture_default_str();
  };
  app.add_option("--name", o.name, "kernel: a named instance, one of " + names(" "));
  app.add_option("--kernel", o.kernel, "kernel: the one kernel of the layer (default: both)")
      ->check(CLI::IsMember({"softmax", "gaussian", "gaussian/n", "gaussian-normalised"}));
  size("--key-dim", o.key_dim, "kernel: dimension d of queries and keys");
  size("--value-dim", o.value_dim, "kernel: dimension d_v of values");
  size("--outputs", o.outputs, "kernel: outputs p");
  app.add_option("--weight-seed", o.weight_seed, "kernel: seed of the weights (default: by --seed)")
      ->check(CLI::Range(0.0, 1.8e19));
}

heed::KernelInstance generate_kernel(const KernelGenerateOptions& o) {
  heed::KernelInstance instance =
      o.name.empty() ? heed::generate_kernel(spec_of(o)) : heed::kernel_instance_named(o.name);
  if (!o.kernel.empty()) instance.kernel = heed::parse_kernel(o.kernel);
  return instance;
}

}  // namespace heedcert
