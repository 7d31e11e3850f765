// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/fast_eigenvalue.hpp"

#include <cmath>
#include <utility>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/mha.hpp"
#include "heed/linalg/dense_symmetric.hpp"
#include "heed/linalg/fast_inertia.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"

namespace heed::checks {
namespace {

// Above 128 bits, so that what the balls lose never decides.
constexpr int reference_bits = 320;

// The structured Hessian of an instance, its entries rounded to doubles, and a bound of the difference.
struct Rounded {
  std::vector<SaddleBlock<double>> blocks;
  Matrix<double> J;
  double difference = 0;      // >= ||exact - rounded||_2
  Matrix<Ball> exact, point;  // P x P
  bool finite = true;
};

Ball frobenius(const Matrix<Ball>& a) { return sqrt_nonnegative(squared_norm(a)).upper(); }

Rounded rounded_hessian(const MhaInstance& m) {
  const MhaModel<Ball> model(mha_inputs<Ball>(m));
  const std::vector<SaddleBlock<Ball>> blocks = model.loss_blocks();
  const Matrix<Ball> J = model.weighted_gradients();
  Rounded r;
  const auto to_point = [&](const Ball& x) {
    const double d = approx::to_double(x);
    r.finite = r.finite && std::isfinite(d);
    return d;
  };
  const auto to_ball = [](double x) { return Ball(x); };
  Ball largest;
  std::vector<SaddleBlock<Ball>> points;
  for (const SaddleBlock<Ball>& b : blocks) {
    r.blocks.push_back({map(b.M, to_point), map(b.K, to_point)});
    SaddleBlock<double>& d = r.blocks.back();
    for (std::size_t i = 0; i < d.K.rows(); ++i)
      for (std::size_t k = 0; k < i; ++k) d.K(k, i) = d.K(i, k);
    if (!r.finite) return r;
    points.push_back({map(d.M, to_ball), map(d.K, to_ball)});
    Matrix<Ball> dm = b.M, dk = b.K;
    for (std::size_t k = 0; k < dm.size(); ++k) dm.data()[k] -= points.back().M.data()[k];
    for (std::size_t k = 0; k < dk.size(); ++k) dk.data()[k] -= points.back().K.data()[k];
    largest = max(largest, frobenius(dm) + frobenius(dk));
  }
  r.J = map(J, to_point);
  if (!r.finite) return r;
  const Matrix<Ball> point_J = map(r.J, to_ball);
  Matrix<Ball> dj = J;
  for (std::size_t k = 0; k < dj.size(); ++k) dj.data()[k] -= point_J.data()[k];
  const Ball error = largest + frobenius(dj) * (frobenius(J) + frobenius(point_J));
  r.difference = approx::to_double(error.upper()) * (1 + 0x1p-50) + 5e-324;
  r.finite = std::isfinite(r.difference);
  r.exact = saddle_matrix(blocks, J);
  r.point = saddle_matrix(points, point_J);
  return r;
}

bool affordable(const MhaInstance& m, Tally& tally) {
  if (m.parameters() <= 40) return true;
  ++tally["too many parameters for a dense reference"];
  return false;
}

std::string text(const FastEigenvalue& r) {
  return "[" + std::to_string(r.lower) + ", " + std::to_string(r.upper) + "]";
}

// Upper bound of the norm in double; NaN-free for finite entries.
double norm_of_point(const Rounded& r) {
  return approx::to_double(symmetric_norm_bound(r.point).upper());
}

void require_contains(const std::string& what, const FastEigenvalue& r, const Ball& reference) {
  const bool low = r.lower == -HUGE_VAL || !certainly(less(reference, Ball(r.lower)));
  const bool high = r.upper == HUGE_VAL || !certainly(less(Ball(r.upper), reference));
  require(low && high, what + " " + checks::text(reference) + " outside " + text(r));
}

void tally_width(const std::string& what, const FastEigenvalue& r, Tally& tally) {
  const double width = r.upper - r.lower, size = std::fmax(std::fabs(r.lower), std::fabs(r.upper));
  ++tally[what + (width <= 1e-6 * size ? ": relative width 1e-6 or less" : ": wider")];
}

// The enclosure of the matrix of doubles against dense balls at high precision.
void contains(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const PrecisionScope scope(reference_bits);
  const Rounded r = rounded_hessian(m);
  if (!r.finite) {
    ++tally["outside the range of double"];
    return;
  }
  const PointSaddle a(r.blocks, r.J);
  const FastEigenvalue least = fast_lambda_min(a), largest = fast_lambda_max(a);
  require_contains("lambda_min", least, enclose_lambda_min(r.point, 20));
  require_contains("lambda_max", largest, enclose_lambda_max(r.point, 20));
  tally_width("lambda_min", least, tally);
  tally_width("lambda_max", largest, tally);
  // Relative to the norm the width is small always, to the eigenvalue mostly.
  const double norm = norm_of_point(r);
  require(!std::isfinite(norm) || least.upper - least.lower <= 1e-3 * norm + 1e-300,
          "lambda_min: useless enclosure " + text(least));
  require(!std::isfinite(norm) || largest.upper - largest.lower <= 1e-3 * norm + 1e-300,
          "lambda_max: useless enclosure " + text(largest));
}

// The exact Hessian through its rounded entries and their distance.
void perturbed(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const PrecisionScope scope(reference_bits);
  const Rounded r = rounded_hessian(m);
  if (!r.finite) {
    ++tally["outside the range of double"];
    return;
  }
  const PointSaddle a(r.blocks, r.J, r.difference);
  const FastEigenvalue least = fast_lambda_min(a), largest = fast_lambda_max(a);
  require_contains("lambda_min of the exact Hessian", least, enclose_lambda_min(r.exact, 20));
  require_contains("lambda_max of the exact Hessian", largest, enclose_lambda_max(r.exact, 20));
  tally_width("lambda_min", least, tally);
}

// Counts at shifts of any origin against factorisations in balls.
void counts(const MhaInstance& m, Tally& tally) {
  if (!affordable(m, tally)) return;
  const PrecisionScope scope(reference_bits);
  const Rounded r = rounded_hessian(m);
  if (!r.finite) return;
  const PointSaddle a(r.blocks, r.J);
  const DenseSymmetric dense(r.point);
  const FastInertia inertia(a);
  const Ball unit = ldexp(Ball(1), a.exponent());
  for (const double s : {-3.0, -0.4, -0.03, -1e-5, 1e-4, 0.07, 0.6, 2.5}) {
    const InertiaCount c = inertia.count(s);
    if (!c.is_known()) {
      ++tally["unknown"];
      continue;
    }
    const Ball step = unit * Ball(c.error) + unit * ldexp(Ball(1), -200);
    const auto above = dense.factor_shifted((unit * Ball(s) + step).midpoint());
    const auto below = dense.factor_shifted((unit * Ball(s) - step).midpoint());
    const auto sharp = [&](const auto& f) {
      return f->error.is_finite() && certainly(less(f->error, unit * ldexp(Ball(1), -201)));
    };
    if (!sharp(above) || !sharp(below)) {
      ++tally["reference not sharp"];
      continue;
    }
    const std::string where = " at " + std::to_string(s) + ", count " + std::to_string(c.below);
    require(c.below <= above->negative,
            "too many below shift + error" + where + " > " + std::to_string(above->negative));
    require(c.below >= below->negative,
            "too few below shift - error" + where + " < " + std::to_string(below->negative));
    ++tally[c.error < 1e-8 ? "sharp counts" : "coarse counts"];
  }
}

}  // namespace

std::vector<Property> fast_eigenvalue_properties() {
  return {{"fast_eigenvalue.contains",
           "the enclosures in double contain those of dense balls",
           draw_instance,
           300,
           contains,
           {}},
          {"fast_eigenvalue.perturbed",
           "rounded entries and their distance enclose the exact Hessian's eigenvalues",
           draw_instance,
           300,
           perturbed,
           {}},
          {"fast_eigenvalue.counts",
           "counts in double agree with factorisations in balls within their error",
           draw_instance,
           300,
           counts,
           {}}};
}

}  // namespace heed::checks
