// SPDX-License-Identifier: Apache-2.0
#include "landscape_queries.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

RationalMatrix weights_of(const Layer& layer, Block block, std::size_t h) {
  RationalMatrix w(layer.rows(block), layer.cols(block));
  for (std::size_t r = 0; r < w.rows; ++r) {
    for (std::size_t c = 0; c < w.cols; ++c) w.at(r, c) = layer.weight(block, h, r, c);
  }
  return w;
}

}  // namespace

RationalMatrix tokens_of(const Layer& layer, std::size_t i) {
  RationalMatrix X(layer.n, layer.D);
  std::copy_n(layer.X.begin() + static_cast<std::ptrdiff_t>(i * X.entries.size()), X.entries.size(),
              X.entries.begin());
  return X;
}

RationalMatrix projected(const Layer& layer, Block block, std::size_t i, std::size_t h) {
  return product(tokens_of(layer, i), weights_of(layer, block, h));
}

RationalMatrix values_of(const Layer& layer, std::size_t i, std::size_t h) {
  return product(projected(layer, W_V, i, h), weights_of(layer, W_O, h));
}

RationalMatrix queries_at(const Layer& layer, const Rationals& theta) {
  RationalMatrix w(layer.D, layer.d);
  w.entries = theta;
  return product(stacked_tokens(layer), w);
}

RationalMatrix stacked_tokens(const Layer& layer) {
  RationalMatrix X(layer.N * layer.n, layer.D);
  X.entries = layer.X;
  return X;
}

RationalMatrix centred(RationalMatrix a) {
  for (std::size_t r = a.rows; r-- > 0;) {
    for (std::size_t c = 0; c < a.cols; ++c) a.at(r, c) -= a.at(0, c);
  }
  return a;
}

void require_query_only(const Layer& layer, const std::string& claim) {
  require_proof(layer.trained[W_Q] && layer.coordinates() == layer.H * layer.D * layer.d,
                claim + ": W_Q alone must be trained");
  bool identity = layer.m == layer.n;
  for (std::size_t k = 0; identity && k < layer.U.size(); ++k) {
    identity = layer.U[k] == (k % (layer.n + 1) == 0 ? 1 : 0);
  }
  require_proof(identity, claim + ": the read-out is not the identity");
}

void require_separate_tokens(const Layer& layer, const std::string& claim) {
  require_query_only(layer, claim);
  require_proof(row_basis(stacked_tokens(layer)).rows == layer.N * layer.n,
                claim + ": the tokens are linearly dependent");
}

}  // namespace heedcheck
