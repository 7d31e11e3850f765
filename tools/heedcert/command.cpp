// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <unistd.h>

#include <cstdio>

#include "heed/data/input_bytes.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/read.hpp"
#include "heed/data/sha256.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/theory/mha_analysis.hpp"

namespace heedcert {

namespace {

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

}  // namespace

void add_output_options(CLI::App& app, CommonOptions& o) {
  app.add_flag("--json", o.json, "print one JSON object (schema heed-result-1) and nothing else");
  app.add_flag("--full", o.full, "add arrays: per-sample results, gradient, attention, ...");
  app.add_option("--seed", o.seed, "seed, echoed in the result")
      ->check(CLI::Range(0.0, 1.8e19))
      ->capture_default_str();
}

void add_digits_option(CLI::App& app, CommonOptions& o) {
  app.add_option("--digits", o.digits, "relative width of every enclosure: 10^-N")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
}

void add_precision_options(CLI::App& app, CommonOptions& o) {
  add_digits_option(app, o);
  app.add_option("--max-bits", o.max_bits,
                 "largest working precision; N digits of a Hessian eigenvalue need about 8 N bits")
      ->check(CLI::Range(64, 1000000))
      ->capture_default_str();
  app.add_flag("--balls-only", o.balls_only,
               "skip the first tier, enclosures in double; start with balls of 128 bits");
  app.add_option("--timeout", o.timeout,
                 "begin no higher precision after this many seconds; 0: no limit")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--threads", o.threads, "number of threads; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--max-memory", o.max_memory, "refuse instances whose analysis needs more GiB")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option(
         "--loss", o.loss,
         "loss of a file that does not state it: logistic, exponential, or (attsvm) correlation")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}));
}

void add_kernel_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--kernel", o.kernel, "kernel: this one, whatever the file says")
      ->check(CLI::IsMember({"softmax", "gaussian", "gaussian/n", "gaussian-normalised"}));
  app.add_option("--beta", o.beta, "kernel: beta of a file that does not state it");
}

heed::Budget budget_for(const CommonOptions& o) {
  heed::set_thread_count(o.threads);
  heed::Budget budget;
  budget.digits = o.digits;
  budget.max_bits = o.max_bits;
  budget.double_tier = !o.balls_only;
  budget.start_bits = std::min(budget.start_bits, o.max_bits);
  budget.seconds = o.timeout;
  budget.zero_bits = std::min(budget.zero_bits, o.max_bits);
  if (isatty(STDERR_FILENO) != 0)
    budget.on_precision = [](int bits) {
      std::fprintf(stderr, "heedcert: working at %d bits\n", bits);
    };
  return budget;
}

namespace {

heed::ReadOptions read_options(const CommonOptions& o) {
  heed::ReadOptions options;
  if (!o.kernel.empty()) options.kernel = heed::parse_kernel(o.kernel);
  if (!o.beta.empty()) options.beta = o.beta;
  if (o.loss.empty()) return options;
  options.loss = heed::parse_loss(o.loss);
  options.query_loss = heed::parse_query_loss(o.loss);
  return options;
}

}  // namespace

LoadedAny load_any(const std::string& path, const CommonOptions& o) {
  const heed::ReadOptions options = read_options(o);
  const std::string bytes = heed::read_input_bytes(path, options.max_bytes);
  LoadedAny loaded{heed::parse_instance(bytes, heed::input_label(path), options),
                   {path, heed::sha256_hex(bytes)}};
  if (!o.loss.empty() && !options.loss &&
      std::holds_alternative<heed::MhaInstance>(loaded.instance))
    throw heed::InputError("--loss " + o.loss + ": model mha has logistic and exponential");
  return loaded;
}

LoadedInstance with_weights(LoadedAny any, const CommonOptions& o) {
  const std::string label = heed::input_label(any.input.path);
  if (!std::holds_alternative<heed::MhaInstance>(any.instance))
    throw heed::InputError(label + ": an instance of model " +
                           std::string(heed::model_word(any.instance)) +
                           "; expected mha, attsvm or kernel");
  LoadedInstance loaded{std::get<heed::MhaInstance>(std::move(any.instance)), any.input};
  if (!loaded.instance.weights)
    throw heed::InputError(
        label +
        ": missing U / W: expected the weights U (H x T x d) and W (H x d x d), found "
        "neither; add them to the file, or make an instance with weights "
        "(heedcert generate --weights ..., heedcert convert --weights ...)");
  const double bytes_needed = heed::analysis_bytes(loaded.instance), limit = o.max_memory * 0x1p30;
  if (bytes_needed > limit)
    throw heed::InputError(
        label + ": d = " + std::to_string(loaded.instance.dim()) +
        ", H = " + std::to_string(loaded.instance.heads()) +
        ": expected an instance that can be analysed in " + text(o.max_memory) +
        " GiB, found one that needs about " + text(bytes_needed / 0x1p30) +
        " GiB (Hessian blocks of d^2 x d^2 enclosures); reduce d, or raise --max-memory");
  return loaded;
}

}  // namespace heedcert
