// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "command.hpp"
#include "heed/data/csv_images.hpp"
#include "heed/data/generate.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/write.hpp"

namespace heedcert {
namespace {

struct Output {
  std::string path;
  bool force = false;
};

struct Weights {
  std::string spec = "none";
  std::size_t heads = 4;
};

void add_write_options(CLI::App& app, Output& out) {
  app.add_option("-o,--output", out.path,
                 "file to write, .json or .npz; without it JSON goes to standard output");
  app.add_flag("--force", out.force, "overwrite an existing file");
}

void add_weight_options(CLI::App& app, Weights& w) {
  app.add_option("--weights", w.spec, "none, zero, gaussian:SD or one-step:ETA0")
      ->capture_default_str();
  app.add_option("--heads", w.heads, "number of heads H")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
}

// `one-step` alone takes a step of size 1.
heed::WeightSpec weight_spec(const std::string& text) {
  return heed::parse_weight_spec(text == "one-step" ? "one-step:1" : text);
}

int write(const heed::MhaInstance& instance, const Output& out) {
  for (const std::string& note : instance.notes) std::cerr << "note: " << note << "\n";
  if (out.path.empty()) {
    std::cout << heed::to_json(instance);
    return Exit::ok;
  }
  heed::write_instance(instance, out.path,
                       out.force ? heed::Overwrite::allow : heed::Overwrite::refuse);
  std::cout << "wrote " << out.path << ": n = " << instance.samples()
            << ", T = " << instance.max_tokens() << ", d = " << instance.dim()
            << (instance.weights ? ", H = " + std::to_string(instance.heads())
                                 : ", no weights (--weights)")
            << "\n";
  return Exit::ok;
}

struct GenerateOptions {
  std::string model, data = "gaussian", zeta = "1/2", strength = "1", clip = "1",
                     labels = "balanced";
  heed::MixtureSpec mixture;
  double scale = 1;
  std::uint64_t seed = 1;
  Weights weights;
  Output out;
};

heed::Rational number(const std::string& option, const std::string& text) {
  try {
    return heed::Rational::parse(text);
  } catch (const std::invalid_argument& e) {
    throw heed::InputError(option + ": " + e.what());
  }
}

int run_generate(GenerateOptions o) {
  if (o.model != "mha")
    throw heed::InputError("generate: expected the model mha, found \"" + o.model + "\"");
  o.mixture.labels = o.labels == "coin" ? heed::Labels::coin : heed::Labels::balanced;
  o.mixture.zeta = number("--zeta", o.zeta);
  o.mixture.strength = number("--strength", o.strength);
  o.mixture.clip = number("--clip", o.clip);
  o.mixture.seed = o.seed;
  const heed::TokenSpec tokens{o.mixture.samples, o.mixture.tokens, o.mixture.dim,
                               o.scale,           o.mixture.labels, o.seed};
  heed::MhaInstance instance = o.data == "mixture" ? heed::generate_mixture(o.mixture)
                               : o.data == "unit"  ? heed::generate_unit_tokens(tokens)
                                                   : heed::generate_gaussian_tokens(tokens);
  heed::set_weights(instance, weight_spec(o.weights.spec), o.weights.heads, o.seed);
  return write(instance, o.out);
}

struct ConvertOptions {
  std::string input;
  std::vector<long> classes{1, 0};
  heed::ImageOptions images;
  bool first = false;
  bool table_options = false;  // one of the options for tables was given
  CommonOptions common;
  Weights weights;
  Output out;
};

bool is_table(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

int run_convert(ConvertOptions o) {
  heed::MhaInstance instance;
  if (is_table(o.input)) {
    if (o.classes.size() != 2)
      throw heed::InputError("--classes: expected two labels, such as 3,8");
    o.images.positive_label = o.classes[0];
    o.images.negative_label = o.classes[1];
    o.images.balanced = !o.first;
    instance = heed::read_csv_images(o.input, o.images);
  } else {
    if (o.table_options)
      throw heed::InputError(o.input +
                             ": --classes, --patch, --scale-bits, --limit and --first need a "
                             "table of images (.csv or .csv.gz)");
    instance = load(o.input, o.common, false).instance;
  }
  if (o.weights.spec != "none")
    heed::set_weights(instance, weight_spec(o.weights.spec), o.weights.heads, o.common.seed);
  return write(instance, o.out);
}

}  // namespace

void register_generate(CLI::App& app, Run& run) {
  auto o = std::make_shared<GenerateOptions>();
  CLI::App* sub =
      app.add_subcommand("generate", "make an instance from a data model, with weights on request");
  sub->add_option("MODEL", o->model, "mha")->required();
  sub->add_option("--data", o->data,
                  "gaussian, unit (tokens of norm 1) or mixture (tokenized mixture)")
      ->check(CLI::IsMember({"gaussian", "unit", "mixture"}))
      ->capture_default_str();
  sub->add_option("--n", o->mixture.samples, "number of samples n")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  sub->add_option("--tokens", o->mixture.tokens, "tokens of a sample T")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  sub->add_option("--dim", o->mixture.dim, "dimension d")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  sub->add_option("--labels", o->labels, "balanced or coin")
      ->check(CLI::IsMember({"balanced", "coin"}))
      ->capture_default_str();
  sub->add_option("--scale", o->scale, "standard deviation of Gaussian tokens")
      ->capture_default_str();
  sub->add_option("--nuisances", o->mixture.nuisances, "mixture: number of nuisance patterns M")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  sub->add_option("--strength", o->strength, "mixture: norm S of the patterns")
      ->capture_default_str();
  sub->add_option("--zeta", o->zeta, "mixture: share of relevant tokens, zeta T an integer")
      ->capture_default_str();
  sub->add_option("--noise", o->mixture.noise_sd, "mixture: noise standard deviation")
      ->capture_default_str();
  sub->add_option("--clip", o->clip, "mixture: largest noise norm")->capture_default_str();
  sub->add_flag("--rotate", o->mixture.rotate, "mixture: apply one exact orthogonal map");
  add_weight_options(*sub, o->weights);
  sub->add_option("--seed", o->seed, "seed of every random choice")->capture_default_str();
  add_write_options(*sub, o->out);
  sub->footer(
      "Examples:\n"
      "  heedcert generate mha --n 64 --tokens 8 --dim 8 --heads 16 --weights gaussian:1 -o "
      "small.json\n"
      "  heedcert generate mha --data mixture --tokens 8 --dim 6 --noise 0.1 --weights one-step:6");
  sub->callback([&run, o] { run = [o] { return run_generate(*o); }; });
}

void register_convert(CLI::App& app, Run& run) {
  auto o = std::make_shared<ConvertOptions>();
  CLI::App* sub = app.add_subcommand(
      "convert", "convert between .json, .npz and tables of images (.csv, .csv.gz)");
  sub->add_option("IN", o->input, "instance or table of images: pixels, last column the label")
      ->required();
  sub->add_option("--classes", o->classes, "csv: the labels that become +1 and -1 (default 1,0)")
      ->delimiter(',')
      ->expected(2);
  sub->add_option("--patch", o->images.patch, "csv: tokens are p x p patches; 0: rows")
      ->capture_default_str();
  sub->add_option("--scale-bits", o->images.scale_bits, "csv: pixels times 2^-k")
      ->capture_default_str();
  sub->add_option("--limit", o->images.limit, "csv: number of images, half of each class; 0: all")
      ->capture_default_str();
  sub->add_flag("--first", o->first, "csv: the first images of either class, in file order");
  add_weight_options(*sub, o->weights);
  sub->add_option("--loss", o->common.loss, "loss of a file that does not state it")
      ->check(CLI::IsMember({"logistic", "exponential"}));
  sub->add_option("--seed", o->common.seed, "seed of random weights")->capture_default_str();
  add_write_options(*sub, o->out);
  sub->footer(
      "Examples:\n"
      "  heedcert convert layer.npz -o layer.json\n"
      "  heedcert convert digits.csv.gz --classes 3,8 --scale-bits 4 --limit 64 -o digits.json");
  sub->callback([&run, o, sub] {
    for (const char* name : {"--classes", "--patch", "--scale-bits", "--limit", "--first"})
      o->table_options = o->table_options || sub->count(name) > 0;
    run = [o] { return run_convert(*o); };
  });
}

}  // namespace heedcert
