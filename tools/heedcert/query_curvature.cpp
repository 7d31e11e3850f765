// SPDX-License-Identifier: Apache-2.0
#include "query_curvature.hpp"

#include <algorithm>
#include <iostream>

#include "heed/data/input_error.hpp"
#include "heed/numeric/format.hpp"
#include "heed/theory/query_curvature.hpp"
#include "report.hpp"

namespace heedcert {
namespace {

using heed::Ball;
using Values = heed::QueryCurvature<Ball>;

template <class S>
Values in_balls(const heed::QueryCurvature<S>& c) {
  Values v;
  v.loss = to_ball(c.loss);
  v.margins = balls(c.margins);
  for (const auto& s : c.attention) v.attention.push_back(balls(s));
  v.kink = c.kink;
  if (!v.kink.empty()) return v;
  v.gradient = balls(c.gradient);
  v.gradient_norm = to_ball(c.gradient_norm);
  if (c.hvp) v.hvp = balls(*c.hvp);
  if (c.quadratic) v.quadratic = to_ball(*c.quadratic);
  if (c.hessian)
    v.hessian = heed::Extremes<Ball>{to_ball(c.hessian->least), to_ball(c.hessian->largest)};
  return v;
}

bool enough(const Values& v, bool full, const heed::Budget& budget) {
  const auto known = [&](const Ball& x) { return has_digits(x, budget); };
  const auto all_known = [&](const auto& list) {
    return std::all_of(list.begin(), list.end(), known);
  };
  if (!known(v.loss) || !v.kink.empty() || !known(v.gradient_norm)) return false;
  if (v.hvp && !all_known(v.hvp->entries())) return false;
  if (v.quadratic && !known(*v.quadratic)) return false;
  if (v.hessian && !(known(v.hessian->least) && known(v.hessian->largest))) return false;
  if (!full) return true;
  return all_known(v.gradient.entries()) && all_known(v.margins) &&
         std::all_of(v.attention.begin(), v.attention.end(), all_known);
}

Json quantities(const Values& v, bool full, int digits) {
  const auto j = [&](const auto& x) { return to_json(x, digits); };
  Json q = {{"loss", j(v.loss)}};
  if (v.kink.empty()) q["gradient_norm"] = j(v.gradient_norm);
  if (v.hessian) {
    q["lambda_min"] = j(v.hessian->least);
    q["lambda_max"] = j(v.hessian->largest);
  }
  if (v.hvp) q["hvp"] = j(*v.hvp);
  if (v.quadratic) q["quad"] = j(*v.quadratic);
  if (!full) return q;
  if (v.kink.empty()) q["gradient"] = j(v.gradient);
  q["margins"] = j(v.margins);
  q["attention"] = Json::array();
  for (const auto& s : v.attention) q["attention"].push_back(j(s));
  return q;
}

void print_matrix(const char* name, const heed::Matrix<Ball>& m, int digits) {
  std::cout << name << "\n";
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c)
      std::cout << "  " << r << " " << c << "  " << heed::certain_digits(m(r, c), digits) << "\n";
}

void print(const Values& v, bool full, int digits) {
  const auto text = [&](const Ball& x) { return heed::certain_digits(x, digits); };
  std::cout << "loss = " << text(v.loss) << "\n";
  if (v.kink.empty()) std::cout << "gradient_norm = " << text(v.gradient_norm) << "\n";
  if (v.hessian)
    std::cout << "lambda_min = " << text(v.hessian->least) << "\n"
              << "lambda_max = " << text(v.hessian->largest) << "\n";
  if (v.quadratic) std::cout << "quad = " << text(*v.quadratic) << "   (<D, hess L [D]>)\n";
  if (v.hvp) print_matrix("hvp", *v.hvp, digits);
  if (full && v.kink.empty()) print_matrix("gradient", v.gradient, digits);
}

std::vector<std::string> notes_of(const heed::QueryInstance& instance, const Values& v,
                                  std::size_t at, bool settled) {
  std::vector<std::string> notes = instance.notes;
  if (instance.points.size() > 1)
    notes.push_back("point " + std::to_string(at) + " of " +
                    std::to_string(instance.points.size()) + " (--at)");
  if (!v.kink.empty()) notes.push_back("no derivatives: " + v.kink);
  if (!v.hessian && v.kink.empty())
    notes.push_back("lambda_min and lambda_max are left out: d > " +
                    std::to_string(heed::max_hessian_dim));
  if (!settled) notes.push_back("the budget ended before every digit was reached");
  return notes;
}

}  // namespace

int query_curvature(const heed::QueryInstance& instance, const Input& input, std::size_t at,
                    const CommonOptions& o) {
  if (instance.points.empty())
    throw heed::InputError(
        input.path +
        ": missing W (d x d), or K and Q: expected a point at which to evaluate; add "
        "it, or make one (heedcert generate attsvm --weights gaussian:1)");
  if (at >= instance.points.size())
    throw heed::InputError("--at: expected 0 to " + std::to_string(instance.points.size() - 1) +
                           ", found " + std::to_string(at));
  const heed::Budget budget = budget_for(o);
  Values v;
  int bits = 0;
  const auto step = [&](auto evaluate) {
    v = in_balls(evaluate());
    bits = heed::working_precision();
    return enough(v, o.full, budget);
  };
  const bool settled = heed::escalate(
      budget,
      [&] { return step([&] { return heed::query_curvature<heed::DoubleBall>(instance, at); }); },
      [&] { return step([&] { return heed::query_curvature<Ball>(instance, at); }); });
  const std::vector<std::string> notes = notes_of(instance, v, at, settled);
  const heed::PrecisionScope scope(std::max(bits, 128));
  if (o.json) {
    Json j = result_object("curvature", o, {input});
    j["settings"]["at"] = at;
    j["status"] = settled ? "ok" : "undecided";
    j["bits"] = bits;
    j["quantities"] = quantities(v, o.full, o.digits);
    j["claims"] = Json::array();
    j["notes"] = notes;
    print_json(j);
  } else {
    print(v, o.full, std::max(o.digits, 15));
    for (const std::string& note : notes) std::cout << "note: " << note << "\n";
  }
  return settled ? Exit::ok : Exit::undecided;
}

}  // namespace heedcert
