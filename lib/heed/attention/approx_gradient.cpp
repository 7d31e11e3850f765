// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/approx_gradient.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "heed/attention/detail/double_double.hpp"
#include "heed/linalg/matrix.hpp"

namespace heed::approx {
namespace {

using Dd = DoubleDouble;

Matrix<double> rounded(const Matrix<Rational>& m) {
  return map(m, [](const Rational& q) { return q.nearest_double(); });
}

// One row of attention: o_t and C_t u_t, as in PairwiseMha.
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

struct Sample {
  Matrix<double> X;
  std::vector<Row> rows;  // row h T_i + t
  Dd margin;
};

Sample forward(const MhaInstance& instance, std::size_t i, const std::vector<Matrix<double>>& U,
               const std::vector<Matrix<double>>& W) {
  Sample sample{rounded(instance.X[i]), {}, {}};
  for (std::size_t h = 0; h < U.size(); ++h)
    for (std::size_t t = 0; t < sample.X.rows(); ++t) {
      sample.rows.push_back(attention_row(sample.X, t, U[h].row(t), W[h]));
      for (std::size_t c = 0; c < U[h].cols(); ++c)
        sample.margin += sample.rows.back().o[c] * U[h](t, c);
    }
  sample.margin = sample.margin * (Dd(instance.y[i]) / sqrt_of(static_cast<double>(U.size())));
  return sample;
}

// |l'| at a margin, times e^shift. The shift is 0 unless all margins are positive.
Dd slope(Loss loss, const Dd& margin, double shift) {
  const Dd decay = exp(Dd(shift) - margin);
  if (loss == Loss::exponential) return decay;
  if (margin.hi < 0) return Dd(1) / (Dd(1) + exp(margin));
  return decay / (Dd(1) + exp(-margin));
}

}  // namespace

std::vector<double> gradient(const MhaInstance& instance) {
  if (!instance.weights)
    throw std::invalid_argument("approx::gradient needs an instance with weights");
  std::vector<Matrix<double>> U, W;
  for (const Matrix<Rational>& u : instance.weights->U) U.push_back(rounded(u));
  for (const Matrix<Rational>& w : instance.weights->W) W.push_back(rounded(w));
  std::vector<Sample> samples;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < instance.samples(); ++i) {
    samples.push_back(forward(instance, i, U, W));
    least = std::min(least, samples.back().margin.hi);
  }
  // Slopes of e^-700 would lose their digits before large tokens or weights multiply them.
  const double shift = least > 300 ? least : 0;

  const std::size_t T = instance.max_tokens(), d = instance.dim();
  const Dd count = sqrt_of(static_cast<double>(U.size())) * static_cast<double>(samples.size());
  std::vector<Dd> sum(instance.parameters());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const Dd p = slope(instance.loss, sample.margin, shift) / count;
    const Dd weight = instance.y[i] > 0 ? -p : p;
    const std::size_t Ti = sample.X.rows();
    for (std::size_t k = 0; k < sample.rows.size(); ++k) {
      const std::size_t h = k / Ti, t = k % Ti;
      Dd* out = sum.data() + h * (T + d) * d;
      for (std::size_t c = 0; c < d; ++c) {
        out[t * d + c] += weight * sample.rows[k].o[c];
        const Dd scaled = weight * sample.rows[k].cu[c];
        for (std::size_t b = 0; b < d; ++b) out[(T + b) * d + c] += scaled * sample.X(t, b);
      }
    }
  }
  const Dd half = exp(Dd(-shift / 2));
  std::vector<double> result;
  result.reserve(sum.size());
  for (const Dd& s : sum) result.push_back((s * half * half).value());
  return result;
}

}  // namespace heed::approx
