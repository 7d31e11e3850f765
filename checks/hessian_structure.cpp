// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/mha.hpp"
#include "heed/linalg/block_saddle.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/extreme_eigenvalue.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/theory/mha_analysis.hpp"
#include "heed/theory/mha_hessian.hpp"

namespace heed::checks {
namespace {

struct Routes {
  explicit Routes(const MhaInstance& m)
      : model(mha_inputs<Ball>(m)),
        saddle(model.loss_blocks(), model.weighted_gradients()),
        dense(model.dense_hessian()) {}
  MhaModel<Ball> model;
  BlockSaddle saddle;
  DenseSymmetric dense;
};

bool affordable(const MhaInstance& m, Tally& tally) {
  if (m.parameters() <= 60) return true;
  ++tally["too many parameters for a dense Hessian"];
  return false;
}

void operators(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const Routes r(m);
  require(r.saddle.size() == m.parameters(), "size of the structured Hessian");
  const std::vector<Ball> v = to_balls(test_direction(m.parameters()));
  require_overlap("structured against dense product", r.saddle.apply(v), r.dense.apply(v));
  require_overlap("structured against matrix-free product", r.saddle.apply(v),
                  r.model.hessian_vector_product(v));
}

void extremes_agree(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const PrecisionScope scope(256);
  const Routes r(m);
  for (const Extreme end : {Extreme::smallest, Extreme::largest}) {
    const std::string word = end == Extreme::smallest ? "lambda_min" : "lambda_max";
    const Ball s = enclose_extreme_eigenvalue(r.saddle, end, 30).value;
    const Ball d = enclose_extreme_eigenvalue(r.dense, end, 30).value;
    require_overlap(word + " of hess L, structured against dense", s, d);
    ++tally[word + (s.has_relative_digits(12) ? ": structured route narrow"
                    : s.contains_zero()       ? ": structured route contains 0"
                                              : ": structured route wide")];
    ++tally[word + (d.has_relative_digits(12) ? ": dense route narrow"
                    : d.contains_zero()       ? ": dense route contains 0"
                                              : ": dense route wide")];
    // The width is bounded by what the route resolves of the norm.
    if (is_tame(m)) {
      require(certainly(less_equal(s.radius(), r.saddle.norm_bound() * Ball(0x1p-80))),
              word + ": the structured enclosure is wide, " + text(s));
      require(certainly(less_equal(d.radius(), r.dense.norm_bound() * Ball(0x1p-90))),
              word + ": the dense enclosure is wide, " + text(d));
    }
  }
}

// #(eigenvalues <= s + e) >= negative, so a factorisation at t >= s + e + its own error has no fewer.
void inertia(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const PrecisionScope scope(256);
  const Routes r(m);
  const Ball norm = r.dense.norm_bound();
  if (!norm.is_finite() || certainly(less_equal(norm, Ball(0)))) return;
  for (const int k : {-31, -7, -1, 1, 5, 23}) {
    const Ball s = (norm * Ball(k) / Ball(32) + norm * Ball(k > 0 ? 0x1p-20 : -0x1p-20)).midpoint();
    const auto f = r.saddle.factor_shifted(s);
    if (!f->error.is_finite() || certainly(less(norm * Ball(0x1p-30), f->error))) {
      ++tally["no useful factorisation"];
      continue;
    }
    const Ball step = norm * Ball(0x1p-28);
    const auto above = r.dense.factor_shifted((s + step).midpoint());
    const auto below = r.dense.factor_shifted((s - step).midpoint());
    const auto sharp = [&](const auto& g) {
      return certainly(less(g->error + f->error, step * Ball(0.5)));
    };
    if (!sharp(above) || !sharp(below)) continue;
    require(f->negative <= above->negative, "inertia at shift " + text(s) + ": structured " +
                                                std::to_string(f->negative) + " exceeds dense " +
                                                std::to_string(above->negative) + " above it");
    require(f->negative >= below->negative,
            "inertia at shift " + text(s) + ": structured " + std::to_string(f->negative) +
                " is less than dense " + std::to_string(below->negative) + " below it");
    ++tally["shifts compared"];
  }
}

// J^T J larger than the blocks by up to 2^800: both ends stay enclosed.
void scale_separation(const MhaInstance& m, Tally& tally) {
  if (m.parameters() > 30) {
    ++tally["too many parameters for a dense Hessian at high precision"];
    return;
  }
  for (const int exponent : {0, 40, 400}) {
    const auto parts = [&] {
      const MhaModel<Ball> model(mha_inputs<Ball>(m));
      Matrix<Ball> J = model.weighted_gradients();
      for (Ball& x : J.entries()) x = ldexp(x, exponent);
      return std::pair{model.loss_blocks(), std::move(J)};
    };
    const auto [blocks, J] = parts();
    const Extremes<Ball> e = extremes(blocks, J);
    const PrecisionScope scope(2048);
    const auto [fine_blocks, fine_J] = parts();
    const Matrix<Ball> dense = saddle_matrix(fine_blocks, fine_J);
    require_overlap("lambda_min of a separated matrix", e.least, enclose_lambda_min(dense, 20));
    require_overlap("lambda_max of a separated matrix", e.largest, enclose_lambda_max(dense, 20));
    ++tally[e.least.has_relative_digits(6) ? "lambda_min: 6 digits at 128 bits"
            : e.least.contains_zero()      ? "lambda_min: contains 0 at 128 bits"
                                           : "lambda_min: fewer than 6 digits at 128 bits"];
  }
}

// All tokens of every sample equal and n < P: hess L is a Gauss-Newton term with a kernel, exactly.
void zeros(const MhaInstance& original, Tally& tally) {
  MhaInstance m = original;
  for (auto& x : m.X)
    for (std::size_t t = 1; t < x.rows(); ++t) std::copy_n(x.row(0), x.cols(), x.row(t));
  const MhaAnalysis<Ball> a(m);
  const auto zero = [](const Ball& x) { return x.is_exact() && x.contains_zero(); };
  require(zero(a.hessian_extremes().least),
          "equal tokens: lambda_min is not exactly 0, " + text(a.hessian_extremes().least));
  for (const Ball& x : a.block_minima())
    require(zero(x), "equal tokens: a block minimum is not exactly 0");
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t h = 0; h < m.heads(); ++h)
      require(zero(a.bounds(i).hess_exact[h]) && zero(a.bounds(i).hess_geom[h]) &&
                  zero(a.bounds(i).hess_state[h]),
              "equal tokens: a Hessian bound is not exactly 0");
  const CurvatureRatios<Ball> ratios = curvature_ratios(a);
  require(!ratios.kappa_hat.is_finite() || zero(ratios.kappa_hat),
          "equal tokens: kappa_hat is not 0");
  ++tally["instances with all tokens made equal"];
}

}  // namespace

std::vector<Property> hessian_structure_properties() {
  return {
      {"hessian_structure.operator",
       "blocks plus low rank, dense and matrix-free products agree",
       draw_instance,
       500,
       operators,
       {}},
      {"hessian_structure.extremes",
       "structured and dense extreme eigenvalues overlap",
       draw_instance,
       100,
       extremes_agree,
       {}},
      {"hessian_structure.inertia",
       "inertia counts of both routes agree at shifts",
       draw_instance,
       200,
       inertia,
       {}},
      {"hessian_structure.zeros", "equal tokens give exact zeros", draw_instance, 300, zeros, {}},
      {"hessian_structure.separation",
       "extremes are enclosed when J^T J dwarfs the blocks",
       draw_instance,
       100,
       scale_separation,
       {}}};
}

}  // namespace heed::checks
