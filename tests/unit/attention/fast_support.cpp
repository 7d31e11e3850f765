// SPDX-License-Identifier: Apache-2.0
#include "unit/attention/fast_support.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace heed::test {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  std::size_t between(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(engine_);
  }
  bool coin() { return between(0, 1) == 1; }
  double power_of_ten(double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution<double>(low, high)(engine_));
  }
  Matrix<double> matrix(std::size_t rows, std::size_t cols, double sd) {
    Matrix<double> m(rows, cols);
    for (double& x : m.entries()) x = sd * normal();
    return m;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

void harden(Hard kind, Matrix<double>& x, Draw& draw) {
  const std::size_t T = x.rows(), d = x.cols();
  for (std::size_t s = 0; s < T; ++s) {
    const std::size_t other = s == 0 ? 0 : draw.between(0, s - 1);
    const bool chosen = draw.coin();
    for (std::size_t c = 0; c < d; ++c) {
      double& entry = x(s, c);
      if (kind == Hard::near) entry = x(0, c) * (1 + (s == 0 ? 0 : 1e-7 * draw.normal()));
      if (kind == Hard::near_saturated && s > 0 && chosen)
        entry = x(other, c) + 1e-7 * draw.normal();
      if (kind == Hard::duplicates && s > 0 && chosen) entry = x(other, c);
      if (kind == Hard::ties) entry = static_cast<double>(draw.between(0, 2)) - 1;
      if (kind == Hard::zeros && chosen) entry = 0;
      if (kind == Hard::one_hot) entry = c == s % d ? 1 : 0;
    }
  }
}

Matrix<Rational> exact(const Matrix<double>& m) {
  return map(m, [](double x) { return Rational(x); });
}

std::uint64_t seed_of(Hard kind, std::uint64_t seed) {
  return 1000 * static_cast<std::uint64_t>(kind) + seed;
}

MhaInstance drawn_instance(Hard kind, std::uint64_t seed, const Shape& shape, Draw& draw) {
  const auto [n, T, d, H] = shape;
  const bool large =
      kind == Hard::saturated || kind == Hard::near_saturated || kind == Hard::one_hot;
  double token = 1, u = 1, w = large ? draw.power_of_ten(0, 2.2) : 1;
  if (kind == Hard::norms) {
    token = draw.power_of_ten(-60, 60);
    u = draw.power_of_ten(-2, 2) / token;
    w = draw.power_of_ten(-1, 1) / (token * token);
  }
  MhaInstance instance;
  instance.loss = seed % 4 == 0 ? Loss::exponential : Loss::logistic;
  for (std::size_t i = 0; i < n; ++i) {
    Matrix<double> x = draw.matrix(i == 0 || draw.coin() ? T : draw.between(1, T), d, token);
    harden(kind, x, draw);
    instance.X.push_back(exact(x));
    instance.y.push_back(draw.coin() ? 1 : -1);
  }
  instance.weights.emplace();
  for (std::size_t h = 0; h < H; ++h) {
    instance.weights->U.push_back(exact(draw.matrix(T, d, u)));
    instance.weights->W.push_back(exact(draw.matrix(d, d, w)));
  }
  return instance;
}

double value(const Ball& b) { return approx::to_double(b); }

// sum_r a_r |x_s - x_r| in row (i, h, t), by coordinate.
std::vector<double> distance(const MhaModel<Ball>& model, std::size_t i, std::size_t h,
                             std::size_t t, std::size_t s) {
  const MhaInputs<Ball>& in = model.inputs();
  std::vector<double> sum(in.dim(), 0.0);
  for (std::size_t r = 0; r < in.X[i].rows(); ++r)
    for (std::size_t c = 0; c < sum.size(); ++c)
      sum[c] += value(model.head(i, h).A(t, r)) * std::fabs(value(in.difference(i, s, r)[c]));
  return sum;
}

}  // namespace

std::vector<std::string> mha_fixtures() {
  std::vector<std::string> files;
  const std::filesystem::path folder = std::string(HEED_TEST_DATA) + "/fixtures";
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("mha_", 0) == 0 && name != "mha_trajectory.json")
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

MhaInstance rounded_to_double(MhaInstance instance) {
  const auto round = [](const Rational& q) { return Rational(q.nearest_double()); };
  for (Matrix<Rational>& x : instance.X) x = map(x, round);
  for (Matrix<Rational>& u : instance.weights->U) u = map(u, round);
  for (Matrix<Rational>& w : instance.weights->W) w = map(w, round);
  return instance;
}

MhaInstance random_instance(Hard kind, std::uint64_t seed) {
  Draw draw(seed_of(kind, seed));
  const std::size_t n = seed % 7 == 1 ? 1 : draw.between(2, 5);
  const std::size_t T = seed % 7 == 2 ? 1 : draw.between(2, 6);
  const std::size_t d = seed % 7 == 3 ? 1 : draw.between(2, 6);
  const std::size_t H = seed % 7 == 4 ? 1 : draw.between(2, 4);
  return drawn_instance(kind, seed, {n, T, d, H}, draw);
}

MhaInstance random_instance(Hard kind, std::uint64_t seed, const Shape& shape) {
  Draw draw(seed_of(kind, seed));
  return drawn_instance(kind, seed, shape, draw);
}

std::vector<double> random_vector(std::size_t size, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<double> v(size);
  for (double& x : v) x = draw.normal();
  return v;
}

std::vector<double> gradient_magnitudes(const MhaModel<Ball>& model) {
  const MhaInputs<Ball>& in = model.inputs();
  const std::size_t d = in.dim(), block = in.head_parameters();
  std::vector<double> sum(in.parameters(), 0.0);
  for (std::size_t i = 0; i < in.samples(); ++i) {
    const double weight =
        value(model.loss_terms()[i].slope) /
        (static_cast<double>(in.samples()) * std::sqrt(static_cast<double>(in.heads())));
    const std::size_t T = in.X[i].rows();
    for (std::size_t h = 0; h < in.heads(); ++h)
      for (std::size_t t = 0; t < T; ++t) {
        double* out = sum.data() + h * block;
        std::vector<double> row(d, 0.0);
        for (std::size_t s = 0; s < T; ++s) {
          const double a = value(model.head(i, h).A(t, s));
          const std::vector<double> y = distance(model, i, h, t, s);
          double v = 0;
          for (std::size_t c = 0; c < d; ++c) v += std::fabs(value(in.U[h](t, c))) * y[c];
          for (std::size_t c = 0; c < d; ++c) {
            row[c] += a * v * y[c];
            out[t * d + c] += weight * a * std::fabs(value(in.X[i](s, c)));
          }
        }
        for (std::size_t b = 0; b < d; ++b)
          for (std::size_t c = 0; c < d; ++c)
            out[(in.tokens() + b) * d + c] += weight * std::fabs(value(in.X[i](t, b))) * row[c];
      }
  }
  return sum;
}

double exponent_magnitude(const MhaModel<Ball>& model) {
  const MhaInputs<Ball>& in = model.inputs();
  const std::size_t d = in.dim();
  double largest = 0;
  for (std::size_t i = 0; i < in.samples(); ++i) {
    const std::size_t T = in.X[i].rows();
    double phi = 0;
    for (std::size_t h = 0; h < in.heads(); ++h)
      for (std::size_t t = 0; t < T; ++t) {
        std::vector<double> q(d, 0.0);
        for (std::size_t b = 0; b < d; ++b)
          for (std::size_t c = 0; c < d; ++c)
            q[c] += std::fabs(value(in.X[i](t, b)) * value(in.W[h](b, c)));
        for (std::size_t s = 0; s < T; ++s) {
          double gap = 0;
          const double a = value(model.head(i, h).A(t, s));
          const std::vector<double> y = distance(model, i, h, t, s);
          for (std::size_t c = 0; c < d; ++c) {
            phi += a * std::fabs(value(in.U[h](t, c)) * value(in.X[i](s, c)));
            // Tokens of little attention matter little, whatever their gap.
            if (a > 1e-30) gap += q[c] * y[c];
          }
          largest = std::max(largest, gap);
        }
      }
    largest = std::max(largest, phi / std::sqrt(static_cast<double>(in.heads())));
  }
  return largest;
}

}  // namespace heed::test
