// SPDX-License-Identifier: Apache-2.0
#include "landscape_point.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

const Interval one() { return Interval(mpq_class(1)); }

// Row c of x_a W in rational numbers: queries, keys.
mpq_class image(const Layer& layer, const Rationals& theta, Block block, std::size_t i,
                std::size_t a, std::size_t h, std::size_t c) {
  mpq_class sum;
  for (std::size_t j = 0; j < layer.D; ++j) {
    const mpq_class& w = layer.trained[block] ? theta[layer.coordinate(block, h, j, c)]
                                              : layer.weight(block, h, j, c);
    sum += layer.X[(i * layer.n + a) * layer.D + j] * w;
  }
  return sum;
}

// Whether row a of the attention is 1/n (rows that sum to 1), or 1.
bool is_rational_row(const Layer& layer, const Rationals& theta, std::size_t i, std::size_t h,
                     std::size_t a) {
  const bool products = layer.kernel == Kernel::softmax;
  mpq_class first;
  for (std::size_t b = 0; b < layer.n; ++b) {
    mpq_class score;
    for (std::size_t c = 0; c < layer.d; ++c) {
      const mpq_class q = image(layer, theta, W_Q, i, a, h, c),
                      k = image(layer, theta, W_K, i, b, h, c);
      score += products ? mpq_class(q * k) : square(mpq_class(q - k));
    }
    if (b == 0) first = score;
    if (score != (sums_to_one(layer.kernel) ? first : mpq_class(0))) return false;
  }
  return true;
}

}  // namespace

std::vector<Interval> enclose(const PointBox& box) {
  std::vector<Interval> theta(box.centre.begin(), box.centre.end());
  for (const std::size_t k : box.free) {
    theta[k] = Interval::between(Interval(mpq_class(box.centre[k] - box.radius)).lo(),
                                 Interval(mpq_class(box.centre[k] + box.radius)).hi());
  }
  return theta;
}

IntervalMatrix hessian(const Model<Interval>& model, const PointBox& box) {
  return symmetric_matrix(model.loss(enclose(box), box.free, model.all()).second, box.free.size());
}

void prove_isolated_zero(const Model<Interval>& model, const PointBox& box, const Rationals& A,
                         const IntervalMatrix& H) {
  const std::size_t count = box.free.size();
  const PointBox centre{box.centre, 0, {}, box.free};
  const std::vector<Interval> g = model.loss(enclose(centre), box.free, model.all()).first;
  const IntervalMatrix a = matrix_of(A, count, count), AH = product(a, H);
  const Interval radius(box.radius);
  for (std::size_t r = 0; r < count; ++r) {
    // K_r - c_r: the step, and the rest within radius * |I - A H|
    Interval step, rest;
    for (std::size_t c = 0; c < count; ++c) {
      step += a.at(r, c) * g[c];
      rest += ((r == c ? one() : Interval()) - AH.at(r, c)).magnitude();
    }
    require_proof((step.magnitude() + rest * radius).upper() < box.radius,
                  "K is not strictly inside the box at coordinate " + std::to_string(box.free[r]));
  }
}

mpq_class prove_exactly_stationary(const Layer& layer, const Rationals& centre) {
  for (std::size_t i = 0; i < layer.N; ++i) {
    for (std::size_t h = 0; h < layer.H; ++h) {
      for (std::size_t a = 0; a < layer.n; ++a) {
        require_proof(is_rational_row(layer, centre, i, h, a),
                      "the attention at the centre is not known to be rational");
      }
    }
  }
  std::vector<std::size_t> all(centre.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const Model<mpq_class> model(layer, layer.root ? mpq_class(1) : layer.beta_power);
  const Jet<mpq_class> f = model.loss(centre, all, model.all());
  for (std::size_t k = 0; k < all.size(); ++k) {
    require_proof(f.first[k] == 0, "the gradient is not zero at coordinate " + std::to_string(k));
  }
  return f.value;
}

void prove_minimum(const IntervalMatrix& H) {
  require_proof(is_positive_definite(H), "the Hessian is not proved positive definite");
}

void prove_curvature_sign(const IntervalMatrix& H, const Rationals& direction, bool positive,
                          const std::string& what) {
  const IntervalMatrix v = matrix_of(direction, H.rows, 1);
  const Interval along = product(transposed(v), product(H, v)).at(0, 0);
  require_proof(positive ? is_positive(along) : is_negative(along), what);
}

void prove_index(const IntervalMatrix& H, const Rationals& V, std::size_t index) {
  const IntervalMatrix v = matrix_of(V, H.rows, H.rows), vt = transposed(v);
  const IntervalMatrix gram = product(vt, v), B = product(vt, product(H, v));
  std::size_t negative = 0;
  for (std::size_t r = 0; r < H.rows; ++r) {
    Interval defect, disc;
    for (std::size_t c = 0; c < H.rows; ++c) {
      defect += ((r == c ? one() : Interval()) - gram.at(r, c)).magnitude();
      if (r != c) disc += B.at(r, c).magnitude();
    }
    require_proof(is_less(defect, one()), "|I - V^T V| < 1 is not proved");
    if (is_negative(B.at(r, r) + disc)) {
      ++negative;
    } else {
      require_proof(is_positive(B.at(r, r) - disc), "a disc of V^T H V is not proved to exclude 0");
    }
  }
  require_proof(negative == index, "the index is " + std::to_string(negative));
}

}  // namespace heedcheck
