// SPDX-License-Identifier: Apache-2.0
#include "checks/support/query_plain.hpp"

namespace heed::checks {
namespace {

Ball loss_at(QueryLoss loss, const Ball& u) {
  if (loss == QueryLoss::correlation) return -u;
  return loss == QueryLoss::exponential ? exp(-u) : log(Ball(1) + exp(-u));
}

Ball slope_at(QueryLoss loss, const Ball& u) {
  if (loss == QueryLoss::correlation) return Ball(1);
  return loss == QueryLoss::exponential ? exp(-u) : Ball(1) / (Ball(1) + exp(u));
}

}  // namespace

QueryPlain::QueryPlain(const QueryInstance& instance) {
  const QueryTextbook book(instance);
  const QueryLoss loss = instance.points.front().loss;
  const auto gamma = scores(instance);
  gradient = book.gradient;
  Ball squares;
  for (const Ball& g : gradient.entries()) squares += g * g;
  gradient_norm = sqrt_nonnegative(squares);
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    std::size_t best = 0;
    for (std::size_t t = 1; t < gamma[i].size(); ++t)
      if (gamma[i][best] < gamma[i][t]) best = t;
    Ball mean;
    Rational least = gamma[i][best], next = gamma[i][best] - Rational(1);
    bool first = true;
    for (std::size_t t = 0; t < gamma[i].size(); ++t) {
      mean += book.attention[i][t] * Ball(gamma[i][t]);
      if (gamma[i][t] < least) least = gamma[i][t];
      if (t != best && (first || next < gamma[i][t])) {
        next = gamma[i][t];
        first = false;
      }
    }
    const Ball top(gamma[i][best]);
    opt.push_back(best);
    own.push_back(book.attention[i][best]);
    q.push_back(Ball(1) - own.back());
    drop.push_back(top - mean);
    excess.push_back(loss_at(loss, mean) - loss_at(loss, top));
    slope.push_back(slope_at(loss, mean));
    c1.push_back(slope_at(loss, top));
    M1.push_back(slope_at(loss, Ball(least)));
    delta.push_back(top - Ball(next));
    range.push_back(top - Ball(least));
    mean_excess += excess.back() / Ball(static_cast<int>(gamma.size()));
  }
}

}  // namespace heed::checks
