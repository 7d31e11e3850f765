// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_inputs.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

void require_weights(const MhaInstance& instance) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("instance: ") + what);
  };
  require(instance.weights && !instance.X.empty(), "expected samples and weights");
  const std::size_t n = instance.samples(), T = instance.max_tokens(), d = instance.dim();
  const MhaWeights& w = *instance.weights;
  require(instance.y.size() == n, "expected one label for each sample");
  require(!w.U.empty() && w.U.size() == w.W.size(), "expected U and W for at least one head");
  for (const Matrix<Rational>& x : instance.X)
    require(x.rows() > 0 && d > 0 && x.cols() == d, "expected samples of one dimension d > 0");
  for (std::size_t h = 0; h < w.U.size(); ++h) {
    require(w.U[h].rows() == T && w.U[h].cols() == d, "expected U of shape H x T x d");
    require(w.W[h].rows() == d && w.W[h].cols() == d, "expected W of shape H x d x d");
  }
}

std::vector<std::size_t> first_equal_samples(const std::vector<Matrix<Rational>>& X) {
  const auto before = [](const Matrix<Rational>* a, const Matrix<Rational>* b) {
    if (a->rows() != b->rows()) return a->rows() < b->rows();
    return std::lexicographical_compare(a->entries().begin(), a->entries().end(),
                                        b->entries().begin(), b->entries().end());
  };
  std::map<const Matrix<Rational>*, std::size_t, decltype(before)> seen(before);
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < X.size(); ++i)
    first.push_back(seen.try_emplace(&X[i], i).first->second);
  return first;
}

std::vector<std::size_t> first_equal_heads(const MhaWeights& weights) {
  const std::vector<std::size_t> u = first_equal_samples(weights.U),
                                 w = first_equal_samples(weights.W);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> seen;
  std::vector<std::size_t> first;
  for (std::size_t h = 0; h < u.size(); ++h)
    first.push_back(seen.try_emplace({u[h], w[h]}, h).first->second);
  return first;
}

namespace {

void require_shape(const std::vector<Matrix<double>>& list, std::size_t rows, std::size_t cols,
                   const std::string& who, const char* what) {
  for (const Matrix<double>& m : list)
    if (m.rows() != rows || m.cols() != cols)
      throw std::invalid_argument(who + ": a matrix of " + what +
                                  " has another shape than the first");
}

}  // namespace

void require_shapes(const MhaInputs<double>& in, const std::string& who) {
  if (in.X.empty() || in.U.empty() || in.y.size() != in.X.size() || in.dX.size() != in.X.size() ||
      in.W.size() != in.U.size())
    throw std::invalid_argument(who + ": X, dX, y or U, W differ in number, or are empty");
  require_shape(in.U, in.tokens(), in.dim(), who, "U");
  require_shape(in.W, in.dim(), in.dim(), who, "W");
  for (std::size_t i = 0; i < in.X.size(); ++i) {
    const std::size_t t = in.X[i].rows();
    if (t == 0 || t > in.tokens() || in.X[i].cols() != in.dim() || in.dX[i].rows() != t * t ||
        in.dX[i].cols() != in.dim())
      throw std::invalid_argument(who + ": shape of X or dX of sample " + std::to_string(i));
  }
}

}  // namespace heed
