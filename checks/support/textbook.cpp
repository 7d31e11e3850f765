// SPDX-License-Identifier: Apache-2.0
#include "checks/support/textbook.hpp"

#include <algorithm>
#include <cmath>

#include "checks/support/weights.hpp"

namespace heed::checks {
namespace {

Ball inner(const Matrix<Ball>& a, std::size_t i, const Matrix<Ball>& b, std::size_t j) {
  Ball sum;
  for (std::size_t c = 0; c < a.cols(); ++c) sum += a(i, c) * b(j, c);
  return sum;
}

// X M X^T
Matrix<Ball> logits(const Matrix<Ball>& x, const Matrix<Ball>& m) {
  Matrix<Ball> z(x.rows(), x.rows());
  for (std::size_t t = 0; t < x.rows(); ++t)
    for (std::size_t s = 0; s < x.rows(); ++s)
      for (std::size_t b = 0; b < x.cols(); ++b)
        for (std::size_t c = 0; c < x.cols(); ++c) z(t, s) += x(t, b) * m(b, c) * x(s, c);
  return z;
}

Matrix<Ball> softmax(const Matrix<Ball>& z) {
  Matrix<Ball> a(z.rows(), z.cols());
  for (std::size_t t = 0; t < z.rows(); ++t) {
    Ball sum;
    for (std::size_t s = 0; s < z.cols(); ++s) sum += a(t, s) = exp(z(t, s));
    for (std::size_t s = 0; s < z.cols(); ++s) a(t, s) /= sum;
  }
  return a;
}

double largest_logit(const MhaInstance& m) {
  const std::size_t d = m.dim();
  Rational largest;
  for (const auto& w : m.weights->W)
    for (const auto& x : m.X)
      for (std::size_t t = 0; t < x.rows(); ++t)
        for (std::size_t s = 0; s < x.rows(); ++s) {
          Rational z;
          for (std::size_t b = 0; b < d; ++b)
            for (std::size_t c = 0; c < d; ++c) z += x(t, b) * w(b, c) * x(s, c);
          largest = std::max(largest, abs(z));
        }
  return largest.nearest_double();
}

}  // namespace

bool Textbook::feasible(const MhaInstance& m) { return largest_logit(m) <= 3000; }

int Textbook::bits_for(const MhaInstance& m) {
  return 768 + static_cast<int>(3 * 1.4427 * std::min(largest_gap(m).nearest_double(), 6000.0));
}

Textbook::Textbook(const MhaInstance& m) : T(m.max_tokens()), d(m.dim()), y(m.y) {
  const auto ball = [](const Rational& q) { return Ball(q); };
  for (const auto& x : m.X) X.push_back(map(x, ball));
  for (const auto& u : m.weights->U) U.push_back(map(u, ball));
  for (const auto& w : m.weights->W) W.push_back(map(w, ball));
  const Ball n(static_cast<int>(samples()));
  sqrt_heads = sqrt(Ball(static_cast<int>(heads())));
  for (std::size_t i = 0; i < samples(); ++i) {
    const std::size_t Ti = X[i].rows();
    attention_.emplace_back();
    std::vector<Ball> g(parameters());
    Ball sum;
    for (std::size_t h = 0; h < heads(); ++h) {
      attention_[i].push_back(softmax(logits(X[i], W[h])));
      const Matrix<Ball>& A = attention_[i][h];
      Ball* gu = g.data() + h * (T * d + d * d);
      Ball* gw = gu + T * d;
      for (std::size_t t = 0; t < Ti; ++t) {
        Ball mean;
        for (std::size_t s = 0; s < Ti; ++s) mean += A(t, s) * inner(U[h], t, X[i], s);
        sum += mean;
        for (std::size_t s = 0; s < Ti; ++s) {
          const Ball gam = A(t, s) * (inner(U[h], t, X[i], s) - mean);
          for (std::size_t c = 0; c < d; ++c) {
            gu[t * d + c] += A(t, s) * X[i](s, c) / sqrt_heads;
            for (std::size_t b = 0; b < d; ++b)
              gw[b * d + c] += X[i](t, b) * gam * X[i](s, c) / sqrt_heads;
          }
        }
      }
    }
    phi_gradients.push_back(std::move(g));
    phi.push_back(sum / sqrt_heads);
    margins.push_back(phi[i] * Ball(y[i]));
    const Ball decay = exp(-margins[i]);
    if (m.loss == Loss::exponential) {
      value.push_back(decay);
      slope.push_back(decay);
      second.push_back(decay);
    } else {
      value.push_back(log1p(decay));
      slope.push_back(Ball(1) / (Ball(1) + exp(margins[i])));
      second.push_back(slope[i] * (Ball(1) / (Ball(1) + decay)));
    }
    loss += value[i] / n;
    mean_slope += slope[i] / n;
  }
}

std::vector<Ball> Textbook::attention(std::size_t i, std::size_t h, std::size_t t) const {
  const Matrix<Ball>& A = attention_[i][h];
  return {A.row(t), A.row(t) + A.cols()};
}

Matrix<Ball> Textbook::second_moment(std::size_t i, std::size_t h, std::size_t t) const {
  const std::vector<Ball> a = attention(i, h, t);
  Matrix<Ball> m(d, d);
  for (std::size_t b = 0; b < d; ++b)
    for (std::size_t c = 0; c < d; ++c) {
      Ball ob, oc;
      for (std::size_t s = 0; s < a.size(); ++s) {
        m(b, c) += a[s] * X[i](s, b) * X[i](s, c);
        ob += a[s] * X[i](s, b);
        oc += a[s] * X[i](s, c);
      }
      m(b, c) -= ob * oc;
    }
  return m;
}

Matrix<Ball> Textbook::third_moment(std::size_t i, std::size_t h, std::size_t t) const {
  const std::vector<Ball> a = attention(i, h, t);
  Ball mean;
  std::vector<Ball> o(d);
  for (std::size_t s = 0; s < a.size(); ++s) {
    mean += a[s] * inner(U[h], t, X[i], s);
    for (std::size_t c = 0; c < d; ++c) o[c] += a[s] * X[i](s, c);
  }
  Matrix<Ball> m(d, d);
  for (std::size_t s = 0; s < a.size(); ++s)
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t c = 0; c < d; ++c)
        m(b, c) +=
            a[s] * (inner(U[h], t, X[i], s) - mean) * (X[i](s, b) - o[b]) * (X[i](s, c) - o[c]);
  return m;
}

std::vector<Ball> Textbook::phi_hessian_vector_product(std::size_t i,
                                                       const std::vector<Ball>& v) const {
  const std::size_t Ti = X[i].rows();
  std::vector<Ball> out(parameters());
  for (std::size_t h = 0; h < heads(); ++h) {
    const std::size_t at = h * (T * d + d * d);
    Matrix<Ball> dU(T, d), dW(d, d);
    std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(at), T * d, dU.data());
    std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(at + T * d), d * d, dW.data());
    const Matrix<Ball>& A = attention_[i][h];
    const Matrix<Ball> dZ = logits(X[i], dW);
    for (std::size_t t = 0; t < Ti; ++t) {
      Ball mean, mean_dz, dm;
      for (std::size_t s = 0; s < Ti; ++s) {
        mean += A(t, s) * inner(U[h], t, X[i], s);
        mean_dz += A(t, s) * dZ(t, s);
      }
      std::vector<Ball> dA(Ti);
      for (std::size_t s = 0; s < Ti; ++s) {
        dA[s] = A(t, s) * (dZ(t, s) - mean_dz);
        dm += dA[s] * inner(U[h], t, X[i], s) + A(t, s) * inner(dU, t, X[i], s);
      }
      for (std::size_t s = 0; s < Ti; ++s) {
        const Ball dgam =
            dA[s] * (inner(U[h], t, X[i], s) - mean) + A(t, s) * (inner(dU, t, X[i], s) - dm);
        for (std::size_t c = 0; c < d; ++c) {
          out[at + t * d + c] += dA[s] * X[i](s, c) / sqrt_heads;
          for (std::size_t b = 0; b < d; ++b)
            out[at + T * d + b * d + c] += X[i](t, b) * dgam * X[i](s, c) / sqrt_heads;
        }
      }
    }
  }
  return out;
}

std::vector<Ball> Textbook::hessian_vector_product(const std::vector<Ball>& v) const {
  std::vector<Ball> out(parameters());
  const Ball n(static_cast<int>(samples()));
  for (std::size_t i = 0; i < samples(); ++i) {
    const std::vector<Ball> hv = phi_hessian_vector_product(i, v);
    Ball along;
    for (std::size_t k = 0; k < v.size(); ++k) along += phi_gradients[i][k] * v[k];
    for (std::size_t k = 0; k < v.size(); ++k)
      out[k] += (second[i] * along * phi_gradients[i][k] - slope[i] * Ball(y[i]) * hv[k]) / n;
  }
  return out;
}

std::vector<Ball> Textbook::gradient() const {
  std::vector<Ball> g(parameters());
  for (std::size_t i = 0; i < samples(); ++i)
    for (std::size_t k = 0; k < g.size(); ++k)
      g[k] -= slope[i] * Ball(y[i]) * phi_gradients[i][k] / Ball(static_cast<int>(samples()));
  return g;
}

Matrix<Ball> Textbook::hessian() const {
  const std::size_t P = parameters();
  Matrix<Ball> m(P, P);
  for (std::size_t k = 0; k < P; ++k) {
    std::vector<Ball> e(P);
    e[k] = 1;
    const std::vector<Ball> column = hessian_vector_product(e);
    for (std::size_t j = 0; j < P; ++j) m(j, k) = column[j];
  }
  return m;
}

Matrix<Ball> Textbook::head_hessian(std::size_t i, std::size_t h) const {
  const std::size_t size = T * d + d * d;
  Matrix<Ball> m(size, size);
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<Ball> e(parameters());
    e[h * size + k] = sqrt_heads;
    const std::vector<Ball> column = phi_hessian_vector_product(i, e);
    for (std::size_t j = 0; j < size; ++j) m(j, k) = column[h * size + j];
  }
  return m;
}

}  // namespace heed::checks
