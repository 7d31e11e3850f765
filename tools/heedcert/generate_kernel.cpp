// SPDX-License-Identifier: Apache-2.0
#include "generate_kernel.hpp"

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

}  // namespace

void add_kernel_generate_options(CLI::App& app, KernelGenerateOptions& o) {
  app.add_option("--name", o.name, "kernel: a named instance, one of " + names(" "));
}

heed::KernelInstance generate_kernel(const KernelGenerateOptions& o) {
  if (o.name.empty()) throw heed::InputError("--name: expected one of " + names(", "));
  return heed::kernel_instance_named(o.name);
}

}  // namespace heedcert
