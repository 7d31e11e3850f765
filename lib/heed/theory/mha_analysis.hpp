// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/mha.hpp"
#include "heed/attention/mha_reduced.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {

/// Norms that the worst-case bounds use. T, d, H as in the model.
template <class S>
struct WeightNorms {
  S R;           ///< largest token norm of the data set
  S M_U;         ///< max_h ||U_h||_F
  S mean_U2;     ///< mean_h ||U_h||_F^2
  S theta_2inf;  ///< max_h sqrt(||U_h||_F^2 + ||W_h||_F^2)
};

/// Geometry of one sample.
template <class S>
struct TokenGeometry {
  S r;      ///< max_t ||x_t||
  S sigma;  ///< ||X||_2
  S D;      ///< max ||x_s - x_t||
};

/// grad Phi and hess phi_h ladders of one sample, without the factor H^{-1/2} in the second.
template <class S>
struct SampleBounds {
  S grad_geom, grad_state;
  std::vector<S> hess_geom, hess_state, hess_exact;  ///< per head
};

/// Everything that the claims about the multi-head model are made of, in one scalar.
///
/// In Ball and DoubleBall, tokens of rank r < d are replaced by their r coordinates (mha_reduced.hpp): `model()` then
/// has dimension r. What is returned here belongs to the instance as given: norms of its weights, its
/// gradient in P coordinates, and its Hessian with the eigenvalues 0 that the reduction leaves out.
///
/// For Ball and DoubleBall every value encloses the exact one; for double it is an approximation in
/// forms that do
/// not underflow where the value does not. Parts are computed on first use and kept.
/// Errors: std::runtime_error outside of the standard float environment (float_environment.hpp).
/// Cost: dominated by n H T eigenvalues of d x d moments and n H of saddle blocks; of a lean analysis by
/// those of hess L and n H of the tokens that rows of attention see (head_norms.hpp).
/// Note: proofs-notes/mha_grad.md and mha_hessian.md.
template <class S>
class MhaAnalysis {
 public:
  /// Precondition: the instance has weights. Lean (for DoubleBall): the same values by the kernels of
  /// EnclosedMha and head_norms, mostly a little wider; for shapes at which generic formulas take long.
  explicit MhaAnalysis(const MhaInstance& instance, StateForm form = StateForm::kept);

  const MhaModel<S>& model() const { return model_; }
  /// How model() belongs to the instance.
  const MhaReduced<S>& reduction() const { return reduction_; }
  /// "tokens have rank r of d: dimension reduced exactly", or "" without a reduction.
  std::string reduction_note() const;
  Loss loss_kind() const { return model_.inputs().loss; }
  std::size_t samples() const { return model_.inputs().samples(); }
  std::size_t heads() const { return model_.inputs().heads(); }
  const S& sqrt_heads() const { return sqrt_heads_; }

  const WeightNorms<S>& norms() const;
  const TokenGeometry<S>& geometry(std::size_t i) const;
  const SampleBounds<S>& bounds(std::size_t i) const;
  const S& phi_gradient_norm(std::size_t i) const;  ///< ||grad Phi(X_i)||

  S b1_paper() const;  ///< sqrt(T) R (2 R^2 ||theta||_{2,inf} + 1), unverified wording
  S b2_paper()
      const;     ///< 2 sqrt(T d) R^3 (3 sqrt(d) R^2 ||theta||_{2,inf} + 1), unverified wording
  S b1() const;  ///< sqrt(T) R sqrt(1 + R^4 mean_h ||U_h||^2)
  S b2() const;  ///< lam(sqrt(T) R^3, (8 / (6 sqrt 3)) sqrt(T) R^5 M_U)

  const S& loss() const { return loss_; }
  const S& mean_slope() const { return mean_slope_; }
  const std::vector<S>& gradient() const;  ///< length P
  /// (hess L) v for v of length P.
  std::vector<S> hessian_vector_product(const std::vector<S>& v) const;
  S gradient_norm() const;
  /// Extremes of hess L.
  const Extremes<S>& hessian_extremes() const;
  /// Per head: least eigenvalue of the diagonal block of (1/n) sum_i l'_i y_i hess Phi(X_i).
  const std::vector<S>& block_minima() const;
  /// Largest eigenvalue of the Gauss-Newton term.
  const S& gauss_newton_norm() const;

  /// H^{-1/2} max_h (1/n) sum_i p_i bound_{i,h} for one of the three per-head ladders.
  S weighted_head_bound(std::vector<S> SampleBounds<S>::*ladder) const;
  /// (1/n) sum_i p_i bound_i.
  S weighted_bound(S SampleBounds<S>::*ladder) const;
  S weighted_gradient_norm() const;  ///< (1/n) sum_i p_i ||grad Phi(X_i)||

 private:
  void compute_bounds() const;
  bool take_fast_hessian() const;  // false unless lean in DoubleBall
  S largest(const std::vector<S>& values) const;

  // The least eigenvalue where the reduction leaves out eigenvalues 0.
  S with_zero(const S& least) const { return reduction_.reduced() ? min(least, S(0)) : least; }

  MhaReduced<S> reduction_;
  MhaModel<S> model_;
  S sqrt_heads_, loss_, mean_slope_;
  bool all_degenerate_ = false;  // D = 0 exactly for every sample: hess Phi = 0
  mutable std::optional<WeightNorms<S>> norms_;
  mutable std::vector<TokenGeometry<S>> geometry_;
  mutable std::vector<SampleBounds<S>> bounds_;
  mutable std::vector<S> gradient_, phi_gradient_norms_;
  mutable std::vector<SaddleBlock<S>> blocks_;
  mutable std::optional<Extremes<S>> hessian_;
  mutable std::vector<S> block_minima_;
  mutable std::optional<S> gauss_newton_;
};

/// Memory that an analysis in balls will take at 128 bits, in bytes (estimate): the Hessian blocks
/// hold 2 H d^4 + H T d^3 numbers, the moments 2 n H T d^2, the centred tokens n H T^2 d. Here d is
/// the rank of the tokens, in whose coordinates an analysis computes.
double analysis_bytes(const MhaInstance& instance);

/// Lean where an analysis in DoubleBall would otherwise make more than 2^22 multiplications for its states.
StateForm state_form_for(const MhaInstance& instance);

/// lam(s, k) = (k + sqrt(k^2 + 4 s^2)) / 2, the largest eigenvalue of [[0, s], [s, k]].
Ball saddle_eigenvalue(const Ball& s, const Ball& k);
DoubleBall saddle_eigenvalue(const DoubleBall& s, const DoubleBall& k);
double saddle_eigenvalue(double s, double k);

/// 1 / (6 sqrt 3), the sharp constant of moment.third.
template <class S>
S third_moment_constant() {
  return S(1) / (S(6) * sqrt(S(3)));
}

extern template class MhaAnalysis<double>;
extern template class MhaAnalysis<DoubleBall>;
extern template class MhaAnalysis<Ball>;

}  // namespace heed
