// SPDX-License-Identifier: Apache-2.0
// The passes of FastKernel over the samples: forward, backward, and both along a direction.
#include "heed/attention/detail/layer_workspace.hpp"

namespace heed::approx::detail {
namespace {

using Size = LayerWorkspace::Size;

// out(c, a) = in(a, c): a < rows, c < cols.
void transpose(Size rows, Size cols, ConstRows in, Rows out) {
  for (Size c = 0; c < cols; ++c)
    for (Size a = 0; a < rows; ++a) out.data[c * out.step + a] = in.data[a * in.step + c];
}

}  // namespace

AttentionRows LayerWorkspace::rows(LayerHead& head, Size i) {
  return {n, n, change_.step(), normalised, head.reference.data() + i * n, mask.data()};
}

void LayerWorkspace::attend(LayerHead& h, Size i) {
  const ProductShape scores{n, d, h.A.step()};
  const Rows A = h.A.from(i * n);
  const ConstRows keys = h.keys_t.from(i * d);
  if (distances)
    kernels.paired_differences(scores, -1, h.projected.from(i * n), keys, h.projected.from(i * n),
                               keys, A);
  else
    kernels.product(scores, h.projected.matrix(i * n), keys, A, false);
  const double scale =
      kernel == AttentionKernel::gaussian_over_n ? 1 / static_cast<double>(n) : 1.0;
  underflow = kernels.attend(rows(h, i), distances ? beta / 2 : 1, scale, A.data) || underflow;
}

void LayerWorkspace::forward(Size i) {
  bool add = false;
  for (LayerHead& h : heads) {
    kernels.product({n, D, columns}, X.matrix(i * n), h.weights.W.from(), h.projected.from(i * n),
                    false);
    transpose(n, d, h.projected.from(i * n, key_column), h.keys_t.from(i * d));
    transpose(n, v, h.projected.from(i * n, value_column), h.values_t.from(i * v));
    attend(h, i);
    kernels.product({n, n, padded(v)}, h.A.matrix(i * n), h.projected.from(i * n, value_column),
                    h.T.from(i * n), false);
    kernels.product({n, v, padded(p)}, h.T.matrix(i * n), h.weights.O.from(), sum_.from(), add);
    add = true;
  }
  kernels.product({m, n, padded(p)}, U.matrix(), sum_.from(), R.from(i * m), false);
  for (Size r = i * m; r < (i + 1) * m; ++r)
    for (Size c = 0; c < p; ++c) {
      double& residual = R.row(r)[c];
      residual -= Y.row(r)[c];
      loss += residual * residual;
    }
  kernels.product({n, m, padded(p)}, U.transposed(), R.from(i * m), G.from(i * n), false);
}

void LayerWorkspace::pull(const double* psi, ConstRows Q) {
  const ProductShape shape{n, n, padded(d)};
  const Size step = change_.step();
  const Strided by_queries{psi, step, 1}, by_keys{psi, 1, step};
  const ConstRows K{Q.data + key_column, Q.step};
  const Rows to_queries = pulled_.from(), to_keys = pulled_.from(0, key_column);
  if (normalised)
    kernels.product(shape, by_queries, K, to_queries, true);
  else
    kernels.product_of_differences(shape, by_queries, K, Q, to_queries);
  if (distances)
    kernels.product_of_differences(shape, by_keys, Q, K, to_keys);
  else
    kernels.product(shape, by_keys, Q, to_keys, true);
}

void LayerWorkspace::backward(LayerHead& h, Size i) {
  const Rows Go = h.Go.from(i * n);
  kernels.product({n, p, padded(v)}, G.matrix(i * n), h.weights.OT.from(), Go, false);
  if (values_trained)
    kernels.product({n, n, padded(v)}, h.A.transposed(i * n), Go, pulled_.from(0, value_column),
                    false);
  if (scores_trained) scores_backward(h, i);
  add_sums(h, i);
}

void LayerWorkspace::scores_backward(LayerHead& h, Size i) {
  kernels.product({n, v, h.A.step()}, h.Go.matrix(i * n), h.values_t.from(i * v),
                  h.slope.from(i * n), false);
  kernels.change_of_attention(rows(h, i), h.A.row(i * n), h.slope.row(i * n), h.Psi.row(i * n));
  clear_pulled();
  pull(h.Psi.row(i * n), h.projected.from(i * n));
}

// The slopes by the projections of one sample, brought back to the weights.
void LayerWorkspace::add_sums(LayerHead& h, Size i) {
  const Size first = scores_trained ? 0 : value_column,
             last = values_trained ? columns : value_column;
  kernels.product({D, n, last - first}, X.transposed(i * n), pulled_.from(0, first),
                  h.W_sum.from(0, first), true);
}

void LayerWorkspace::clear_pulled() {
  for (Size a = 0; a < n; ++a) std::fill_n(pulled_.row(a), value_column, 0.0);
}

void LayerWorkspace::evaluate() {
  pack(theta, &LayerHead::weights);
  clear_sums();
  loss = 0;
  underflow = false;
  for (Size i = 0; i < N; ++i) {
    forward(i);
    for (LayerHead& h : heads) {
      backward(h, i);
      kernels.product({v, n, padded(p)}, h.T.transposed(i * n), G.from(i * n), h.O_sum.from(),
                      true);
    }
  }
  loss /= 2;
  unpack(gradient);
}

void LayerWorkspace::tangent(Size i) {
  bool add = false;
  for (LayerHead& h : heads) {
    const ProductShape scores{n, d, change_.step()};
    const ConstRows keys = h.keys_t.from(i * d);
    kernels.product({n, D, columns}, X.matrix(i * n), h.direction.W.from(), h.moved.from(), false);
    transpose(n, d, h.moved.from(0, key_column), moved_t_.from());
    if (distances) {
      kernels.paired_differences(scores, -beta, h.projected.from(i * n), keys, h.moved.from(),
                                 moved_t_.from(), change_.from());
    } else {
      kernels.product(scores, h.moved.matrix(), keys, change_.from(), false);
      kernels.product(scores, h.projected.matrix(i * n), moved_t_.from(), change_.from(), true);
    }
    kernels.change_of_attention(rows(h, i), h.A.row(i * n), change_.row(0), h.dA.row(0));
    const ProductShape values{n, n, padded(v)}, outputs{n, v, padded(p)};
    const Rows dT = h.dT.from();
    kernels.product(values, h.dA.matrix(), h.projected.from(i * n, value_column), dT, false);
    kernels.product(values, h.A.matrix(i * n), h.moved.from(0, value_column), dT, true);
    kernels.product(outputs, h.dT.matrix(), h.weights.O.from(), sum_.from(), add);
    kernels.product(outputs, h.T.matrix(i * n), h.direction.O.from(), sum_.from(), true);
    add = true;
  }
  kernels.product({m, n, padded(p)}, U.matrix(), sum_.from(), dR_.from(), false);
  kernels.product({n, m, padded(p)}, U.transposed(), dR_.from(), dG.from(), false);
}

void LayerWorkspace::tangent_backward(LayerHead& h, Size i) {
  const ProductShape slopes{n, p, padded(v)}, values{n, n, padded(v)};
  kernels.product(slopes, dG.matrix(), h.weights.OT.from(), dGo_.from(), false);
  kernels.product(slopes, G.matrix(i * n), h.direction.OT.from(), dGo_.from(), true);
  if (values_trained) {
    const Rows to_values = pulled_.from(0, value_column);
    kernels.product(values, h.dA.transposed(), h.Go.from(i * n), to_values, false);
    kernels.product(values, h.A.transposed(i * n), dGo_.from(), to_values, true);
  }
  if (scores_trained) scores_tangent_backward(h, i);
  add_sums(h, i);
}

void LayerWorkspace::scores_tangent_backward(LayerHead& h, Size i) {
  const ProductShape scores{n, v, change_.step()};
  transpose(n, v, h.moved.from(0, value_column), moved_t_.from());
  kernels.product(scores, dGo_.matrix(), h.values_t.from(i * v), change_.from(), false);
  kernels.product(scores, h.Go.matrix(i * n), moved_t_.from(), change_.from(), true);
  kernels.second_change(rows(h, i), h.A.row(i * n), h.slope.row(i * n), h.dA.row(0), change_.row(0),
                        second_.row(0));
  clear_pulled();
  pull(second_.row(0), h.projected.from(i * n));
  pull(h.Psi.row(i * n), h.moved.from());
}

void LayerWorkspace::product(std::span<const double> direction, std::span<double> out) {
  pack(direction, &LayerHead::direction);
  clear_sums();
  for (Size i = 0; i < N; ++i) {
    tangent(i);
    for (LayerHead& h : heads) {
      tangent_backward(h, i);
      const ProductShape outputs{v, n, padded(p)};
      kernels.product(outputs, h.T.transposed(i * n), dG.from(), h.O_sum.from(), true);
      kernels.product(outputs, h.dT.transposed(), G.from(i * n), h.O_sum.from(), true);
    }
  }
  unpack(out);
}

}  // namespace heed::approx::detail
