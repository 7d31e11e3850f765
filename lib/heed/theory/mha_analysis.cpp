// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/mha_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/attention/head_norms.hpp"
#include "heed/attention/token_span.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/float_environment.hpp"
#include "heed/numeric/parallel.hpp"
#include "heed/theory/fast_hessian.hpp"

namespace heed {
namespace {

// sqrt(sum x_k^2) after scaling by a power of two, so that squares neither under- nor overflow.
template <class S>
S scaled_norm(std::size_t n, const S* x) {
  long e = approx::exponent(S(0));
  for (std::size_t k = 0; k < n; ++k) e = std::max(e, approx::exponent(x[k]));
  std::vector<S> scaled(n);
  for (std::size_t k = 0; k < n; ++k) scaled[k] = ldexp(x[k], -e);
  return ldexp(sqrt_nonnegative(squared_norm(scaled)), e);
}

template <class S>
S scaled_norm(const Matrix<S>& a) {
  return scaled_norm(a.size(), a.data());
}

template <class S>
S maximum(const std::vector<S>& values) {
  S m = values.front();
  for (std::size_t k = 1; k < values.size(); ++k) m = max(m, values[k]);
  return m;
}

// lambda_max(sum_t w_t x_t x_t^T), w_t >= 0.
template <class S>
S weighted_token_norm(const std::vector<S>& w, const Matrix<S>& X) {
  Matrix<S> scaled(X.rows(), X.cols());
  for (std::size_t t = 0; t < X.rows(); ++t)
    for (std::size_t c = 0; c < X.cols(); ++c) scaled(t, c) = w[t] * X(t, c);
  return lambda_max(transposed_multiply(scaled, X));
}

// sqrt(lambda_max(sum_t c_t^2 x_t x_t^T)); c_t^2 underflows in double below 1e-154, so c is scaled.
template <class S>
S squared_weight_norm(const std::vector<S>& c, const Matrix<S>& X) {
  long e = approx::exponent(S(0));
  for (const S& x : c) e = std::max(e, approx::exponent(x));
  Matrix<S> scaled(X.rows(), X.cols());
  for (std::size_t t = 0; t < X.rows(); ++t)
    for (std::size_t k = 0; k < X.cols(); ++k) scaled(t, k) = ldexp(c[t], -e) * X(t, k);
  return ldexp(sqrt_nonnegative(lambda_max(gram_of_columns(scaled))), e);
}

template <class S>
TokenGeometry<S> token_geometry(const MhaInputs<S>& in, std::size_t i) {
  const Matrix<S>& X = in.X[i];
  TokenGeometry<S> g{S(0), S(0), S(0)};
  for (std::size_t t = 0; t < X.rows(); ++t) g.r = max(g.r, scaled_norm(X.cols(), X.row(t)));
  for (std::size_t k = 0; k < in.dX[i].rows(); ++k)
    g.D = max(g.D, scaled_norm(X.cols(), in.dX[i].row(k)));
  const Matrix<S> gram = X.rows() < X.cols() ? multiply_transposed(X, X) : gram_of_columns(X);
  g.sigma = sqrt_nonnegative(lambda_max(gram));
  return g;
}

// lambda_min(hess L) is at least that of the blocks, and at most 0 where some U-direction is orthogonal
// to all gradients. Applied to the ends, which narrows curvatures far below ||hess L||; the maximum of
// two balls would not, as one radius cannot hold ends of very different size.
Ball intersect(const Ball& least, const Ball& block, bool nonpositive) {
  const Ball lower = max(least.lower(), block.lower()).lower();
  const Ball upper = nonpositive ? min(least.upper(), Ball(0)).upper() : least.upper();
  return certainly(less_equal(lower, upper)) ? Ball::hull(lower, upper) : least;
}

DoubleBall intersect(const DoubleBall& least, const DoubleBall& block, bool nonpositive) {
  if (!least.is_finite() || !block.is_finite()) return least;
  const double lower = std::max(least.lower(), block.lower());
  const double upper = nonpositive ? std::min(least.upper(), 0.0) : least.upper();
  return lower <= upper ? DoubleBall::between(lower, upper) : least;
}

double intersect(double least, double block, bool nonpositive) {
  return std::max(nonpositive ? std::min(least, 0.0) : least, block);
}

// c_t, ||K_t|| and ||hess phi_h(X_i)||.
template <class S>
struct Norms {
  std::vector<S> c, k;
  S hessian;
};

template <class S>
Norms<S> norms_of(const MhaModel<S>& model, std::size_t i, std::size_t h,
                  const HeadState<S>& state) {
  if constexpr (std::is_same_v<S, DoubleBall>)
    if (model.form() == StateForm::lean) {
      HeadNorms n = head_norms(model.inputs().X[i], model.inputs().U[h], state);
      return {std::move(n.c), std::move(n.k), n.hessian};
    }
  const HeadMoments<S>& m = model.moments(i, h);
  Norms<S> n;
  for (std::size_t t = 0; t < state.A.rows(); ++t) {
    n.c.push_back(max(lambda_max(m.C[t]), S(0)));
    n.k.push_back(extremes(m.K[t]).norm());
  }
  n.hessian = extremes({model.head_hessian(i, h)}, Matrix<S>()).norm();
  return n;
}

bool is_zero(double x) { return x == 0; }
bool is_zero(const DoubleBall& x) { return x.is_exact() && x.mid() == 0; }
bool is_zero(const Ball& x) { return x.is_exact() && x.contains_zero(); }

}  // namespace

double analysis_bytes(const MhaInstance& instance) {
  const auto n = static_cast<double>(instance.samples()),
             T = static_cast<double>(instance.max_tokens()),
             d = static_cast<double>(token_span(instance.X).rank()),
             H = static_cast<double>(instance.heads());
  const double numbers =
      2 * H * d * d * d * d + H * T * d * d * d + 2 * n * H * T * d * d + n * H * T * T * d;
  return numbers * sizeof(Ball);
}

StateForm state_form_for(const MhaInstance& instance) {
  const auto n = static_cast<double>(instance.samples()),
             T = static_cast<double>(instance.max_tokens()),
             d = static_cast<double>(token_span(instance.X).rank()),
             H = static_cast<double>(instance.heads());
  return n * H * T * T * d * (T + d) > 0x1p22 ? StateForm::lean : StateForm::kept;
}

Ball saddle_eigenvalue(const Ball& s, const Ball& k) {
  return ldexp(k + sqrt_nonnegative(square(k) + ldexp(square(s), 2)), -1);
}

DoubleBall saddle_eigenvalue(const DoubleBall& s, const DoubleBall& k) {
  // Scaled, as squares of numbers below 1e-154 underflow.
  const long e = std::max(approx::exponent(s), approx::exponent(k));
  const DoubleBall s1 = ldexp(s, -e), k1 = ldexp(k, -e);
  return ldexp(k1 + sqrt_nonnegative(square(k1) + ldexp(square(s1), 2)), e - 1);
}

double saddle_eigenvalue(double s, double k) { return (k + std::hypot(k, 2 * s)) / 2; }

template <class S>
MhaAnalysis<S>::MhaAnalysis(const MhaInstance& instance, StateForm form)
    : reduction_((require_standard_float_environment(), mha_reduced_for<S>(instance))),
      model_(reduction_.inputs, form),
      sqrt_heads_(sqrt(S(static_cast<int>(model_.inputs().heads())))),
      loss_(model_.loss()),
      mean_slope_(model_.mean_slope()) {
  const auto& dX = model_.inputs().dX;
  all_degenerate_ = std::all_of(dX.begin(), dX.end(), [](const Matrix<S>& d) {
    return std::all_of(d.entries().begin(), d.entries().end(),
                       [](const S& x) { return is_zero(x); });
  });
}

template <class S>
const WeightNorms<S>& MhaAnalysis<S>::norms() const {
  if (!norms_) {
    WeightNorms<S> w{S(0), S(0), S(0), S(0)};
    for (std::size_t i = 0; i < samples(); ++i) w.R = max(w.R, geometry(i).r);
    for (std::size_t h = 0; h < heads(); ++h) {
      const S u = scaled_norm(reduction_.U()[h]);
      const std::vector<S> both{u, scaled_norm(reduction_.W()[h])};
      w.M_U = max(w.M_U, u);
      w.mean_U2 += squared_norm(reduction_.U()[h]) / S(static_cast<int>(heads()));
      w.theta_2inf = max(w.theta_2inf, scaled_norm(2, both.data()));
    }
    norms_ = std::move(w);
  }
  return *norms_;
}

template <class S>
const TokenGeometry<S>& MhaAnalysis<S>::geometry(std::size_t i) const {
  if (geometry_.empty()) {
    std::vector<TokenGeometry<S>> g(samples());
    parallel_for(samples(), [&](std::size_t k) { g[k] = token_geometry(model_.inputs(), k); });
    geometry_ = std::move(g);
  }
  return geometry_[i];
}

template <class S>
const SampleBounds<S>& MhaAnalysis<S>::bounds(std::size_t i) const {
  if (bounds_.empty()) compute_bounds();
  return bounds_[i];
}

template <class S>
void MhaAnalysis<S>::compute_bounds() const {
  const MhaInputs<S>& in = model_.inputs();
  const std::size_t n = samples(), H = heads();
  const S mean_U2 = norms().mean_U2;
  const S c3 = third_moment_constant<S>();
  std::vector<SampleBounds<S>> all(n);
  std::vector<std::vector<S>> state_squares(n, std::vector<S>(H));
  for (SampleBounds<S>& b : all) b.hess_geom = b.hess_state = b.hess_exact = std::vector<S>(H);
  parallel_for(n * H, [&](std::size_t job) {
    const std::size_t i = job / H, h = job % H, T = in.X[i].rows();
    if (in.first_equal_head[h] != h || in.first_equal[i] != i) return;
    const TokenGeometry<S>& g = geometry_[i];
    HeadState<S> room;
    const HeadState<S>& head = model_.head(i, h, room);
    const Norms<S> norm = norms_of(model_, i, h, head);
    std::vector<S> u(T);
    S square_sum(0);
    for (std::size_t t = 0; t < T; ++t) {
      u[t] = scaled_norm(reduction_.dim(), reduction_.U()[h].row(t));
      square_sum += square(S(norm.c[t] * u[t]));
    }
    state_squares[i][h] = squared_norm(head.O) + square(g.sigma) * square_sum;
    const S delta2 = ldexp(square(g.D), -2);
    SampleBounds<S>& b = all[i];
    b.hess_geom[h] = saddle_eigenvalue(S(g.sigma * delta2),
                                       S(c3 * g.D * square(g.D) * weighted_token_norm(u, in.X[i])));
    b.hess_state[h] = saddle_eigenvalue(squared_weight_norm(norm.c, in.X[i]),
                                        weighted_token_norm(norm.k, in.X[i]));
    b.hess_exact[h] = norm.hessian;
  });
  for (std::size_t i = 0; i < n; ++i) {
    SampleBounds<S>& b = all[i];
    const SampleBounds<S>& source = all[in.first_equal[i]];
    for (std::size_t h = 0; h < H; ++h) {
      const std::size_t k = in.first_equal_head[h];
      b.hess_geom[h] = source.hess_geom[k];
      b.hess_state[h] = source.hess_state[k];
      b.hess_exact[h] = source.hess_exact[k];
      state_squares[i][h] = state_squares[in.first_equal[i]][k];
    }
    const TokenGeometry<S>& g = geometry_[i];
    const S T(static_cast<int>(in.X[i].rows()));
    b.grad_geom = sqrt_nonnegative(
        S(T * square(g.r) + square(g.sigma) * square(S(ldexp(square(g.D), -2))) * mean_U2));
    S sum(0);
    for (const S& s : state_squares[i]) sum += s;
    b.grad_state = sqrt_nonnegative(S(sum / S(static_cast<int>(H))));
  }
  bounds_ = std::move(all);
}

template <class S>
const S& MhaAnalysis<S>::phi_gradient_norm(std::size_t i) const {
  if (phi_gradient_norms_.empty())
    for (std::size_t k = 0; k < samples(); ++k)
      phi_gradient_norms_.push_back(
          scaled_norm(reduction_.inputs.parameters(), model_.phi_gradients().row(k)));
  return phi_gradient_norms_[i];
}

template <class S>
S MhaAnalysis<S>::b1_paper() const {
  const S T(static_cast<int>(model_.inputs().tokens()));
  const WeightNorms<S>& w = norms();
  return sqrt(T) * w.R * (S(2) * square(w.R) * w.theta_2inf + S(1));
}

template <class S>
S MhaAnalysis<S>::b2_paper() const {
  const S T(static_cast<int>(model_.inputs().tokens())), d(static_cast<int>(reduction_.dim()));
  const WeightNorms<S>& w = norms();
  return S(2) * sqrt(S(T * d)) * w.R * square(w.R) *
         (S(3) * sqrt(d) * square(w.R) * w.theta_2inf + S(1));
}

template <class S>
S MhaAnalysis<S>::b1() const {
  const S T(static_cast<int>(model_.inputs().tokens()));
  const WeightNorms<S>& w = norms();
  return sqrt(T) * w.R * sqrt(S(S(1) + square(S(square(w.R))) * w.mean_U2));
}

template <class S>
S MhaAnalysis<S>::b2() const {
  const S T(static_cast<int>(model_.inputs().tokens()));
  const WeightNorms<S>& w = norms();
  const S s = sqrt(T) * w.R * square(w.R);
  return saddle_eigenvalue(s, S(S(8) * third_moment_constant<S>() * s * square(w.R) * w.M_U));
}

template <class S>
const std::vector<S>& MhaAnalysis<S>::gradient() const {
  if (gradient_.empty()) gradient_ = reduction_.lift(model_.gradient());
  return gradient_;
}

template <class S>
S MhaAnalysis<S>::gradient_norm() const {
  const std::vector<S> g = model_.gradient();
  return scaled_norm(g.size(), g.data());
}

template <class S>
std::vector<S> MhaAnalysis<S>::hessian_vector_product(const std::vector<S>& v) const {
  return reduction_.lift(model_.hessian_vector_product(reduction_.restrict(v)));
}

template <class S>
std::string MhaAnalysis<S>::reduction_note() const {
  return reduction_.note();
}

template <class S>
bool MhaAnalysis<S>::take_fast_hessian() const {
  if constexpr (std::is_same_v<S, DoubleBall>) {
    if (model_.form() == StateForm::kept) return false;
    FastHessian f = fast_hessian(reduction_);
    DoubleBall block = f.block_minima.front();
    for (const DoubleBall& m : f.block_minima) block = min(block, m);
    const MhaInputs<S>& in = model_.inputs();
    const bool nonpositive = samples() < heads() * in.tokens() * in.dim();
    hessian_ = {with_zero(intersect(f.extremes.least, block, nonpositive)), f.extremes.largest};
    block_minima_ = std::move(f.block_minima);
    return true;
  }
  return false;
}

template <class S>
const Extremes<S>& MhaAnalysis<S>::hessian_extremes() const {
  if (!hessian_ && !take_fast_hessian()) {
    if (blocks_.empty()) blocks_ = model_.loss_blocks();
    const bool no_curvature = std::all_of(blocks_.begin(), blocks_.end(), [](const auto& b) {
      const auto zero = [](const S& x) { return is_zero(x); };
      return std::all_of(b.M.entries().begin(), b.M.entries().end(), zero) &&
             std::all_of(b.K.entries().begin(), b.K.entries().end(), zero);
    });
    // hess L = J^T J then: its kernel is not trivial if n < P, nor if all W-gradients vanish.
    if (no_curvature && (all_degenerate_ || samples() < reduction_.parameters())) {
      hessian_ = Extremes<S>{S(0), gauss_newton_norm()};
    } else {
      hessian_ = extremes(blocks_, model_.weighted_gradients());
      S block = block_minima().front();
      for (const S& m : block_minima()) block = min(block, m);
      const bool nonpositive =
          samples() < heads() * model_.inputs().tokens() * model_.inputs().dim();
      hessian_->least = with_zero(intersect(hessian_->least, block, nonpositive));
    }
  }
  return *hessian_;
}

template <class S>
const std::vector<S>& MhaAnalysis<S>::block_minima() const {
  if (block_minima_.empty() && !take_fast_hessian()) {
    if (blocks_.empty()) blocks_ = model_.loss_blocks();
    std::vector<S> minima(heads());
    const std::vector<std::size_t>& first = model_.inputs().first_equal_head;
    parallel_for(heads(), [&](std::size_t h) {
      if (first[h] == h) minima[h] = with_zero(extremes({blocks_[h]}, Matrix<S>()).least);
    });
    for (std::size_t h = 0; h < heads(); ++h) minima[h] = minima[first[h]];
    block_minima_ = std::move(minima);
  }
  return block_minima_;
}

template <class S>
const S& MhaAnalysis<S>::gauss_newton_norm() const {
  if (!gauss_newton_) {
    Matrix<S> j = model_.weighted_gradients();
    long e = approx::exponent(S(0));
    for (const S& x : j.entries()) e = std::max(e, approx::exponent(x));
    for (S& x : j.entries()) x = ldexp(x, -e);
    gauss_newton_ = ldexp(lambda_max(multiply_transposed(j, j)), 2 * e);
  }
  return *gauss_newton_;
}

template <class S>
S MhaAnalysis<S>::weighted_head_bound(std::vector<S> SampleBounds<S>::*ladder) const {
  std::vector<S> per_head(heads());
  for (std::size_t h = 0; h < heads(); ++h)
    for (std::size_t i = 0; i < samples(); ++i)
      per_head[h] += model_.loss_terms()[i].slope * (bounds(i).*ladder)[h];
  return maximum(per_head) / (S(static_cast<int>(samples())) * sqrt_heads_);
}

template <class S>
S MhaAnalysis<S>::weighted_bound(S SampleBounds<S>::*ladder) const {
  S sum(0);
  for (std::size_t i = 0; i < samples(); ++i)
    sum += model_.loss_terms()[i].slope * (bounds(i).*ladder);
  return sum / S(static_cast<int>(samples()));
}

template <class S>
S MhaAnalysis<S>::weighted_gradient_norm() const {
  S sum(0);
  for (std::size_t i = 0; i < samples(); ++i)
    sum += model_.loss_terms()[i].slope * phi_gradient_norm(i);
  return sum / S(static_cast<int>(samples()));
}

template class MhaAnalysis<double>;
template class MhaAnalysis<DoubleBall>;
template class MhaAnalysis<Ball>;

}  // namespace heed
