// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/dm1.hpp"

#include <algorithm>
#include <optional>

#include "heed/linalg/product.hpp"
#include "heed/margin/ntk_margin.hpp"
#include "heed/theory/mixture.hpp"
#include "heed/theory/rungs.hpp"

namespace heed {
namespace {

using Vector = std::vector<Rational>;

constexpr double most_products = 1e7;

Rational product(const Rational* a, const Rational* b, std::size_t n) {
  Rational sum;
  for (std::size_t c = 0; c < n; ++c)
    if (a[c].sign() != 0 && b[c].sign() != 0) sum += a[c] * b[c];
  return sum;
}
Rational product(const Vector& a, const Vector& b) { return product(a.data(), b.data(), a.size()); }

Rational integer(std::size_t k) { return Rational(static_cast<long>(k)); }

struct TokenMean {
  Vector xbar, Cu;  ///< mean token, C ubar
};

TokenMean token_mean(const Matrix<Rational>& X, const Vector& ubar) {
  const std::size_t d = X.cols();
  const Rational share = Rational(1) / integer(X.rows());
  TokenMean m{Vector(d), Vector(d)};
  for (std::size_t t = 0; t < X.rows(); ++t) {
    const Rational level = product(X.row(t), ubar.data(), d);
    for (std::size_t c = 0; c < d; ++c) {
      m.xbar[c] += share * X(t, c);
      m.Cu[c] += share * level * X(t, c);
    }
  }
  const Rational level = product(m.xbar, ubar);
  for (std::size_t c = 0; c < d; ++c) m.Cu[c] -= level * m.xbar[c];
  return m;
}

/// The largest |H K(X_i, X_j) - H closed form|, in exact numbers.
Rational kernel_deviation(const Matrix<Rational>& F, const MhaInstance& instance,
                          const OneStepWeights& weights) {
  std::vector<TokenMean> mean;
  for (const Matrix<Rational>& X : instance.X) mean.push_back(token_mean(X, weights.ubar));
  const Rational T = integer(instance.max_tokens()), H = integer(instance.heads());
  Rational largest;
  for (std::size_t i = 0; i < F.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Rational xx = product(mean[i].xbar, mean[j].xbar);
      Rational closed = H * (T * xx + weights.c2 * T * T * xx * product(mean[i].Cu, mean[j].Cu));
      if (instance.y[i] != instance.y[j]) closed = -closed;
      const Rational difference = abs(product(F.row(i), F.row(j), F.cols()) - closed);
      if (difference > largest) largest = difference;
    }
  return largest;
}

template <class S>
class Dm1Claims {
 public:
  Dm1Claims(const MhaInstance& instance, const MhaAnalysis<S>& a)
      : instance_(instance), a_(a), mixture_(mixture_structure(instance)) {
    if (!mixture_) return;
    Vector ubar = mixture_->mu_plus;
    for (std::size_t c = 0; c < ubar.size(); ++c)
      ubar[c] = mixture_->zeta * (ubar[c] - mixture_->mu_minus[c]) / Rational(2);
    weights_ = one_step_weights(instance, ubar);
  }

  RungValues<S> kernel() {
    const std::optional<OneStepWeights> weights = one_step_weights(instance_);
    const std::size_t T = instance_.max_tokens();
    const bool common = std::all_of(instance_.X.begin(), instance_.X.end(),
                                    [T](const Matrix<Rational>& x) { return x.rows() == T; });
    RungValues<S> r = rung("mha.dm1.kernel", "exact");
    const double n = static_cast<double>(instance_.samples());
    if (require(r, weights.has_value(), "W = 0 and U_h = s_h 1 ubar^T") &&
        require(r, common, "all samples have T tokens") &&
        require(r, n * n * static_cast<double>(instance_.parameters()) <= most_products,
                "n^2 P <= 10^7")) {
      const std::optional<Matrix<Rational>> F = rational_ntk_features(instance_);
      r.items = {{S(kernel_deviation(*F, instance_, *weights)), S(0), ""}};
    }
    return r;
  }

  RungValues<S> margin(const std::string& name) {
    RungValues<S> r = rung("mha.dm1.margin", name);
    if (!require_one_step(r)) return r;
    const std::optional<Nuisances> nu = nuisances(instance_, *mixture_);
    if (!require(r, nu.has_value(), "the other tokens are orthogonal nuisances of norm S"))
      return r;
    if (name == "upper" &&
        !require(r, nu->balanced, "each label has a sample with every nuisance equally often"))
      return r;
    const Rational squared = star(nu->M);
    const S bound = sqrt_nonnegative(S(squared));
    const S gamma(ntk().gamma());
    r.items = {name == "lower" ? Item<S>{bound, gamma, ""} : Item<S>{gamma, bound, ""}};
    // gamma = gamma_*: no precision tells, exact numbers do.
    if (nu->balanced) {
      const std::optional<NtkMargin> exact = exact_ntk_margin(instance_);
      r.reflexive = exact && *exact->squared == squared;
    }
    return r;
  }

  RungValues<S> margin_U() {
    RungValues<S> r = rung("mha.dm1.margin_U", "token");
    if (!require_mixture(r) || !require(r, zero_attention_weights(instance_), "W = 0")) return r;
    Vector w = mixture_->mu_plus;  // times sqrt 2 S
    for (std::size_t c = 0; c < w.size(); ++c) w[c] -= mixture_->mu_minus[c];
    Rational worst;
    for (std::size_t i = 0; i < instance_.samples(); ++i)
      for (std::size_t t = 0; t < mixture_->T; ++t) {
        const Rational* x = instance_.X[i].row(t);
        if (std::equal(x, x + w.size(), mixture_->mu(instance_.y[i]).begin())) continue;
        const Rational level = Rational(-instance_.y[i]) * product(x, w.data(), w.size());
        if (level > worst) worst = level;
      }
    const Rational size = mixture_->zeta * mixture_->S2 - (Rational(1) - mixture_->zeta) * worst;
    const S scale = sqrt(S(integer(mixture_->T) / (Rational(2) * mixture_->S2)));
    r.items = {{S(scale * S(size)), S(ntk().gamma()), ""}};
    return r;
  }

  RungValues<S> margin_noise() {
    RungValues<S> r = rung("mha.dm1.margin_noise", "lipschitz");
    if (!require_one_step(r)) return r;
    const std::optional<MhaInstance> clean = without_noise(instance_, *mixture_);
    const std::optional<Nuisances> nu =
        clean ? nuisances(*clean, *mixture_) : std::optional<Nuisances>();
    if (!require(r, nu.has_value(), "mu_+ and mu_- lie on coordinate axes")) return r;
    const MhaModel<S> noisy(mha_inputs<S>(instance_)), pure(mha_inputs<S>(*clean));
    S distance(0);
    for (std::size_t i = 0; i < instance_.samples(); ++i) {
      std::vector<S> difference(instance_.parameters());
      for (std::size_t k = 0; k < difference.size(); ++k)
        difference[k] = noisy.phi_gradients()(i, k) - pure.phi_gradients()(i, k);
      distance = max(distance, sqrt_nonnegative(squared_norm(difference)));
    }
    r.items = {{S(sqrt_nonnegative(S(star(nu->M))) - distance), S(ntk().gamma()), ""}};
    return r;
  }

 private:
  static RungValues<S> rung(const std::string& id, const std::string& name) {
    return {id, name, {}, {}, false, false, ""};
  }
  static bool require(RungValues<S>& r, bool holds, const std::string& text) {
    r.hypotheses.push_back({text, holds ? "proved" : "not proved"});
    if (!holds) r.not_applicable = "not so: " + text;
    return holds;
  }
  bool require_mixture(RungValues<S>& r) const {
    return require(
        r, mixture_.has_value(),
        "every sample of label y has mu_y at zeta T positions, mu_+ and mu_- orthogonal");
  }
  bool require_one_step(RungValues<S>& r) const {
    return require_mixture(r) &&
           require(r, weights_.has_value(),
                   "W = 0 and U_h = s_h 1 ubar^T, ubar = (zeta/2)(mu_+ - mu_-)");
  }
  Rational star(std::size_t M) const {
    return dm1_margin_squared(static_cast<long>(mixture_->T), mixture_->zeta, mixture_->S2,
                              weights_->c2, static_cast<long>(M));
  }
  const KernelMargin& ntk() {
    if (!ntk_) ntk_ = ntk_margin(a_.model());
    return *ntk_;
  }

  const MhaInstance& instance_;
  const MhaAnalysis<S>& a_;
  std::optional<MixtureStructure> mixture_;
  std::optional<OneStepWeights> weights_;
  std::optional<KernelMargin> ntk_;
};

}  // namespace

Rational dm1_margin_squared(long T, const Rational& zeta, const Rational& S2, const Rational& c2,
                            long M) {
  const Rational rest = Rational(1) - zeta, zeta2 = zeta * zeta, inverse(1, M);
  const Rational bracket = zeta2 / Rational(2) * (Rational(1) + inverse) +
                           rest * rest * (inverse / Rational(2) + inverse * inverse);
  return Rational(T) * zeta2 * S2 / Rational(2) + c2 / Rational(4) * Rational(T) * Rational(T) *
                                                      zeta2 * zeta2 * rest * rest * S2 * S2 * S2 *
                                                      S2 * bracket;
}

template <class S>
std::vector<RungValues<S>> dm1_claims(const MhaInstance& instance, const MhaAnalysis<S>& a,
                                      const Wanted& wanted) {
  const auto asked = [&](const std::string& id, const std::vector<std::string>& rungs) {
    return std::any_of(rungs.begin(), rungs.end(),
                       [&](const std::string& rung) { return wanted(id, rung); });
  };
  std::vector<RungValues<S>> all;
  if (!asked("mha.dm1.kernel", {"exact"}) && !asked("mha.dm1.margin", {"lower", "upper"}) &&
      !asked("mha.dm1.margin_U", {"token"}) && !asked("mha.dm1.margin_noise", {"lipschitz"}))
    return all;
  Dm1Claims<S> c(instance, a);
  evaluate_wanted<S>("mha.dm1.kernel", {{"exact", [&] { return c.kernel(); }}}, wanted, all);
  evaluate_wanted<S>(
      "mha.dm1.margin",
      {{"lower", [&] { return c.margin("lower"); }}, {"upper", [&] { return c.margin("upper"); }}},
      wanted, all);
  evaluate_wanted<S>("mha.dm1.margin_U", {{"token", [&] { return c.margin_U(); }}}, wanted, all);
  evaluate_wanted<S>("mha.dm1.margin_noise", {{"lipschitz", [&] { return c.margin_noise(); }}},
                     wanted, all);
  return all;
}

std::vector<ClaimInfo> dm1_claim_infos() {
  const std::string mixture =
      "every sample of label y has mu_y at zeta T of T positions; mu_+ and mu_- are orthogonal, of "
      "norm S";
  const std::string one_step = "W = 0 and U_h = s_h 1 ubar^T";
  const std::string balanced_step = one_step + " with ubar = (zeta/2)(mu_+ - mu_-)";
  const std::string clean = "the other tokens are orthogonal nuisances nu_1 .. nu_M of norm S";
  const std::string c2 = "c^2 = mean_h s_h^2";
  const std::string star =
      "gamma_*^2 = T zeta^2 S^2/2 + (c^2/4) T^2 zeta^4 (1-zeta)^2 S^8 [(zeta^2/2)(1 + 1/M) + "
      "(1-zeta)^2 (1/(2M) + 1/M^2)]";
  return {
      {"mha.dm1.kernel",
       "After one gradient step from zero the NTK kernel has a closed form; the heads enter "
       "through "
       "c only.",
       {one_step, "all samples have T tokens", "n^2 P <= 10^7 (the sums are exact)"},
       {c2, "xbar, C: mean and covariance of the tokens of a sample"},
       {{"exact",
         "max |K(X,X') - T xbar.xbar' - c^2 T^2 (xbar.xbar')((C ubar).(C' ubar))| H <= 0"}},
       "always",
       "dm1"},
      {"mha.dm1.margin",
       "The NTK margin of the tokenized mixture after one step, without noise: gamma_* bounds that "
       "of "
       "every data set, and is it where the data are balanced.",
       {mixture, balanced_step, clean,
        "upper: each label has a sample with every nuisance equally often"},
       {c2, star},
       {{"lower", "gamma_* <= gamma"}, {"upper", "gamma <= gamma_*"}},
       "each label has a sample with every nuisance equally often",
       "dm1"},
      {"mha.dm1.margin_U",
       "The direction U_h = 1 w^T alone separates the mixture, with any noise.",
       {mixture, "W = 0"},
       {"w = (mu_+ - mu_-)/(sqrt 2 S)"},
       {{"token", "sqrt T (zeta S/sqrt 2 - (1-zeta) max_x max(0, -y x.w)) <= gamma"}},
       "U = 0 and no noise along w",
       "dm1"},
      {"mha.dm1.margin_noise",
       "Noise moves the NTK margin by at most the distance it moves the features.",
       {mixture, balanced_step, "mu_+ and mu_- lie on coordinate axes"},
       {c2, star},
       {{"lipschitz", "gamma_* - max_i ||psi_i - psi_i^clean|| <= gamma"}},
       "no noise and balanced data",
       "dm1"},
  };
}

template std::vector<RungValues<DoubleBall>> dm1_claims(const MhaInstance&,
                                                        const MhaAnalysis<DoubleBall>&,
                                                        const Wanted&);
template std::vector<RungValues<Ball>> dm1_claims(const MhaInstance&, const MhaAnalysis<Ball>&,
                                                  const Wanted&);

}  // namespace heed
