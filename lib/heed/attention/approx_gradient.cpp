// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/approx_gradient.hpp"

#include <cmath>
#include <stdexcept>

#include "heed/attention/detail/double_double.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed::approx {
namespace {

using Dd = DoubleDouble;

struct Rounded {
  explicit Rounded(const Matrix<Rational>& m)
      : entries(map(m, [](const Rational& q) { return q.nearest_double(); })) {}
  Matrix<double> entries;
};

// One row of attention: o_t and C_t u_t, as in FastMha.
struct Row {
  std::vector<Dd> o, cu;
};

Row attention_row(const Matrix<double>& X, std::size_t t, const double* u,
                  const Matrix<double>& W) {
  const std::size_t T = X.rows(), d = X.cols();
  std::vector<Dd> q(d);
  for (std::size_t b = 0; b < d; ++b)
    for (std::size_t c = 0; c < d; ++c) q[c] += Dd::product(X(t, b), W(b, c));

  const auto difference = [&](std::size_t s, std::size_t r, std::size_t c) {
    return Dd::sum(X(s, c), -X(r, c));
  };
  const auto gap = [&](std::size_t s, std::size_t r) {
    Dd sum;
    for (std::size_t c = 0; c < d; ++c) sum += q[c] * difference(s, r, c);
    return sum;
  };
  std::size_t top = 0;
  for (std::size_t s = 1; s < T; ++s)
    if (gap(s, top).hi > 0) top = s;

  std::vector<Dd> a(T), v(T);
  Dd sum, mean;
  for (std::size_t s = 0; s < T; ++s) {
    a[s] = exp(gap(s, top));
    sum += a[s];
    for (std::size_t c = 0; c < d; ++c) v[s] += difference(s, top, c) * u[c];
  }
  for (std::size_t s = 0; s < T; ++s) {
    a[s] = a[s] / sum;
    mean += a[s] * v[s];
  }
  Row row{std::vector<Dd>(d), std::vector<Dd>(d)};
  for (std::size_t s = 0; s < T; ++s) {
    const Dd gam = a[s] * (v[s] - mean);
    for (std::size_t c = 0; c < d; ++c) {
      row.o[c] += a[s] * X(s, c);
      row.cu[c] += gam * difference(s, top, c);
    }
  }
  return row;
}

// |l'| at a margin.
Dd slope(Loss loss, const Dd& margin) {
  if (loss == Loss::exponential) return exp(-margin);
  if (margin.hi < 0) return Dd(1) / (Dd(1) + exp(margin));
  const Dd e = exp(-margin);
  return e / (Dd(1) + e);
}

}  // namespace

std::vector<double> gradient(const MhaInstance& instance) {
  if (!instance.weights)
    throw std::invalid_argument("approx::gradient needs an instance with weights");
  const std::vector<Rounded> U(instance.weights->U.begin(), instance.weights->U.end());
  const std::vector<Rounded> W(instance.weights->W.begin(), instance.weights->W.end());
  const std::size_t T = instance.max_tokens(), d = instance.dim();
  const Dd sqrt_heads = sqrt_of(static_cast<double>(U.size()));
  std::vector<Dd> sum(instance.parameters());
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    const Matrix<double> X = Rounded(instance.X[i]).entries;
    std::vector<Row> rows;
    Dd phi;
    for (std::size_t h = 0; h < U.size(); ++h)
      for (std::size_t t = 0; t < X.rows(); ++t) {
        const double* u = U[h].entries.row(t);
        rows.push_back(attention_row(X, t, u, W[h].entries));
        for (std::size_t c = 0; c < d; ++c) phi += rows.back().o[c] * u[c];
      }
    phi = phi / sqrt_heads;
    const Dd p = slope(instance.loss, instance.y[i] > 0 ? phi : -phi);
    const Dd weight =
        (instance.y[i] > 0 ? -p : p) / (sqrt_heads * static_cast<double>(instance.samples()));
    for (std::size_t h = 0; h < U.size(); ++h)
      for (std::size_t t = 0; t < X.rows(); ++t) {
        const Row& row = rows[h * X.rows() + t];
        Dd* out = sum.data() + h * (T + d) * d;
        for (std::size_t c = 0; c < d; ++c) {
          out[t * d + c] += weight * row.o[c];
          const Dd scaled = weight * row.cu[c];
          for (std::size_t b = 0; b < d; ++b) out[(T + b) * d + c] += scaled * X(t, b);
        }
      }
  }
  std::vector<double> result;
  result.reserve(sum.size());
  for (const Dd& s : sum) result.push_back(s.value());
  return result;
}

}  // namespace heed::approx
