// SPDX-License-Identifier: Apache-2.0
// What is known of the theorems of a certificate of kind landscape by other means: values of the loss
// in double.
#include <algorithm>
#include <cmath>

#include "mutant.hpp"

namespace tamper {
namespace {

using Row = std::vector<double>;

Row doubles(const Json& array) {
  Row row;
  for (const mpq_class& x : numbers_of(array)) row.push_back(x.get_d());
  return row;
}

Row product(const Row& a, const Row& b, std::size_t inner) {
  const std::size_t rows = a.size() / inner, cols = b.size() / inner;
  Row c(rows * cols, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t s = 0; s < cols; ++s) c[r * cols + s] += a[r * inner + k] * b[k * cols + s];
    }
  }
  return c;
}

// One head, p = 1, read-out I.
struct Layer {
  std::string kernel;
  std::size_t n, d;
  double beta;
  Row keys, values, targets;  // of all samples

  explicit Layer(const Json& c) : kernel(c.at("kernel")), n(c.at("n")), d(c.at("d")) {
    const std::size_t D = c.at("D");
    const Row X = doubles(c.at("X"));
    beta = doubles(c.at("beta").at("value"))[0];
    if (c.at("beta").at("power") == 2) beta = std::sqrt(beta);
    keys = product(X, doubles(c.at("W_K")), D);
    values = product(product(X, doubles(c.at("W_V")), D), doubles(c.at("W_O")), c.at("d_v"));
    targets = doubles(c.at("Y"));
  }

  // phi - y of token k at its query.
  double residual(std::size_t k, const double* q) const {
    const bool divided = kernel == "softmax" || kernel == "gaussian-normalised";
    Row scores;
    const std::size_t first = k / n * n;
    for (std::size_t b = first; b < first + n; ++b) {
      double z = 0;
      for (std::size_t c = 0; c < d; ++c) {
        const double key = keys[b * d + c];
        z += kernel == "softmax" ? key * q[c] : -(q[c] - key) * (q[c] - key) / 2;
      }
      scores.push_back(beta * z);
    }
    const double top = divided ? *std::max_element(scores.begin(), scores.end()) : 0;
    double sum = 0, phi = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const double s = std::exp(scores[b] - top);
      sum += s;
      phi += s * values[first + b];
    }
    if (kernel == "gaussian/n") phi /= static_cast<double>(n);
    return phi / (divided ? sum : 1) - targets[k];
  }
  double loss(std::size_t k, double q) const {
    const double r = residual(k, &q);
    return r * r / 2;
  }
};

struct List {
  Row lower, upper;
  explicit List(const Json& item)
      : lower(doubles(item.at("lower"))), upper(doubles(item.at("upper"))) {}
  double middle(std::size_t j) const { return (lower[j] + upper[j]) / 2; }
};

// Of token k: whether it has a minimum, and one that is not global.
struct Minima {
  bool some = false, bad = false;
};
Minima minima(const Layer& layer, std::size_t k, const List& list) {
  constexpr double far = 1e4, noise = 1e-9;
  const std::size_t count = list.lower.size();
  double least = std::min(layer.loss(k, -far), layer.loss(k, far));
  for (std::size_t j = 0; j < count; ++j) least = std::min(least, layer.loss(k, list.middle(j)));
  Minima found;
  if (std::abs(layer.loss(k, -far) - layer.loss(k, far)) < noise && count == 0) {
    found.some = std::abs(layer.loss(k, 0.37) - layer.loss(k, far)) < noise;  // constant
  }
  for (std::size_t j = 0; j < count; ++j) {
    const double q = list.middle(j), g = layer.loss(k, q);
    const double left = j == 0 ? q - 1 : (list.middle(j - 1) + q) / 2,
                 right = j + 1 == count ? q + 1 : (list.middle(j + 1) + q) / 2;
    if (layer.loss(k, left) < g || layer.loss(k, right) < g) continue;
    found.some = true;
    found.bad = found.bad || g > least + noise;
  }
  return found;
}

// Whether the second word of b is true, by the list of the good certificate a.
bool is_true_of_minima(const Json& a, const Json& b) {
  if (b.at("claim").size() == 1) return true;
  const Layer layer(a);
  bool all = true, bad = false;
  for (std::size_t k = 0; k < a.at("critical").size(); ++k) {
    const Minima found = minima(layer, k, List(a.at("critical")[k]));
    all = all && found.some;
    bad = bad || found.bad;
  }
  return (b.at("claim")[1] == "bad_minimum") == (all && bad);
}

// Both lists are complete: as many points, and the intervals of each meet.
bool lists_agree(const Json& a, const Json& b) {
  if (a.at("critical").size() != b.at("critical").size()) return false;
  for (std::size_t k = 0; k < a.at("critical").size(); ++k) {
    const Json &x = a.at("critical")[k], &y = b.at("critical")[k];
    const auto xl = numbers_of(x.at("lower")), xu = numbers_of(x.at("upper")),
               yl = numbers_of(y.at("lower")), yu = numbers_of(y.at("upper")),
               range = numbers_of(y.at("range"));
    if (xl.size() != yl.size() || yl.size() != yu.size()) return false;
    for (std::size_t j = 0; j < xl.size(); ++j) {
      if (xu[j] < yl[j] || yu[j] < xl[j] || xu[j] < range[0] || range[1] < xl[j]) return false;
    }
  }
  return true;
}

// Steps that satisfy the hypotheses of overshoot but for rounding.
bool overshoots(const Json& c) {
  constexpr double noise = 1e-9;
  const Layer layer(c);
  const Row q = product(doubles(c.at("X")), doubles(c.at("centre")), c.at("D"));
  const double eta = fraction_of(c.at("eta")).get_d();
  for (std::size_t k = 0; k < layer.targets.size(); ++k) {
    const std::size_t first = k / layer.n * layer.n;
    double total = 0;
    for (std::size_t b = first; b < first + layer.n; ++b) total += std::abs(layer.values[b]);
    if (layer.kernel == "gaussian/n") total /= static_cast<double>(layer.n);
    const double r = layer.residual(k, &q[k * layer.d]);
    const double G2 = layer.beta / std::exp(1.0) * total * total, L2 = layer.beta * total;
    if (!(layer.targets[k] > 0 && r > -noise && eta * (G2 + L2 * r) < 1 + noise)) return false;
  }
  return true;
}

}  // namespace

bool theorems_agree(const Json& a, const Json& b) {
  const std::string word = a.at("claim")[0], other = b.at("claim")[0];
  if (word == "complete_1d" && other == "lojasiewicz") {
    // Between two minima lies a maximum, which is stationary.
    return std::all_of(a.at("critical").begin(), a.at("critical").end(),
                       [](const Json& list) { return list.at("lower").at("num").size() <= 1; });
  }
  if (word != other) return false;
  if (word == "complete_1d") return lists_agree(a, b) && is_true_of_minima(a, b);
  if (word == "overshoot") return overshoots(b);
  if (word == "init" || word == "zero_loss") {
    // Nearer zeros, longer steps or another centre are not what the good one says.
    const mpq_class slack(1, 1000000000);
    const auto at = [](const Json& c, const char* path) { return fraction_of(c.at(Path(path))); };
    // With all blocks negated the layer is the same.
    std::vector<mpq_class> opposite = numbers_of(a.at("centre"));
    for (mpq_class& x : opposite) x = -x;
    const bool here = a.at("centre") == b.at("centre"),
               mirrored = a.at("trained").size() == 4 && array_of(opposite) == b.at("centre");
    return (here || mirrored) && at(b, "/init/R") >= at(a, "/init/R") * (1 - slack) &&
           (word != "init" || at(b, "/eta") <= at(a, "/eta") * (1 + slack));
  }
  if (word == "pl") {
    // The good ones are rounded to 38 bits.
    const mpq_class slack(1, 1000000000);
    return fraction_of(b.at("mu")) <= fraction_of(a.at("mu")) * (1 + slack) &&
           fraction_of(b.at("L")) >= fraction_of(a.at("L")) * (1 - slack);
  }
  return true;
}

}  // namespace tamper
