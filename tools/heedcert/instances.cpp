// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "generate_kernel.hpp"
#include "heed/attention/causal.hpp"
#include "heed/data/csv_images.hpp"
#include "heed/data/generate.hpp"
#include "heed/data/generate_query.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/sample_rows.hpp"
#include "heed/data/write.hpp"
#include "report.hpp"

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

std::string sizes(const heed::MhaInstance& a) {
  return "n = " + std::to_string(a.samples()) + ", T = " + std::to_string(a.max_tokens()) +
         ", d = " + std::to_string(a.dim()) +
         (a.weights ? ", H = " + std::to_string(a.heads()) : ", no weights (--weights)");
}

std::string sizes(const heed::QueryInstance& a) {
  return "n = " + std::to_string(a.inputs()) + ", T = " + std::to_string(a.max_tokens()) +
         ", d = " + std::to_string(a.dim()) + (a.points.empty() ? ", no W (--weights)" : "");
}

std::string sizes(const heed::RowsInstance& a) {
  return "m = " + std::to_string(a.F.rows()) + ", P = " + std::to_string(a.F.cols());
}

std::string sizes(const heed::KernelInstance& a) { return kernel_sizes(a); }

int write(const heed::Instance& any, const Output& out) {
  const auto with = [&](auto&& f) { return std::visit(f, any); };
  with([](const auto& a) {
    for (const std::string& note : a.notes) std::cerr << "note: " << note << "\n";
  });
  if (out.path.empty()) {
    std::cout << with([](const auto& a) { return heed::to_json(a); });
    return Exit::ok;
  }
  heed::write_instance(any, out.path, out.force ? heed::Overwrite::allow : heed::Overwrite::refuse);
  std::cout << "wrote " << out.path << ": " << with([](const auto& a) { return sizes(a); }) << "\n";
  return Exit::ok;
}

struct GenerateOptions {
  std::string model, data = "gaussian", zeta = "1/2", strength = "1", clip = "1", labels,
                     loss = "logistic";
  bool self = false;
  heed::MixtureSpec mixture;
  double scale = 1;
  std::uint64_t seed = 1;
  Weights weights;
  KernelGenerateOptions kernel;
  Output out;
};

heed::Rational number(const std::string& option, const std::string& text) {
  try {
    return heed::Rational::parse(text);
  } catch (const std::invalid_argument& e) {
    throw heed::InputError(option + ": " + e.what());
  }
}

heed::QuerySpec query_spec(const GenerateOptions& o) {
  using Data = heed::QuerySpec::Data;
  const std::vector<std::pair<std::string, Data>> kinds = {{"unit", Data::unit},
                                                           {"gaussian", Data::unit},
                                                           {"orthonormal", Data::orthonormal},
                                                           {"equal-scores", Data::equal_scores},
                                                           {"all-support", Data::all_support}};
  heed::QuerySpec spec;
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == o.data; });
  if (kind == kinds.end())
    throw heed::InputError(
        "--data: expected unit, orthonormal, equal-scores or all-support for attsvm, found " +
        o.data);
  spec.data = kind->second;
  spec.inputs = o.mixture.samples;
  spec.tokens = o.mixture.tokens;
  spec.dim = o.mixture.dim;
  spec.self = o.self;
  spec.labels = o.labels == "balanced" ? heed::Labels::balanced : heed::Labels::coin;
  spec.seed = o.seed;
  return spec;
}

int generate_query(const GenerateOptions& o) {
  heed::QueryInstance instance = heed::generate_query(query_spec(o));
  const heed::WeightSpec weights = weight_spec(o.weights.spec);
  switch (weights.kind) {
    case heed::WeightSpec::Kind::none:
      break;
    case heed::WeightSpec::Kind::one_step:
      throw heed::InputError(
          "--weights: expected none, zero or gaussian:SD for attsvm, found one-step");
    case heed::WeightSpec::Kind::zero:
    case heed::WeightSpec::Kind::gaussian:
      heed::set_gaussian_point(instance, weights.gaussian_sd, *heed::parse_query_loss(o.loss),
                               o.seed);
  }
  return write(instance, o.out);
}

int generate_mha(GenerateOptions o) {
  if (o.data != "gaussian" && o.data != "unit" && o.data != "mixture")
    throw heed::InputError("--data: expected gaussian, unit or mixture for mha, found " + o.data);
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

// What was given of the shared options, and nothing that means something to the other models only.
void complete_kernel_options(GenerateOptions& o, const CLI::App& app) {
  KernelGenerateOptions& k = o.kernel;
  const auto given = [&](const char* name, std::size_t value) {
    return app.count(name) > 0 ? std::optional(value) : std::nullopt;
  };
  if (o.model != "kernel") {
    for (const char* name :
         {"--name", "--kernel", "--key-dim", "--value-dim", "--outputs", "--weight-seed"})
      if (app.count(name) > 0)
        throw CLI::ValidationError(name, "expected model kernel, found " + o.model);
    return;
  }
  if (app.count("--weights") > 0)
    throw CLI::ValidationError("--weights", "model kernel always has weights (--weight-seed)");
  k.data = o.data;
  k.seed = o.seed;
  k.samples = given("--n", o.mixture.samples);
  k.tokens = given("--tokens", o.mixture.tokens);
  k.dim = given("--dim", o.mixture.dim);
  k.heads = given("--heads", o.weights.heads);
}

int run_generate(const GenerateOptions& o) {
  if (o.model == "kernel") return write(generate_kernel(o.kernel), o.out);
  return o.model == "attsvm" ? generate_query(o) : generate_mha(o);
}

struct ConvertOptions {
  std::string input;
  std::vector<long> classes{1, 0};
  heed::ImageOptions images;
  bool first = false;
  bool rows = false;
  bool causal = false;
  bool table_options = false;  // one of the options for tables was given
  CommonOptions common;
  Weights weights;
  Output out;
};

bool is_table(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

/// Every position of an input, with the tokens up to it, becomes an input; points are kept.
heed::QueryInstance causal(const heed::Instance& any) {
  const auto* query = std::get_if<heed::QueryInstance>(&any);
  if (query == nullptr || !query->v)
    throw heed::InputError(
        "--causal: expected an instance of model attsvm with v, which selects the tokens of every "
        "position");
  std::vector<heed::CausalSequence> sequences;
  for (std::size_t i = 0; i < query->inputs(); ++i)
    sequences.push_back({query->X[i], {query->y[i]}});
  heed::QueryInstance instance = heed::causal_instance(sequences, query->v);
  instance.points = query->points;
  instance.notes = query->notes;
  return instance;
}

int run_convert(ConvertOptions o) {
  heed::Instance instance;
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
    instance = load_any(o.input, o.common).instance;
  }
  if (o.rows) {
    if (!std::holds_alternative<heed::MhaInstance>(instance))
      throw heed::InputError("--rows: expected images or an instance of model mha, found " +
                             std::string(heed::model_word(instance)));
    instance = heed::sample_rows(std::get<heed::MhaInstance>(instance));
  }
  if (o.causal) instance = causal(instance);
  if (o.weights.spec != "none") {
    auto* mha = std::get_if<heed::MhaInstance>(&instance);
    if (mha == nullptr)
      throw heed::InputError("--weights: expected an instance of model mha, found " +
                             std::string(heed::model_word(instance)));
    heed::set_weights(*mha, weight_spec(o.weights.spec), o.weights.heads, o.common.seed);
  }
  return write(instance, o.out);
}

}  // namespace

void register_generate(CLI::App& app, Run& run) {
  auto o = std::make_shared<GenerateOptions>();
  CLI::App* sub =
      app.add_subcommand("generate", "make an instance from a data model, with weights on request");
  sub->add_option("MODEL", o->model, "mha, attsvm or kernel")
      ->required()
      ->check(CLI::IsMember({"mha", "attsvm", "kernel"}));
  sub->add_option(
         "--data", o->data,
         "mha: gaussian, unit (tokens of norm 1) or mixture (tokenized mixture); attsvm: unit "
         "(the default), orthonormal, equal-scores or all-support; kernel: token-task, pathfinder "
         "or "
         "gaussian")
      ->check(CLI::IsMember({"gaussian", "unit", "mixture", "orthonormal", "equal-scores",
                             "all-support", "token-task", "pathfinder"}))
      ->capture_default_str();
  sub->add_flag("--self", o->self, "attsvm: self-attention, queries z_i = x_i0");
  sub->add_option("--loss", o->loss, "attsvm: loss at the generated W")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}))
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
  sub->add_option("--labels", o->labels, "balanced (default of mha) or coin (default of attsvm)")
      ->check(CLI::IsMember({"balanced", "coin"}));
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
  add_kernel_generate_options(*sub, o->kernel);
  sub->add_option("--seed", o->seed, "seed of every random choice")->capture_default_str();
  add_write_options(*sub, o->out);
  sub->footer(
      "Examples:\n"
      "  heedcert generate mha --n 64 --tokens 8 --dim 8 --heads 16 --weights gaussian:1 -o "
      "small.json\n"
      "  heedcert generate attsvm --n 6 --tokens 8 --dim 10 --weights gaussian:1 -o margin.json\n"
      "  heedcert generate mha --data mixture --tokens 8 --dim 6 --noise 0.1 --weights one-step:6\n"
      "  heedcert generate kernel --name SM1 -o bad-minimum.json\n"
      "  heedcert generate kernel --data token-task --n 32 --seed 5000 --weight-seed 7000 -o "
      "text.npz");
  sub->callback([&run, o, sub] {
    complete_kernel_options(*o, *sub);
    run = [o] { return run_generate(*o); };
  });
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
  sub->add_flag("--rows", o->rows,
                "samples as plain vectors: model rows, y times all tokens in a row");
  sub->add_flag("--causal", o->causal,
                "attsvm: causal self-attention with a loss at every position; the inputs are the "
                "beginnings of the sequences, the query is the last token of each");
  add_weight_options(*sub, o->weights);
  sub->add_option("--loss", o->common.loss, "loss of a file that does not state it")
      ->check(CLI::IsMember({"logistic", "exponential"}));
  sub->add_option("--seed", o->common.seed, "seed of random weights")->capture_default_str();
  add_write_options(*sub, o->out);
  sub->footer(
      "Examples:\n"
      "  heedcert convert layer.npz -o layer.json\n"
      "  heedcert convert digits.csv.gz --classes 3,8 --scale-bits 4 --limit 64 -o digits.json\n"
      "  heedcert convert digits.csv.gz --classes 3,8 --first --rows -o rows.json && heedcert "
      "margin "
      "rows.json");
  sub->callback([&run, o, sub] {
    for (const char* name : {"--classes", "--patch", "--scale-bits", "--limit", "--first"})
      o->table_options = o->table_options || sub->count(name) > 0;
    run = [o] { return run_convert(*o); };
  });
}

}  // namespace heedcert
