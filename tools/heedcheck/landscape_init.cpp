// SPDX-License-Identifier: Apache-2.0
#include "landscape_init.hpp"

#include <algorithm>

#include "landscape_descent.hpp"
#include "landscape_queries.hpp"

namespace heedcheck {
namespace {

Rationals positive_fractions(const Value& value, std::size_t count, const std::string& what) {
  Rationals numbers;
  for (const Value& item : list_of(value, count, what)) {
    numbers.push_back(positive_fraction(item, what));
  }
  return numbers;
}

// |M| < bound for the matrix of these entries.
void prove_norm(const Rationals& entries, std::size_t rows, std::size_t cols,
                const mpq_class& bound, const std::string& what) {
  IntervalMatrix M = matrix_of(entries, rows, cols);
  if (rows > cols) M = transposed(M);
  IntervalMatrix gap = product(M, transposed(M));
  for (Interval& x : gap.entries) x = -x;
  for (std::size_t k = 0; k < gap.rows; ++k) gap.at(k, k) += Interval(mpq_class(bound * bound));
  require_proof(is_positive_definite(gap), "init: the norm of " + what + " is not proved");
}

// Part k of a list that is cut into matrices of one size.
Rationals part(const Rationals& all, std::size_t k, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * size);
  return Rationals(first, first + static_cast<std::ptrdiff_t>(size));
}

void prove_norms(const Layer& layer, const Rationals& centre, const InitBounds& bounds) {
  prove_norm(layer.U, layer.m, layer.n, bounds.U, "U");
  for (std::size_t i = 0; i < layer.N; ++i) {
    prove_norm(part(layer.X, i, layer.n * layer.D), layer.n, layer.D, bounds.X[i],
               "X of sample " + std::to_string(i));
  }
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    for (std::size_t h = 0; h < layer.H; ++h) {
      const std::size_t size = layer.rows(block) * layer.cols(block);
      Rationals W = part(layer.weights[block], h, size);
      for (std::size_t k = 0; layer.trained[block] && k < size; ++k) {
        W[k] = centre[layer.coordinate(block, h, 0, 0) + k];
      }
      prove_norm(W, layer.rows(block), layer.cols(block), bounds.weights[block][h],
                 "a block of head " + std::to_string(h));
    }
  }
}

// The symmetric matrix A^{h,i} over (Q, K, V, O), all blocks trained; q, k, v, o: norms on the ball.
IntervalMatrix second_derivative(const Layer& layer, const Interval& beta, const Interval& u,
                                 const Interval& a, const Interval (&w)[4]) {
  const auto& [q, k, v, o] = w;
  const Interval n(mpq_class(static_cast<unsigned long>(layer.n))),
      root_n = square_root(n), half(mpq_class(1, 2)),
      c = square_root(Interval(mpq_class(6))) * Interval(mpq_class(1, 9));
  IntervalMatrix A(4, 4);
  if (layer.kernel == Kernel::softmax) {
    const Interval alpha = beta * square(a), outer = u * a * v * o;
    A.at(W_Q, W_Q) = outer * c * square(alpha * k);
    A.at(W_K, W_K) = outer * c * square(alpha * q);
    A.at(W_K, W_Q) = outer * (c * square(alpha) * k * q + alpha * half);
    A.at(W_V, W_Q) = u * alpha * k * a * o * half;
    A.at(W_V, W_K) = u * alpha * q * a * o * half;
    A.at(W_O, W_Q) = u * alpha * k * a * v * half;
    A.at(W_O, W_K) = u * alpha * q * a * v * half;
    A.at(W_O, W_V) = u * root_n * a;
    return A;
  }
  const Interval e = exponential(Interval(mpq_class(1))),
                 scale = layer.kernel == Kernel::gaussian_over_n ? reciprocal(n)
                                                                 : Interval(mpq_class(1)),
                 slope = scale * u * square_root(beta * n * reciprocal(e)) * square(a);
  A.at(W_Q, W_Q) = scale * u * square(a) * a * v * o * beta * root_n;
  A.at(W_K, W_K) = A.at(W_K, W_Q) = A.at(W_Q, W_Q);
  A.at(W_V, W_Q) = A.at(W_V, W_K) = slope * o;
  A.at(W_O, W_Q) = A.at(W_O, W_K) = slope * v;
  A.at(W_O, W_V) = scale * u * n * a;
  return A;
}

// lambda_max(A^h) < L_J for every head.
void prove_lipschitz(const Layer& layer, const InitBounds& bounds) {
  const Interval beta = beta_of(layer), u(bounds.U);
  for (std::size_t h = 0; h < layer.H; ++h) {
    Interval w[4];
    for (int block = 0; block < 4; ++block) {
      w[block] = Interval(
          mpq_class(bounds.weights[block][h] + (layer.trained[block] ? bounds.R : mpq_class(0))));
    }
    IntervalMatrix squares(4, 4);
    for (const mpq_class& a : bounds.X) {
      const IntervalMatrix A = second_derivative(layer, beta, u, Interval(a), w);
      for (std::size_t k = 0; k < 16; ++k) squares.entries[k] += square(A.entries[k]);
    }
    IntervalMatrix gap(4, 4);
    for (std::size_t r = 0; r < 4; ++r) {
      gap.at(r, r) = Interval(bounds.L_J);
      for (std::size_t s = 0; s <= r; ++s) {
        if (!layer.trained[r] || !layer.trained[s]) continue;
        gap.at(r, s) -= square_root(squares.at(r, s));
        gap.at(s, r) = gap.at(r, s);
      }
    }
    require_proof(is_positive_definite(gap),
                  "init: L_J is not proved for head " + std::to_string(h));
  }
}

}  // namespace

InitBounds read_init(const Value& value, const Layer& layer) {
  require_fields(value, {"R", "sigma", "J", "L_J", "norms"}, {}, "init");
  const Value& norms = value.at("norms");
  require_fields(norms, {"U", "X", "W_Q", "W_K", "W_V", "W_O"}, {}, "init.norms");
  InitBounds bounds;
  bounds.R = positive_fraction(value.at("R"), "init.R");
  bounds.sigma = positive_fraction(value.at("sigma"), "init.sigma");
  bounds.J = positive_fraction(value.at("J"), "init.J");
  bounds.L_J = positive_fraction(value.at("L_J"), "init.L_J");
  bounds.U = positive_fraction(norms.at("U"), "init.norms.U");
  bounds.X = positive_fractions(norms.at("X"), layer.N, "init.norms.X");
  const char* const words[] = {"W_Q", "W_K", "W_V", "W_O"};
  for (int block = 0; block < 4; ++block) {
    bounds.weights[block] = positive_fractions(norms.at(words[block]), layer.H,
                                               std::string("init.norms.") + words[block]);
  }
  return bounds;
}

void prove_init(const Layer& layer, const Model<Interval>& model, const Rationals& centre,
                const InitBounds& bounds, const mpq_class& eta) {
  require_proof(layer.kernel != Kernel::gaussian_normalised,
                "init: no constants are known for this kernel");
  const auto& [R, sigma, J, L_J, U, X, weights] = bounds;
  const mpq_class reach = L_J * R, most = J + reach, residual = sigma * R / 4;
  require_proof(2 * reach <= sigma, "init: L_J R <= sigma / 2 fails");
  require_proof(eta * (most * most + L_J * (residual + most * R)) <= 1, "init: eta L <= 1 fails");
  const std::vector<Interval> theta(centre.begin(), centre.end());
  const mpq_class f = model.loss(theta, {}, model.all()).value.upper();
  require_proof(2 * f <= residual * residual, "init: |r| <= sigma R / 4 is not proved");
  prove_norms(layer, centre, bounds);
  prove_lipschitz(layer, bounds);
  prove_gram_between(jacobian_gram(model, theta), sigma * sigma, J * J, "init");
}

}  // namespace heedcheck
