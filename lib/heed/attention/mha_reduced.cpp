// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/mha_reduced.hpp"

#include <stdexcept>
#include <utility>

#include "heed/attention/token_span.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {

// Both maps treat one head's (U, W) at a time: T x a and a x a numbers become T x b and b x b.
template <class S, class MapU, class MapW>
std::vector<S> by_head(const std::vector<S>& v, std::size_t heads, std::size_t T, std::size_t a,
                       MapU&& map_u, MapW&& map_w) {
  if (v.size() != heads * (T + a) * a)
    throw std::invalid_argument("expected one number for each parameter");
  std::vector<S> out;
  const auto append = [&](const Matrix<S>& m) {
    out.insert(out.end(), m.entries().begin(), m.entries().end());
  };
  for (std::size_t h = 0; h < heads; ++h) {
    const S* at = v.data() + h * (T + a) * a;
    Matrix<S> u(T, a), w(a, a);
    std::copy_n(at, u.size(), u.data());
    std::copy_n(at + u.size(), w.size(), w.data());
    append(map_u(u));
    append(map_w(w));
  }
  return out;
}

}  // namespace

template <class S>
std::string MhaReduced<S>::note() const {
  if (!reduced()) return {};
  return "tokens have rank " + std::to_string(inputs.dim()) + " of " + std::to_string(dim()) +
         ": dimension reduced exactly";
}

template <class S>
std::vector<S> MhaReduced<S>::restrict(const std::vector<S>& direction) const {
  if (!reduced()) return direction;
  return by_head(
      direction, inputs.heads(), inputs.tokens(), dim(),
      [&](const Matrix<S>& u) { return multiply_transposed(u, basis); },
      [&](const Matrix<S>& w) { return multiply_transposed(multiply(basis, w), basis); });
}

template <class S>
std::vector<S> MhaReduced<S>::lift(const std::vector<S>& gradient) const {
  if (!reduced()) return gradient;
  return by_head(
      gradient, inputs.heads(), inputs.tokens(), inputs.dim(),
      [&](const Matrix<S>& u) { return multiply(u, basis); },
      [&](const Matrix<S>& w) { return multiply(transposed_multiply(basis, w), basis); });
}

MhaReduced<Ball> mha_reduced(const MhaInstance& instance) {
  require_weights(instance);
  const std::optional<Matrix<Ball>> basis = token_basis(instance.X, token_span(instance.X));
  MhaInputs<Ball> full = mha_inputs<Ball>(instance);
  if (!basis) return {std::move(full), {}, {}, {}};
  MhaInputs<Ball> in = full;
  for (Matrix<Ball>& x : in.X) x = multiply_transposed(x, *basis);
  for (Matrix<Ball>& x : in.dX) x = multiply_transposed(x, *basis);
  for (Matrix<Ball>& u : in.U) u = multiply_transposed(u, *basis);
  for (Matrix<Ball>& w : in.W) w = multiply_transposed(multiply(*basis, w), *basis);
  return {std::move(in), *basis, std::move(full.U), std::move(full.W)};
}

MhaReduced<DoubleBall> mha_reduced_in_double(const MhaInstance& instance) {
  const PrecisionScope scope(128);
  const TokenSpan span = token_span(instance.X);
  if (span.rank() == 0 || span.rank() == instance.dim())
    return {mha_inputs<DoubleBall>(instance), {}, {}, {}};
  const MhaReduced<Ball> exact = mha_reduced(instance);
  const auto convert = [](const Ball& x) { return DoubleBall(x); };
  const auto all = [&](const std::vector<Matrix<Ball>>& list) {
    std::vector<Matrix<DoubleBall>> out;
    for (const Matrix<Ball>& m : list) out.push_back(map(m, convert));
    return out;
  };
  const MhaInputs<Ball>& in = exact.inputs;
  return {{in.loss, all(in.X), all(in.dX), in.y, all(in.U), all(in.W), in.first_equal,
           in.first_equal_head},
          map(exact.basis, convert),
          all(exact.U_full),
          all(exact.W_full)};
}

template struct MhaReduced<double>;
template struct MhaReduced<DoubleBall>;
template struct MhaReduced<Ball>;

}  // namespace heed
