// SPDX-License-Identifier: Apache-2.0
// Names and numbers are those of proofs-notes/head_norms.md.
#include "heed/attention/head_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "heed/attention/detail/moment_saddle.hpp"
#include "heed/linalg/detail/rounding_bounds.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/gram_factor.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/spectral.hpp"

namespace heed {
namespace {

using detail::gamma;
using detail::underflow;
using detail::Upper;

Upper size(const DoubleBall& x) { return Upper(abs(x).upper()); }
Upper radius(const DoubleBall& x) { return Upper(x.rad()); }
Upper square(Upper x) { return x * x; }

// The tokens of one row that count, and what the others and the rounding of these can contribute.
struct Row {
  std::size_t first = 0, count = 0;  // among the rows of Y
  Upper tail_C, tail_K;              // of the tokens left out
  Upper y, dy;                       // ||Y_t||_F and its error
  Upper f, df;                       // max |f_ts| and its error
  Upper x, dx;                       // ||x_t|| and its error

  Upper of_Y() const { return dy * (Upper(2) * y + dy); }
  Upper size_C() const { return square(y); }
  Upper size_K() const { return square(y) * f; }
  Upper error_C() const { return of_Y() + tail_C; }
  Upper error_K() const { return of_Y() * (f + df) + square(y) * df + tail_K; }
};

struct Compressed {
  Matrix<double> x, Y;  // T x d, m x d; Y is scaled by 2^-exponent
  std::vector<double> f;
  std::vector<Row> rows;
  long exponent = 0;
  bool finite = true;
};

// Tokens of less than 2^-46/T of what some row sees are left out.
Compressed compress(const Matrix<DoubleBall>& X, const Matrix<DoubleBall>& U,
                    const HeadState<DoubleBall>& st) {
  const std::size_t T = X.rows(), d = X.cols();
  Compressed z;
  z.rows.resize(T);
  z.x = map(X, [](const DoubleBall& v) { return v.mid(); });
  Matrix<DoubleBall> f(T, T);
  Matrix<double> weight(T, T);
  double seen = 0, largest = 0;
  for (std::size_t t = 0; t < T; ++t) {
    Upper norm2, error2;
    for (std::size_t c = 0; c < d; ++c) {
      norm2 = norm2 + square(size(X(t, c)));
      error2 = error2 + square(radius(X(t, c)));
    }
    Row& row = z.rows[t];
    row.x = sqrt(norm2);
    row.dx = sqrt(error2);
    for (std::size_t s = 0; s < T; ++s) {
      const DoubleBall* xc = st.xc[t].row(s);
      f(t, s) = dot(d, U.row(t), 1, xc, 1);
      weight(t, s) = size(st.A(t, s) * dot(d, xc, 1, xc, 1)).value();
      const double w = weight(t, s) * row.x.value();
      z.finite = z.finite && w < DoubleBall::limit && f(t, s).is_finite();
      seen = std::max(seen, w);
      largest = std::max(largest, weight(t, s));
    }
  }
  if (!z.finite || largest == 0) return z;
  z.finite = seen > 0;  // rows that belong to tokens 0 see something all the same
  if (!z.finite) return z;
  z.exponent = std::ilogb(largest) / 2;
  const double least = seen * 0x1p-46 / static_cast<double>(T);
  std::vector<double> entries;
  for (std::size_t t = 0; t < T; ++t) {
    Row& row = z.rows[t];
    row.first = z.f.size();
    Upper norm2, error2;
    for (std::size_t s = 0; s < T; ++s) {
      const Upper size_f = size(f(t, s));
      const double w = weight(t, s), x = row.x.value();
      if (!(w * x * (1 + x * size_f.value()) > least)) {
        const Upper scaled(std::ldexp(w, static_cast<int>(-2 * z.exponent)));
        row.tail_C = row.tail_C + scaled;
        row.tail_K = row.tail_K + scaled * size_f;
        continue;
      }
      const DoubleBall root = sqrt_nonnegative(st.A(t, s));
      for (std::size_t c = 0; c < d; ++c) {
        const DoubleBall y = ldexp(root * st.xc[t](s, c), -z.exponent);
        entries.push_back(y.mid());
        norm2 = norm2 + square(size(y));
        error2 = error2 + square(radius(y));
      }
      z.f.push_back(f(t, s).mid());
      row.f = max(row.f, size_f);
      row.df = max(row.df, radius(f(t, s)));
      ++row.count;
    }
    row.y = sqrt(norm2);
    row.dy = sqrt(error2);
  }
  z.Y = Matrix<double>(z.f.size(), d);
  std::copy(entries.begin(), entries.end(), z.Y.data());
  return z;
}

// A^T diag(f) B in double, with A: k x m from row `first` of `a`.
Matrix<double> weighted_product(const Matrix<double>& a, const double* f, const Matrix<double>& b,
                                std::size_t first, std::size_t count) {
  Matrix<double> r(a.cols(), b.cols());
  for (std::size_t s = first; s < first + count; ++s)
    for (std::size_t i = 0; i < a.cols(); ++i) {
      const double w = f ? a(s, i) * f[s] : a(s, i);
      if (w == 0) continue;
      for (std::size_t j = 0; j < b.cols(); ++j) r(i, j) += w * b(s, j);
    }
  return r;
}

Matrix<double> gram_of_rows(const Matrix<double>& Y, const Row& row) {
  Matrix<double> g(row.count, row.count);
  for (std::size_t i = 0; i < row.count; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < Y.cols(); ++c) sum += Y(row.first + i, c) * Y(row.first + j, c);
      g(i, j) = g(j, i) = sum;
    }
  return g;
}

// The ends of a spectrum: lower and upper bounds of both ends, as they come.
struct Ends {
  double least_lower, least_upper, largest_lower, largest_upper;
};

Ends ends_of(const Matrix<double>& a) {
  const Extremes<DoubleBall> e = extremes(map(a, [](double v) { return DoubleBall(v); }));
  return {e.least.lower(), e.least.upper(), e.largest.lower(), e.largest.upper()};
}

// What is lost where a Gram matrix was enlarged by `excess`: a >= s - b^2/(s - c) if s > c.
double corrected(double s, Upper b2, Upper c) {
  const double gap = detail::round_down(s - c.value());
  if (!(gap > 0)) return 0;
  return std::max(0.0, detail::round_down(s - (b2 / gap).value()));
}

// The norm, from the ends of the enlarged form and all errors.
DoubleBall norm_between(const Ends& e, Upper b2, Upper c, Upper error) {
  const Upper upper = Upper(std::max({e.largest_upper, -e.least_lower, 0.0})) + error;
  const double lower = detail::round_down(
      std::max(corrected(e.largest_lower, b2, c), corrected(-e.least_upper, b2, c)) -
      error.value());
  if (!upper.is_finite()) return DoubleBall::unknown();
  return DoubleBall::between(lower > 0 ? lower : 0.0, upper.value());
}

// lambda_max(C_t) and ||K_t||, scaled.
std::pair<DoubleBall, DoubleBall> row_norms(const Compressed& z, const Row& row) {
  const std::size_t d = z.Y.cols();
  if (row.count == 0)
    return {norm_between({0, 0, 0, 0}, Upper(), Upper(), row.tail_C),
            norm_between({0, 0, 0, 0}, Upper(), Upper(), row.tail_K)};
  const Upper rounding = gamma(d + row.count + 8) * row.size_C() + underflow(d * row.count);
  if (row.count > d) {
    const Matrix<double> C = weighted_product(z.Y, nullptr, z.Y, row.first, row.count),
                         K = weighted_product(z.Y, z.f.data(), z.Y, row.first, row.count);
    const auto symmetric = [](Matrix<double> m) {
      for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < i; ++j) m(j, i) = m(i, j);
      return m;
    };
    return {norm_between(ends_of(symmetric(C)), Upper(), Upper(), row.error_C() + rounding),
            norm_between(ends_of(symmetric(K)), Upper(), Upper(),
                         row.error_K() + rounding * row.f + underflow(d * d))};
  }
  const Matrix<double> G = gram_of_rows(z.Y, row);
  const DoubleBall c = norm_between(ends_of(G), Upper(), Upper(), row.error_C() + rounding);
  if (row.count == 1) {
    const double k = std::fabs(z.f[row.first]) * G(0, 0);
    return {c, norm_between(
                   {0, 0, k, k}, Upper(), Upper(),
                   row.error_K() + (rounding + gamma(2) * row.size_C()) * row.f + underflow(2))};
  }
  const std::optional<GramFactor> factor = gram_factor(G, rounding.value());
  if (!factor) return {c, DoubleBall::unknown()};
  const Matrix<double> S =
      weighted_product(factor->L, z.f.data() + row.first, factor->L, 0, row.count);
  Matrix<double> symmetric = S;
  for (std::size_t i = 0; i < S.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) symmetric(j, i) = S(i, j);
  const Upper size_l = detail::norm_bound(factor->L.data(), factor->L.size());
  Ends e = ends_of(symmetric);
  const double rounded =
      (gamma(row.count + 8) * square(size_l) * row.f + underflow(row.count * row.count)).value();
  e = {detail::round_down(e.least_lower - rounded), detail::round_up(e.least_upper + rounded),
       detail::round_down(e.largest_lower - rounded), detail::round_up(e.largest_upper + rounded)};
  const Upper excess(factor->excess);
  return {c, norm_between(e, square(row.f) * row.size_C() * excess, row.f * excess, row.error_K())};
}

// How far hess phi_h is from that of the rounded x, Y and f.
Upper hessian_error(const Compressed& z) {
  Upper of_M2, of_K;
  for (const Row& r : z.rows) {
    const Upper x = r.x + r.dx;
    of_M2 = of_M2 + square(x * r.error_C() + r.dx * r.size_C());
    of_K = of_K + square(x) * r.error_K() + r.dx * Upper(2) * x * r.size_K();
  }
  return sqrt(of_M2) + of_K;
}

Ends ends_of(const PointSaddle& a) {
  FastEigenvalueOptions options;
  options.relative_width = 1e-10;
  const FastEigenvalue least = fast_lambda_min(a, options), largest = fast_lambda_max(a, options);
  return {least.lower, least.upper, largest.lower, largest.upper};
}

// In the m coordinates of tokens that count.
std::optional<DoubleBall> compressed_norm(const Compressed& z) {
  const std::size_t m = z.f.size(), d = z.Y.cols();
  Upper size_U, trace_W, f, x2;
  for (const Row& r : z.rows) {
    size_U = max(size_U, r.size_C());
    x2 = max(x2, square(r.x));
    trace_W = trace_W + square(r.x) * r.size_C();
    f = max(f, r.f);
  }
  const Matrix<double> xx = [&] {
    Matrix<double> g(z.x.rows(), z.x.rows());
    for (std::size_t t = 0; t < g.rows(); ++t)
      for (std::size_t r = 0; r <= t; ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c) sum += z.x(t, c) * z.x(r, c);
        g(t, r) = g(r, t) = sum;
      }
    return g;
  }();
  Row all;
  all.count = m;
  Matrix<double> G = gram_of_rows(z.Y, all);
  const double error_U = (gamma(d + 4) * size_U + underflow(d * m)).value();
  Matrix<double> M(m, m);
  Upper excess_U, size_U2;
  std::vector<Matrix<double>> factors;
  for (const Row& r : z.rows) {
    if (r.count == 0) {
      factors.emplace_back();
      continue;
    }
    Matrix<double> g(r.count, r.count);
    for (std::size_t i = 0; i < r.count; ++i)
      for (std::size_t j = 0; j < r.count; ++j) g(i, j) = G(r.first + i, r.first + j);
    std::optional<GramFactor> factor = gram_factor(g, error_U);
    if (!factor) return std::nullopt;
    excess_U = max(excess_U, Upper(factor->excess));
    size_U2 = size_U2 + square(detail::norm_bound(factor->L.data(), factor->L.size()));
    factors.push_back(std::move(factor->L));
  }
  std::size_t t = 0;
  std::vector<std::size_t> row_of(m);
  for (const Row& r : z.rows) {
    for (std::size_t i = 0; i < r.count; ++i) row_of[r.first + i] = t;
    ++t;
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) G(i, j) *= xx(row_of[i], row_of[j]);
  const std::optional<GramFactor> W = gram_factor(
      G, (gamma(2 * d + 12) * trace_W + (Upper(4) + x2) * underflow(8 * d * m)).value());
  if (!W) return std::nullopt;
  t = 0;
  for (const Row& r : z.rows) {
    const Matrix<double>& L = factors[t++];
    for (std::size_t s = 0; s < r.count; ++s)
      for (std::size_t i = 0; i <= s; ++i)
        for (std::size_t j = 0; j <= r.first + s; ++j)
          M(r.first + i, j) += L(s, i) * W->L(r.first + s, j);
  }
  Matrix<double> K(m, m);
  for (std::size_t s = 0; s < m; ++s)
    for (std::size_t i = 0; i <= s; ++i) {
      const double w = W->L(s, i) * z.f[s];
      for (std::size_t j = 0; j <= i; ++j) K(i, j) += w * W->L(s, j);
    }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < i; ++j) K(j, i) = K(i, j);
  const Upper size_W2 = square(detail::norm_bound(W->L.data(), m * m)), excess_W(W->excess);
  const Upper rounding =
      gamma(m + 8) * (sqrt(size_U2 * size_W2) + f * size_W2) + underflow(4 * m * m);
  if (!rounding.is_finite()) return std::nullopt;
  const PointSaddle a({{std::move(M), std::move(K)}}, Matrix<double>(), rounding.value());
  const Upper b = sqrt(size_U * excess_W) + sqrt(trace_W * excess_U) + f * sqrt(trace_W * excess_W);
  const Upper c = sqrt(excess_U * excess_W) + f * excess_W;
  return norm_between(ends_of(a), square(b), c, hessian_error(z));
}

// From the moments of the rows.
std::optional<DoubleBall> moment_norm(const Compressed& z) {
  const std::size_t T = z.x.rows(), d = z.Y.cols(), d2 = d * d;
  std::vector<double> C, K;
  C.reserve(T * d2);
  K.reserve(T * d2);
  Upper rounding;
  const auto append = [&](std::vector<double>& all, const Matrix<double>& m) {
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) all.push_back(i >= j ? m(i, j) : m(j, i));
  };
  for (const Row& r : z.rows) {
    append(C, weighted_product(z.Y, nullptr, z.Y, r.first, r.count));
    append(K, weighted_product(z.Y, z.f.data(), z.Y, r.first, r.count));
    rounding = rounding + gamma(r.count + 4) * (r.x * r.size_C() + square(r.x) * r.size_K()) +
               (Upper(1) + square(r.x)) * underflow(4 * (r.count + 1) * d2);
  }
  const detail::MomentSaddle a(T, d, {z.x.data(), z.x.data() + T * d}, std::move(C), std::move(K));
  const std::optional<DoubleRange> norm = a.norm();
  const Upper error = rounding + hessian_error(z);
  if (!norm || !error.is_finite()) return std::nullopt;
  const double lower = detail::round_down(norm->lower - error.value());
  return DoubleBall::between(lower > 0 ? lower : 0.0, (Upper(norm->upper) + error).value());
}

// In the coordinates of the weights.
DoubleBall full_norm(const Compressed& z) {
  const std::size_t T = z.x.rows(), d = z.Y.cols(), d2 = d * d;
  Matrix<double> M(T * d, d2), K(d2, d2);
  Upper rounding;
  for (std::size_t t = 0; t < T; ++t) {
    const Row& r = z.rows[t];
    const double* x = z.x.row(t);
    const Matrix<double> C = weighted_product(z.Y, nullptr, z.Y, r.first, r.count),
                         third = weighted_product(z.Y, z.f.data(), z.Y, r.first, r.count);
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b)
        for (std::size_t e = 0; e < d; ++e) M(t * d + a, b * d + e) = x[b] * C(a, e);
    for (std::size_t b = 0; b < d; ++b)
      for (std::size_t e = 0; e <= b; ++e) {
        const double w = x[b] * x[e];
        for (std::size_t c = 0; c < d; ++c)
          for (std::size_t g = 0; g < d; ++g) K(b * d + c, e * d + g) += w * third(c, g);
      }
    const Upper each = gamma(r.count + T + 12);
    rounding = rounding + each * (r.x * r.size_C() + square(r.x) * r.size_K());
  }
  for (std::size_t i = 0; i < d2; ++i)
    for (std::size_t j = 0; j < i; ++j) K(j, i) = K(i, j);
  rounding = Upper(2) * rounding + underflow(4 * T * d2 * d2);
  if (!rounding.is_finite()) return DoubleBall::unknown();
  const PointSaddle a({{std::move(M), std::move(K)}}, Matrix<double>(), rounding.value());
  return norm_between(ends_of(a), Upper(), Upper(), hessian_error(z));
}

}  // namespace

HeadNorms head_norms(const Matrix<DoubleBall>& X, const Matrix<DoubleBall>& U,
                     const HeadState<DoubleBall>& state) {
  const std::size_t T = X.rows(), d = X.cols();
  HeadNorms norms{std::vector<DoubleBall>(T, DoubleBall::unknown()),
                  std::vector<DoubleBall>(T, DoubleBall::unknown()), DoubleBall::unknown()};
  const Compressed z = compress(X, U, state);
  if (!z.finite) return norms;
  if (z.f.empty()) return {std::vector<DoubleBall>(T), std::vector<DoubleBall>(T), DoubleBall()};
  for (std::size_t t = 0; t < T; ++t) {
    const auto [c, k] = row_norms(z, z.rows[t]);
    norms.c[t] = ldexp(c, 2 * z.exponent);
    norms.k[t] = ldexp(k, 2 * z.exponent);
  }
  std::optional<DoubleBall> norm;
  if (4 * z.f.size() <= 3 * d * d) norm = compressed_norm(z);
  if (!norm) norm = moment_norm(z);
  norms.hessian = ldexp(norm ? *norm : full_norm(z), 2 * z.exponent);
  return norms;
}

}  // namespace heed
