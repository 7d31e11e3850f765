// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_ends.hpp"

#include <algorithm>
#include <cmath>

#include "heed/attention/kernel_fast.hpp"
#include "heed/attention/layer_hessian.hpp"
#include "heed/linalg/lanczos.hpp"
#include "heed/linalg/midpoint_saddle.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/separated_end.hpp"
#include "heed/theory/kernel_analysis.hpp"
#include "heed/theory/kernel_jacobian.hpp"

namespace heed {
namespace {

// Residuals up to which |J|^2 is that of J J^T, not of its trace.
constexpr std::size_t max_gram = 256;

template <class S>
std::vector<S> hessian_times(const KernelModel<S>& model, KernelBlocks blocks,
                             const std::vector<S>& v) {
  const KernelWeights<S> zero = map(model.weights(), [](const S&) { return S(0); });
  return flatten(model.hessian_vector_product(with_flat(zero, blocks, v), blocks), blocks);
}

HessianEnd from_matrix(const FastInertia& a, Extreme end, const std::vector<std::size_t>& order) {
  SeparatedEnd found = separated_end(a, end);
  HessianEnd result{DoubleBall::between(found.end.lower, found.end.upper), {}, found.others};
  result.vector.resize(order.size());
  for (std::size_t k = 0; k < found.end.vector.size(); ++k)
    result.vector[order[k]] = found.end.vector[k];
  return result;
}

// >= |J|^2, over the blocks.
DoubleBall jacobian_squared(const KernelModel<DoubleBall>& model, KernelBlocks blocks) {
  DoubleBall trace(0);
  Matrix<DoubleBall> gram;
  for (const KernelBlock block : kernel_blocks) {
    if (!blocks.contains(block)) continue;
    const Matrix<DoubleBall> J = model.jacobian(block);
    if (J.rows() > max_gram) {
      trace += squared_norm(J);
      continue;
    }
    if (gram.size() == 0) gram = Matrix<DoubleBall>(J.rows(), J.rows());
    const Matrix<DoubleBall> part = gram_of_rows(J);
    for (std::size_t k = 0; k < gram.size(); ++k) gram.data()[k] += part.data()[k];
  }
  return gram.size() > 0 ? lambda_max(gram) : trace;
}

HessianEnds bounds_of(const KernelInstance& instance, AttentionKernel kernel,
                      const KernelModel<DoubleBall>& model, KernelBlocks blocks) {
  approx::FastKernel fast(KernelInputs<double>(instance), kernel,
                          weights_as<double>(instance.weights), blocks);
  const std::size_t P = fast.parameters();
  const approx::LinearOperator op{P, [&](const double* x, double* y) {
                                    fast.hessian_vector_product({x, P}, {y, P});
                                  }};
  std::vector<DoubleBall> r;
  for (std::size_t i = 0; i < instance.samples(); ++i)
    for (const DoubleBall& x : model.residuals(i).entries()) r.push_back(x);
  const DoubleBall curved = sqrt_nonnegative(squared_norm(r)) *
                            jacobian_lipschitz(model, DoubleBall(0), blocks),
                   steep = jacobian_squared(model, blocks);
  HessianEnds ends;
  ends.one_sided = true;
  for (const Extreme end : {Extreme::smallest, Extreme::largest}) {
    const bool least = end == Extreme::smallest;
    HessianEnd& e = least ? ends.least : ends.largest;
    e.vector = approx::thick_restart_lanczos(op, end, {.tolerance = 1e-12}).vector;
    const std::vector<DoubleBall> v(e.vector.begin(), e.vector.end());
    const std::vector<DoubleBall> Hv = hessian_times(model, blocks, v);
    const DoubleBall theta = dot(P, v.data(), 1, Hv.data(), 1) / squared_norm(v);
    const double outer = least ? (-curved).lower() : (steep + curved).upper();
    e.value = least ? DoubleBall::between(std::min(outer, theta.upper()), theta.upper())
                    : DoubleBall::between(theta.lower(), std::max(outer, theta.lower()));
  }
  return ends;
}

/// The candidate as exact balls, and its enclosure.
class Sharpening {
 public:
  Sharpening(const HessianEnd& from, Extreme end, const KernelModel<Ball>& model,
             KernelBlocks blocks, const approx::LinearOperator& op)
      : from_(from),
        end_(end),
        model_(model),
        blocks_(blocks),
        op_(op),
        v_(from.vector.begin(), from.vector.end()) {}

  Ball run() {
    Ball best = to_ball(from_.value);
    const int bits = working_precision(), digits = 22 * bits / 100;
    for (int round = 0; round < 2 + bits / 16; ++round) {
      Hv_ = hessian_times(model_, blocks_, v_);
      const RayleighBounds bounds = rayleigh_bounds(v_, Hv_);
      if (!bounds.quotient.is_finite()) break;
      const Ball before = best;
      cut(best, bounds);
      if (!from_.others || best.has_relative_digits(digits)) break;
      if (round > 0 && !certainly(less(best.radius(), ldexp(before.radius(), -4)))) break;
      improve(bounds);
    }
    return best;
  }

 private:
  // The Rayleigh quotient is on the inner side of the end.
  void cut(Ball& best, const RayleighBounds& bounds) const {
    Ball lower = best.lower(), upper = best.upper();
    if (end_ == Extreme::smallest)
      upper = min(upper, bounds.quotient.upper()).upper();
    else
      lower = max(lower, bounds.quotient.lower()).lower();
    if (from_.others)
      if (const auto t = temple_enclosure(bounds, end_, Ball(*from_.others))) {
        lower = max(lower, t->lower()).lower();
        upper = min(upper, t->upper()).upper();
      }
    best = Ball::hull(lower, upper);
  }

  // v -= (A - theta)^{-1} r on the complement of v, r the residual, scaled into the range of doubles.
  void improve(const RayleighBounds& bounds) {
    const long scale = approx::exponent(bounds.residual);
    std::vector<double> r, direction;
    for (std::size_t k = 0; k < v_.size(); ++k) {
      r.push_back(approx::to_double(ldexp(Hv_[k] - bounds.quotient * v_[k], -scale)));
      direction.push_back(approx::to_double(v_[k]));
    }
    double squares = 0;
    for (const double x : direction) squares += x * x;
    for (double& x : direction) x /= std::sqrt(squares);
    const std::vector<double> step = approx::complement_solve(
        op_, approx::to_double(bounds.quotient), end_, direction, std::move(r));
    for (std::size_t k = 0; k < v_.size(); ++k)
      if (std::isfinite(step[k])) v_[k] = (v_[k] - ldexp(Ball(step[k]), scale)).midpoint();
  }

  const HessianEnd& from_;
  Extreme end_;
  const KernelModel<Ball>& model_;
  KernelBlocks blocks_;
  const approx::LinearOperator& op_;
  std::vector<Ball> v_, Hv_;
};

}  // namespace

HessianEnds hessian_ends(const KernelInstance& instance, AttentionKernel kernel,
                         KernelBlocks blocks) {
  const KernelModel<DoubleBall> model = kernel_model<DoubleBall>(instance, kernel);
  if (parameter_count(instance.weights, blocks) > max_hessian_parameters ||
      instance.residuals() > max_hessian_residuals)
    return bounds_of(instance, kernel, model, blocks);
  const LayerHessian<DoubleBall> h = layer_hessian(model, blocks);
  const PointSaddle points = midpoint_saddle(h.blocks, h.J);
  const FastInertia a(points);
  return {from_matrix(a, Extreme::smallest, h.order), from_matrix(a, Extreme::largest, h.order)};
}

HessianEnds hessian_bounds(const KernelInstance& instance, AttentionKernel kernel,
                           KernelBlocks blocks) {
  return bounds_of(instance, kernel, kernel_model<DoubleBall>(instance, kernel), blocks);
}

bool ends_can_sharpen(const HessianEnds& ends, std::size_t parameters) {
  return !ends.one_sided &&
         (parameters <= max_ball_hessian || (ends.least.others && ends.largest.others));
}

Extremes<Ball> sharpened_ends(const HessianEnds& ends, const KernelInstance& instance,
                              const KernelModel<Ball>& model, KernelBlocks blocks) {
  approx::FastKernel fast(KernelInputs<double>(instance), model.kernel(),
                          weights_as<double>(instance.weights), blocks);
  const std::size_t P = fast.parameters();
  if (P <= max_ball_hessian && !(ends.least.others && ends.largest.others)) {
    const LayerHessian<Ball> h = layer_hessian(model, blocks);
    return extremes(h.blocks, h.J);
  }
  const approx::LinearOperator op{P, [&](const double* x, double* y) {
                                    fast.hessian_vector_product({x, P}, {y, P});
                                  }};
  return {Sharpening(ends.least, Extreme::smallest, model, blocks, op).run(),
          Sharpening(ends.largest, Extreme::largest, model, blocks, op).run()};
}

}  // namespace heed
