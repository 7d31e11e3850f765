// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/ntk.hpp"

#include <optional>

#include "heed/linalg/product.hpp"
#include "heed/theory/ntk_step.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {
namespace {

const char* const not_positive = "the NTK margin is not proved positive";

/// y_i y_j times the inner products of the coordinates first .. first + count - 1 of every head in
/// `heads`.
template <class S>
Matrix<Ball> part_kernel(const MhaModel<S>& model, std::size_t first_head, std::size_t last_head,
                         std::size_t first, std::size_t count) {
  const std::size_t n = model.inputs().samples(), block = model.inputs().head_parameters();
  const std::vector<int>& y = model.inputs().y;
  Matrix<Ball> Q(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      S sum(0);
      for (std::size_t h = first_head; h < last_head; ++h)
        sum += dot(count, model.phi_gradients().row(i) + h * block + first, 1,
                   model.phi_gradients().row(j) + h * block + first, 1);
      Q(i, j) = Q(j, i) = to_ball(y[i] == y[j] ? sum : S(-sum));
    }
  return Q;
}

template <class S>
class NtkClaims {
 public:
  explicit NtkClaims(const MhaAnalysis<S>& a) : a_(a), model_(a.model()) {}

  const KernelMargin& margin() {
    if (!margin_) margin_ = ntk_margin(model_);
    return *margin_;
  }
  S gamma() { return S(margin().gamma()); }

  /// A rung about gamma > 0.
  RungValues<S> positive_rung(const std::string& id, const std::string& rung) {
    RungValues<S> r{id, rung, {}, {}, false, false, ""};
    const bool proved = margin().separable();
    r.hypotheses.push_back({"the NTK margin is positive", proved ? "proved" : "not proved"});
    if (!proved) {
      r.not_applicable = not_positive;
      // Few samples can be separated as a rule: then it is worth a higher precision.
      r.complete = margin().not_separable() || a_.samples() > model_.inputs().parameters();
    }
    return r;
  }
  template <class Bound>
  RungValues<S> upper_rung(const std::string& rung, Bound&& bound) {
    const std::string id = "mha.ntk.margin";
    RungValues<S> r = margin().not_separable() ? RungValues<S>{id, rung, {}, {}, false, false, ""}
                                               : positive_rung(id, rung);
    if (r.not_applicable.empty()) {
      r.items = {{gamma(), bound(), ""}};
      r.reflexive = rung == "exact" || (a_.samples() == 1 && rung != "worst");
    }
    return r;
  }
  S single() const {
    S least = squared_gradient(0);
    for (std::size_t i = 1; i < a_.samples(); ++i) least = min(least, squared_gradient(i));
    return sqrt_nonnegative(least);
  }
  S uniform() const {
    const std::size_t n = a_.samples();
    std::vector<S> sum(model_.inputs().parameters());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < sum.size(); ++k) {
        const S& x = model_.phi_gradients()(i, k);
        sum[k] += model_.inputs().y[i] > 0 ? x : S(-x);
      }
    return sqrt_nonnegative(squared_norm(sum)) / S(static_cast<int>(n));
  }

  RungValues<S> split_rung(const std::string& rung) {
    RungValues<S> r = positive_rung("mha.ntk.split", rung);
    if (!r.not_applicable.empty()) return r;
    const std::size_t H = a_.heads(), block = model_.inputs().head_parameters(),
                      u = model_.inputs().tokens() * model_.inputs().dim();
    Ball sum;
    const auto add = [&](const Matrix<Ball>& Q) { sum += square(kernel_margin(Q).gamma()); };
    if (rung == "parts") {
      add(part_kernel(model_, 0, H, 0, u));
      add(part_kernel(model_, 0, H, u, block - u));
    } else {
      for (std::size_t h = 0; h < H; ++h) add(part_kernel(model_, h, h + 1, 0, block));
    }
    r.items = {{S(sqrt_nonnegative(sum)), gamma(), ""}};
    // One sample: gamma = ||psi||, whose square is the sum of those of its parts.
    r.reflexive = a_.samples() == 1 || (rung == "heads" && H == 1);
    return r;
  }

  RungValues<S> step_rung(const std::string& rung) {
    RungValues<S> r = positive_rung("mha.ntk.realizability", rung);
    if (!r.not_applicable.empty()) return r;
    const S two_n(static_cast<int>(2 * a_.samples())), target = log(two_n);
    const std::optional<NtkStep<S>>& step = step_to(target);
    if (!step) {
      r.hypotheses.push_back({"the step is a positive double", "not proved"});
      r.not_applicable = "the step is no positive double";
      return r;
    }
    if (rung == "taylor") {
      r.per_sample = true;
      for (std::size_t i = 0; i < a_.samples(); ++i)
        r.items.push_back({step->promised, step->margins[i], "sample " + std::to_string(i)});
      return r;
    }
    const bool enough = certainly(less_equal(target, step->promised));
    r.hypotheses.push_back({"some step t has t gamma - B - t^2 b2 / (2 sqrt H) >= log(2n)",
                            enough ? "proved" : "not proved"});
    if (enough) {
      r.items = {{step->loss, S(1) / two_n, ""}};
    } else {
      r.not_applicable = "too few heads for the step that the margin needs";
    }
    return r;
  }

 private:
  S squared_gradient(std::size_t i) const {
    const S* psi = model_.phi_gradients().row(i);
    return dot(model_.inputs().parameters(), psi, 1, psi, 1);
  }
  const std::optional<NtkStep<S>>& step_to(const S& target) {
    if (!step_known_) step_ = ntk_step(a_, margin(), target);
    step_known_ = true;
    return step_;
  }

  const MhaAnalysis<S>& a_;
  const MhaModel<S>& model_;
  std::optional<KernelMargin> margin_;
  std::optional<NtkStep<S>> step_;
  bool step_known_ = false;
};

}  // namespace

template <class S>
std::vector<RungValues<S>> ntk_claims(const MhaAnalysis<S>& a, const Wanted& wanted) {
  NtkClaims<S> c(a);
  std::vector<RungValues<S>> all;
  evaluate_wanted<S>(
      "mha.ntk.margin",
      {{"worst", [&] { return c.upper_rung("worst", [&] { return a.b1(); }); }},
       {"uniform", [&] { return c.upper_rung("uniform", [&] { return c.uniform(); }); }},
       {"single", [&] { return c.upper_rung("single", [&] { return c.single(); }); }},
       {"exact", [&] { return c.upper_rung("exact", [&] { return c.gamma(); }); }}},
      wanted, all);
  evaluate_wanted<S>("mha.ntk.split",
                     {{"parts", [&] { return c.split_rung("parts"); }},
                      {"heads", [&] { return c.split_rung("heads"); }}},
                     wanted, all);
  evaluate_wanted<S>("mha.ntk.realizability",
                     {{"taylor", [&] { return c.step_rung("taylor"); }},
                      {"loss", [&] { return c.step_rung("loss"); }}},
                     wanted, all);
  return all;
}

std::vector<ClaimInfo> ntk_claim_infos() {
  const std::string gamma = "gamma = max_{||v|| <= 1} min_i y_i <psi_i, v>, psi_i = grad Phi(X_i)";
  const std::string positive = "gamma > 0";
  return {
      {"mha.ntk.margin",
       "The NTK margin gamma is the distance of 0 from the convex hull of the y_i grad Phi(X_i), "
       "so at most the norm of any of its points.",
       {"gamma > 0 or gamma = 0 is proved at the precision tried"},
       {gamma, "b1 = sqrt(T) R sqrt(1 + R^4 mean_h ||U_h||_F^2)"},
       {{"worst", "b1"},
        {"uniform", "||(1/n) sum_i y_i psi_i||"},
        {"single", "min_i ||psi_i||"},
        {"exact", "gamma"}},
       "uniform: all multipliers equal 1/n; single: one sample alone is the support; both: n = 1",
       "ntk"},
      {"mha.ntk.split",
       "Squares of the margins of disjoint sets of coordinates add up to at most gamma^2.",
       {positive},
       {gamma, "gamma_U, gamma_W, gamma_h: margins of the coordinates of all U, all W, head h"},
       {{"parts", "sqrt(gamma_U^2 + gamma_W^2) <= gamma"},
        {"heads", "sqrt(sum_h gamma_h^2) <= gamma"}},
       "the parts have a common optimal alpha: n = 1, or (heads) H = 1 or equal heads",
       "ntk"},
      {"mha.ntk.realizability",
       "A step t along the NTK direction v raises every margin, so that the loss gets small near "
       "the "
       "weights: y_i Phi(X_i; theta + t v).",
       {positive, "loss: some step has t gamma - B - t^2 b2(M) / (2 sqrt H) >= log(2n)"},
       {gamma, "B = max_i |Phi(X_i)|", "M = max_h (||U_h|| + t ||v_{U,h}||)",
        "b2(M) = lam(sqrt(T) R^3, (8/(6 sqrt 3)) sqrt(T) R^5 M)"},
       {{"taylor", "t gamma - B - t^2 b2(M) / (2 sqrt H) <= y_i Phi(X_i; theta + t v)"},
        {"loss", "L(theta + t v) <= 1/(2n): every sample is classified correctly"}},
       "",
       "ntk"},
  };
}

template std::vector<RungValues<DoubleBall>> ntk_claims(const MhaAnalysis<DoubleBall>&,
                                                        const Wanted&);
template std::vector<RungValues<Ball>> ntk_claims(const MhaAnalysis<Ball>&, const Wanted&);

}  // namespace heed
