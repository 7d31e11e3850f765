// SPDX-License-Identifier: Apache-2.0
#include "heed/linalg/detail/dense_kernels.hpp"

#include <cmath>

#include "heed/linalg/detail/rounding_bounds.hpp"
#include "unit/numeric/random_input.hpp"

using heed::Rational;
using heed::detail::ConstView;
using heed::detail::dense_kernels;
using heed::detail::dense_kernels_baseline;
using heed::detail::dense_kernels_v3;
using heed::detail::DenseKernels;
using heed::detail::View;
using heed::test::Random;

namespace {

struct Panel {
  std::size_t rows, cols, stride;
  std::vector<double> data;
  Panel(Random& random, std::size_t r, std::size_t c)
      : rows(r),
        cols(c),
        stride(r + static_cast<std::size_t>(random.integer(0, 3))),
        data(stride * c + 1) {
    for (double& x : data) x = random.uniform();
  }
  View view() { return {data.data(), rows, cols, stride}; }
  double at(std::size_t i, std::size_t j) const { return data[i + j * stride]; }
};

// Every operation within gamma_k of the exact result, by rationals.
void check_kernels(const DenseKernels& kernels) {
  Random random(321);
  for (int round = 0; round < 12; ++round) {
    const auto side = [&] { return static_cast<std::size_t>(random.integer(1, 13)); };
    const std::size_t m = side(), n = side(), k = side();
    Panel a(random, m, k), b(random, k, n), bt(random, n, k), at(random, k, m), c(random, m, n);
    const double bound = heed::detail::gamma(k + 4).value() * static_cast<double>(k + 1);
    const auto close = [&](const Panel& got, const Panel& before, const Panel& left, bool left_t,
                           const Panel& right, bool right_t, double alpha, const char* what) {
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          Rational sum(before.at(i, j));
          for (std::size_t q = 0; q < k; ++q)
            sum += Rational(alpha) * Rational(left_t ? left.at(q, i) : left.at(i, q)) *
                   Rational(right_t ? right.at(j, q) : right.at(q, j));
          if (abs(sum - Rational(got.at(i, j))) > Rational(bound)) FAIL(what);
        }
    };
    Panel got = c;
    kernels.add_product(got.view(), -1, a.view(), b.view());
    close(got, c, a, false, b, false, -1, "product");
    got = c;
    kernels.add_product_nt(got.view(), -1, a.view(), bt.view());
    close(got, c, a, false, bt, true, -1, "product with transposed");
    got = c;
    kernels.add_product_tn(got.view(), 1, at.view(), b.view());
    close(got, c, at, true, b, false, 1, "transposed product");

    Panel square(random, m, m), gram = square;
    kernels.add_gram(gram.view(), 1, a.view());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        Rational sum(square.at(i, j));
        for (std::size_t q = 0; q < k && j <= i; ++q)
          sum += Rational(a.at(i, q)) * Rational(a.at(j, q));
        if (abs(sum - Rational(gram.at(i, j))) > Rational(bound)) FAIL("gram");
      }

    std::vector<double> x(k), y(m), z(k), w(m);
    for (double& v : x) v = random.uniform();
    for (double& v : w) v = random.uniform();
    kernels.add_matrix_vector(y.data(), a.view(), x.data());
    kernels.add_transposed_matrix_vector(z.data(), a.view(), w.data());
    for (std::size_t i = 0; i < m; ++i) {
      Rational sum(0);
      for (std::size_t q = 0; q < k; ++q) sum += Rational(a.at(i, q)) * Rational(x[q]);
      if (abs(sum - Rational(y[i])) > Rational(bound)) FAIL("matrix vector");
    }
    for (std::size_t q = 0; q < k; ++q) {
      Rational sum(0);
      for (std::size_t i = 0; i < m; ++i) sum += Rational(a.at(i, q)) * Rational(w[i]);
      if (abs(sum - Rational(z[q])) > Rational(heed::detail::gamma(m + 4).value() * 14))
        FAIL("transposed matrix vector");
    }
  }
}

// |L X - B| <= gamma_{n+4} |L||X|, entry by entry.
void check_solves(const DenseKernels& kernels) {
  Random random(322);
  for (const std::size_t n : {1u, 2u, 5u, 9u, 33u}) {
    const std::size_t m = 3;
    Panel l(random, n, n), b(random, n, m), c(random, m, n);
    for (std::size_t k = 0; k < n; ++k) l.data[k * (l.stride + 1)] += 1.5;
    Panel x = b, y = c;
    kernels.solve_lower(l.view(), x.view());
    kernels.solve_lower_transposed_right(l.view(), y.view());
    const Rational gamma(heed::detail::gamma(n + 4).value());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        Rational left(0), left_size(0), right(0), right_size(0);
        for (std::size_t k = 0; k <= i; ++k) {
          const Rational p = Rational(l.at(i, k)) * Rational(x.at(k, j));
          const Rational q = Rational(l.at(i, k)) * Rational(y.at(j, k));
          left += p;
          left_size += abs(p);
          right += q;
          right_size += abs(q);
        }
        if (abs(left - Rational(b.at(i, j))) > gamma * left_size) FAIL("left solve");
        if (abs(right - Rational(c.at(j, i))) > gamma * right_size) FAIL("right solve");
      }
  }
}

}  // namespace

TEST_CASE("Dense kernels, baseline: within the model's bounds of the exact results") {
  check_kernels(dense_kernels_baseline());
  check_solves(dense_kernels_baseline());
}

TEST_CASE("Dense kernels, AVX2: within the model's bounds of the exact results") {
  const DenseKernels* v3 = dense_kernels_v3();
  if (v3 == nullptr) {
    WARN("this processor or this build has no AVX2 kernels");
    return;
  }
  CHECK(&dense_kernels() == v3);
  CHECK(std::string(v3->name) != dense_kernels_baseline().name);
  check_kernels(*v3);
  check_solves(*v3);
}

TEST_CASE("Dense kernels: larger products agree between instruction sets to rounding") {
  const DenseKernels* v3 = dense_kernels_v3();
  if (v3 == nullptr) return;
  Random random(323);
  Panel a(random, 150, 210), b(random, 210, 77), c(random, 150, 77), d = c;
  dense_kernels_baseline().add_product(c.view(), 1, a.view(), b.view());
  v3->add_product(d.view(), 1, a.view(), b.view());
  double difference = 0;
  for (std::size_t k = 0; k < c.data.size(); ++k)
    difference = std::fmax(difference, std::fabs(c.data[k] - d.data[k]));
  CHECK(difference < 1e-12);
}

TEST_CASE("Dense kernels: empty shapes are left alone") {
  double y = 7;
  const View none{&y, 0, 0, 1}, one{&y, 1, 1, 1};
  dense_kernels().add_product(one, 1, {&y, 1, 0, 1}, {&y, 0, 1, 1});
  dense_kernels().add_product_tn(one, 1, {&y, 0, 1, 1}, {&y, 0, 1, 1});
  dense_kernels().add_gram(one, 1, {&y, 1, 0, 1});
  dense_kernels().solve_lower(none, none);
  dense_kernels().add_matrix_vector(&y, {&y, 1, 0, 1}, &y);
  CHECK(y == 7);
}
