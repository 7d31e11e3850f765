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

// G < bound^2 I.
void prove_square(const RationalMatrix& G, const mpq_class& bound, const std::string& what) {
  IntervalMatrix gap = matrix_of(G.entries, G.rows, G.cols);
  for (Interval& x : gap.entries) x = -x;
  for (std::size_t k = 0; k < gap.rows; ++k) gap.at(k, k) += Interval(mpq_class(bound * bound));
  require_proof(is_positive_definite(gap), "the norm of " + what + " is not proved");
}

// |M| < bound.
void prove_norm(const RationalMatrix& M, const mpq_class& bound, const std::string& what) {
  const RationalMatrix T = transposed(M);
  prove_square(M.rows > M.cols ? product(T, M) : product(M, T), bound, what);
}

// Matrix k of a list of matrices of one shape.
RationalMatrix part(const Rationals& all, std::size_t k, std::size_t rows, std::size_t cols) {
  RationalMatrix M(rows, cols);
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(k * rows * cols), rows * cols,
              M.entries.begin());
  return M;
}

// Pi M: each row minus the mean of all.
RationalMatrix without_mean(RationalMatrix M) {
  for (std::size_t c = 0; c < M.cols; ++c) {
    mpq_class mean = 0;
    for (std::size_t r = 0; r < M.rows; ++r) mean += M.at(r, c);
    mean /= static_cast<unsigned long>(M.rows);
    for (std::size_t r = 0; r < M.rows; ++r) M.at(r, c) -= mean;
  }
  return M;
}

void prove_token_norms(const Layer& layer, const InitBounds& bounds) {
  for (std::size_t i = 0; i < layer.N; ++i) {
    const RationalMatrix X = part(layer.X, i, layer.n, layer.D);
    const std::string sample = " of sample " + std::to_string(i);
    prove_norm(X, bounds.X[i], "X" + sample);
    if (layer.kernel != Kernel::gaussian_normalised) continue;
    prove_norm(without_mean(X), bounds.spread[i], "Pi X" + sample);
    RationalMatrix G = product(X, transposed(X));
    for (mpq_class& g : G.entries) g *= mpq_class(g);
    prove_square(without_mean(transposed(without_mean(G))), bounds.products[i],
                 "the products of tokens" + sample);
  }
}

void prove_norms(const Layer& layer, const Rationals& centre, const InitBounds& bounds) {
  prove_norm(part(layer.U, 0, layer.m, layer.n), bounds.U, "U");
  prove_token_norms(layer, bounds);
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    for (std::size_t h = 0; h < layer.H; ++h) {
      RationalMatrix W = part(layer.weights[block], h, layer.rows(block), layer.cols(block));
      for (std::size_t k = 0; layer.trained[block] && k < W.entries.size(); ++k) {
        W.entries[k] = centre[layer.coordinate(block, h, 0, 0) + k];
      }
      prove_norm(W, bounds.weights[block][h], "a block of head " + std::to_string(h));
    }
  }
}

// What the entries of A^{h,i} depend on: norms on the ball, and the sizes of the tokens of sample i.
struct Sizes {
  Interval beta, u, n, a, spread, products, q, k, v, o;
};

// A^{h,i} over (Q, K, V, O), its lower triangle, all blocks trained.
IntervalMatrix second_derivative(Kernel kernel, const Sizes& z) {
  const Interval root_n = square_root(z.n), one(mpq_class(1));
  IntervalMatrix A(4, 4);
  if (sums_to_one(kernel)) {
    const bool softmax = kernel == Kernel::softmax;
    const Interval half(mpq_class(1, 2)),
        alpha = z.beta * z.a * (softmax ? z.a : z.spread),
        gamma = softmax ? Interval() : z.beta * root_n * z.products,
        c = square_root(Interval(mpq_class(6))) * Interval(mpq_class(1, 9)),
        x = z.u * (softmax ? z.a : z.spread), Q = alpha * z.k, K = alpha * z.q + gamma * z.k;
    A.at(W_Q, W_Q) = x * z.v * z.o * c * square(Q);
    A.at(W_K, W_K) = x * z.v * z.o * (c * square(K) + gamma * half);
    A.at(W_K, W_Q) = x * z.v * z.o * (c * K * Q + alpha * half);
    A.at(W_V, W_Q) = half * x * Q * z.o;
    A.at(W_V, W_K) = half * x * K * z.o;
    A.at(W_O, W_Q) = half * x * Q * z.v;
    A.at(W_O, W_K) = half * x * K * z.v;
    A.at(W_O, W_V) = z.u * root_n * z.a;
    return A;
  }
  const Interval scale = kernel == Kernel::gaussian_over_n ? reciprocal(z.n) : one,
                 slope = scale * z.u * square(z.a) *
                         square_root(z.beta * z.n * reciprocal(exponential(one)));
  A.at(W_Q, W_Q) = scale * z.u * square(z.a) * z.a * z.v * z.o * z.beta * root_n;
  A.at(W_K, W_K) = A.at(W_K, W_Q) = A.at(W_Q, W_Q);
  A.at(W_V, W_Q) = A.at(W_V, W_K) = slope * z.o;
  A.at(W_O, W_Q) = A.at(W_O, W_K) = slope * z.v;
  A.at(W_O, W_V) = scale * z.u * z.n * z.a;
  return A;
}

// lambda_max(A^h) < L_J for every head.
void prove_lipschitz(const Layer& layer, const InitBounds& bounds) {
  Sizes z;
  z.beta = beta_of(layer);
  z.u = Interval(bounds.U);
  z.n = Interval(mpq_class(static_cast<unsigned long>(layer.n)));
  for (std::size_t h = 0; h < layer.H; ++h) {
    Interval* const norms[] = {&z.q, &z.k, &z.v, &z.o};
    for (int block = 0; block < 4; ++block) {
      const mpq_class reach = layer.trained[block] ? bounds.R : mpq_class(0);
      *norms[block] = Interval(mpq_class(bounds.weights[block][h] + reach));
    }
    IntervalMatrix squares(4, 4);
    for (std::size_t i = 0; i < layer.N; ++i) {
      z.a = Interval(bounds.X[i]);
      if (!bounds.spread.empty()) z.spread = Interval(bounds.spread[i]);
      if (!bounds.products.empty()) z.products = Interval(bounds.products[i]);
      const IntervalMatrix A = second_derivative(layer.kernel, z);
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
    require_proof(is_positive_definite(gap), "L_J is not proved for head " + std::to_string(h));
  }
}

}  // namespace

InitBounds read_init(const Value& value, const Layer& layer, bool with_J) {
  std::vector<std::string_view> fields = {"R", "sigma", "L_J", "norms"};
  if (with_J) fields.push_back("J");
  require_fields(value, fields, {}, "init");
  const Value& norms = value.at("norms");
  std::vector<std::string_view> names = {"U", "X", "W_Q", "W_K", "W_V", "W_O"};
  const bool spread = layer.kernel == Kernel::gaussian_normalised;
  if (spread) names.insert(names.end(), {"spread", "products"});
  require_fields(norms, names, {}, "init.norms");
  InitBounds bounds;
  bounds.R = positive_fraction(value.at("R"), "init.R");
  bounds.sigma = positive_fraction(value.at("sigma"), "init.sigma");
  if (with_J) bounds.J = positive_fraction(value.at("J"), "init.J");
  bounds.L_J = positive_fraction(value.at("L_J"), "init.L_J");
  bounds.U = positive_fraction(norms.at("U"), "init.norms.U");
  const auto by_sample = [&](const char* name) {
    return positive_fractions(norms.at(name), layer.N, std::string("init.norms.") + name);
  };
  bounds.X = by_sample("X");
  if (spread) {
    bounds.spread = by_sample("spread");
    bounds.products = by_sample("products");
  }
  const char* const words[] = {"W_Q", "W_K", "W_V", "W_O"};
  for (int block = 0; block < 4; ++block) {
    bounds.weights[block] = positive_fractions(norms.at(words[block]), layer.H,
                                               std::string("init.norms.") + words[block]);
  }
  return bounds;
}

void prove_init(const Layer& layer, const Model<Interval>& model, const Rationals& centre,
                const InitBounds& bounds, const mpq_class& eta) {
  const mpq_class &R = bounds.R, &sigma = bounds.sigma, &J = bounds.J, &L_J = bounds.L_J;
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

mpq_class prove_zero_loss(const Layer& layer, const Model<Interval>& model, const Rationals& centre,
                          const InitBounds& bounds) {
  const mpq_class &R = bounds.R, &sigma = bounds.sigma, &L_J = bounds.L_J;
  const std::vector<Interval> theta(centre.begin(), centre.end());
  const mpq_class f = model.loss(theta, {}, model.all()).value.upper();
  const mpq_class squared = sigma * sigma;
  // |r| = sqrt(2 f), by squares
  require_proof(8 * f <= squared * R * R, "zero_loss: 2 |r| <= sigma R is not proved");
  require_proof(8 * f * L_J * L_J <= squared * squared,
                "zero_loss: L_J |r| <= sigma^2 / 2 is not proved");
  prove_norms(layer, centre, bounds);
  prove_lipschitz(layer, bounds);
  prove_gram_above(jacobian_gram(model, theta), squared, "zero_loss");
  return R;
}

}  // namespace heedcheck
