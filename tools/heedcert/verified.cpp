// SPDX-License-Identifier: Apache-2.0
#include "verified.hpp"

#include <algorithm>

#include "heed/data/input_bytes.hpp"
#include "heed/data/input_error.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/verify.hpp"
#include "heed/theory/verify_kernel.hpp"
#include "heed/theory/verify_query.hpp"

namespace heedcert {
namespace {

using heed::Ball;

Verified verified_mha(const heed::MhaInstance& instance, const CommonOptions& o) {
  heed::VerifyReport r = heed::verify(instance, budget_for(o));
  const heed::PrecisionScope scope(std::max(r.bits, 128));
  const heed::InstanceQuantities q = quantities(r);
  Verified v;
  v.sizes = "n = " + std::to_string(instance.samples()) +
            ", T = " + std::to_string(instance.max_tokens()) +
            ", d = " + std::to_string(instance.dim()) +
            ", H = " + std::to_string(instance.heads()) +
            ", P = " + std::to_string(instance.parameters()) + "; " +
            std::string(loss_word(instance.loss)) + " loss";
  v.quantities = {{"loss", to_json(q.loss, o.digits)}, {"bounds", bounds_json(r.claims, q, o)}};
  v.claims = std::move(r.claims);
  v.identities = std::move(r.identities);
  if (!q.reduction.empty()) v.notes.push_back(q.reduction);
  v.notes.insert(v.notes.end(), instance.notes.begin(), instance.notes.end());
  v.bits = r.bits;
  v.budget_ended = r.budget_ended;
  return v;
}

std::string answer(const heed::Condition& c) {
  if (c.is_proved()) return c.text + ": yes";
  const bool no = c.holds == heed::Ternary::certainly_false;
  return c.text + (no ? ": no" : ": not decided") +
         (c.failure.empty() ? std::string() : " (" + c.failure + ")");
}

Json condition_json(const heed::Condition& c) {
  const char* status = c.is_proved()                               ? "proved"
                       : c.holds == heed::Ternary::certainly_false ? "disproved"
                                                                   : "undecided";
  return {{"text", c.text}, {"status", status}, {"reason", c.failure}};
}

void add_margins(Verified& v, const heed::SelectionFacts& f, int digits) {
  if (!f.feasible.is_proved()) return;
  const Ball margin = Ball(1) / sqrt(Ball(f.norm2));
  v.quantities["margin_frobenius"] = to_json(margin, digits);
  v.facts.push_back("margin_frobenius = " + heed::certain_digits(margin, std::max(digits, 15)));
  if (!f.nuclear) return;
  const Ball nuclear = Ball(1) / Ball::hull(Ball(f.nuclear->lo), Ball(f.nuclear->hi));
  v.quantities["margin_nuclear"] = to_json(nuclear, digits);
  v.facts.push_back("margin_nuclear = " + heed::certain_digits(nuclear, std::max(digits, 15)));
}

Verified verified_query(const heed::QueryInstance& instance, std::size_t at,
                        const CommonOptions& o) {
  if (!instance.points.empty() && at >= instance.points.size())
    throw heed::InputError("--at: expected 0 to " + std::to_string(instance.points.size() - 1) +
                           ", found " + std::to_string(at));
  heed::QueryVerifyReport r = heed::verify(instance, at, budget_for(o));
  const heed::PrecisionScope scope(std::max(r.bits, 128));
  Verified v;
  v.sizes =
      "n = " + std::to_string(instance.inputs()) +
      ", T = " + std::to_string(instance.max_tokens()) + ", d = " + std::to_string(instance.dim()) +
      (instance.points.empty() ? "; no W"
                               : "; " + std::string(loss_word(instance.points[at].loss)) + " loss");
  if (r.loss) v.quantities["loss"] = to_json(*r.loss, o.digits);
  const heed::QueryFacts& facts = *r.facts;
  add_margins(v, facts.selected(), o.digits);
  v.quantities["hypotheses"] = Json::object();
  const std::pair<const char*, const heed::Condition*> conditions[] = {
      {"feasible", &facts.selected().feasible},
      {"unique_optima", &facts.unique_optima},
      {"E", &facts.equal_scores},
      {"S", &facts.all_support},
      {"C", &facts.comonotone},
      {"locally_optimal", &facts.locally_optimal}};
  for (const auto& [name, condition] : conditions) {
    v.facts.push_back(answer(*condition));
    v.quantities["hypotheses"][name] = condition_json(*condition);
  }
  v.claims = std::move(r.claims);
  v.identities = std::move(r.identities);
  v.notes = instance.notes;
  if (instance.points.empty())
    v.notes.push_back("no W: claims at a point are not applicable; add W, or K and Q");
  if (instance.points.size() > 1)
    v.notes.push_back("point " + std::to_string(at) + " of " +
                      std::to_string(instance.points.size()) + " (--at)");
  v.bits = r.bits;
  v.budget_ended = r.budget_ended;
  return v;
}

Json pl_json(const heed::Extremes<Ball>& e, int digits) {
  return {{"mu", to_json(e.least, digits)}, {"L", to_json(e.largest, digits)}};
}

void add_stationarity(Verified& v, const heed::KernelVerifyReport& r) {
  const char* text = r.quantities.not_stationary ? "proved" : "not proved";
  v.facts.push_back(std::string("not stationary: ") + text);
  v.quantities["not_stationary"] = text;
  v.quantities["underflow_in_double"] = r.underflow.has_value();
  if (r.underflow)
    v.notes.push_back(
        "in double, S has zero entries (underflow), the first in sample " +
        std::to_string(r.underflow->sample) + ", head " + std::to_string(r.underflow->head) +
        ", row " + std::to_string(r.underflow->row) + ", column " +
        std::to_string(r.underflow->column) + "; a gradient that vanishes there says nothing");
}

Verified verified_kernel(const heed::KernelInstance& instance, heed::AttentionKernel kernel,
                         const CommonOptions& o) {
  heed::KernelVerifyReport r = heed::verify(instance, kernel, budget_for(o));
  const heed::PrecisionScope scope(std::max(r.bits, 128));
  Verified v;
  v.kernel = kernel_word(kernel);
  v.sizes = kernel_sizes(instance) + "; " + v.kernel + ", beta = " + beta_text(instance);
  const heed::KernelQuantities& q = r.quantities;
  v.quantities = {{"loss", to_json(q.loss, o.digits)},
                  {"gradient_norm", to_json(q.gradient_norm, o.digits)}};
  const int digits = std::max(o.digits, 15);
  v.facts = {"loss = " + heed::certain_digits(q.loss, digits),
             "gradient_norm = " + heed::certain_digits(q.gradient_norm, digits)};
  for (const auto& [word, x] : q.gradient_squared)
    v.quantities["block_gradient_norm_squared"][word] = to_json(x, o.digits);
  for (const auto& [word, e] : q.pl) {
    v.quantities["pl"][word] = pl_json(e, o.digits);
    v.facts.push_back("J J^T of " + word + ": mu = " + heed::certain_digits(e.least, digits) +
                      ", L = " + heed::certain_digits(e.largest, digits));
  }
  v.notes = instance.notes;
  add_stationarity(v, r);
  v.claims = std::move(r.claims);
  v.identities = std::move(r.identities);
  v.bits = r.bits;
  v.budget_ended = r.budget_ended;
  return v;
}

}  // namespace

LoadedAny load_verifiable(const std::string& path, const CommonOptions& o) {
  LoadedAny any = load_any(path, o);
  if (std::holds_alternative<heed::RowsInstance>(any.instance))
    throw heed::InputError(
        heed::input_label(path) +
        ": an instance of model rows, about which there are no claims; its margin: "
        "heedcert margin");
  if (!std::holds_alternative<heed::MhaInstance>(any.instance)) return any;
  LoadedInstance mha = with_weights(std::move(any), o);
  return {std::move(mha.instance), std::move(mha.input)};
}

std::vector<Verified> verified(const LoadedAny& loaded, std::size_t at, const CommonOptions& o) {
  std::vector<Verified> all;
  if (const auto* mha = std::get_if<heed::MhaInstance>(&loaded.instance)) {
    all.push_back(verified_mha(*mha, o));
  } else if (const auto* kernel = std::get_if<heed::KernelInstance>(&loaded.instance)) {
    for (const heed::AttentionKernel k : reported_kernels(*kernel))
      all.push_back(verified_kernel(*kernel, k, o));
  } else {
    all.push_back(verified_query(std::get<heed::QueryInstance>(loaded.instance), at, o));
  }
  for (Verified& v : all) v.input = loaded.input;
  return all;
}

}  // namespace heedcert
