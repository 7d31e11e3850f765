// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "checks/support/numbers.hpp"
#include "checks/support/query_instances.hpp"

namespace heed::checks {
namespace {

using RationalMatrix = Matrix<Rational>;
constexpr std::size_t none = static_cast<std::size_t>(-1);

RationalMatrix without(const RationalMatrix& m, std::size_t row, std::size_t col) {
  RationalMatrix r(m.rows() - (row < m.rows() ? 1 : 0), m.cols() - (col < m.cols() ? 1 : 0));
  std::size_t k = 0;
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j)
      if (i != row && j != col) r.data()[k++] = m(i, j);
  return r;
}

template <class T>
void erase_at(std::vector<T>& v, std::size_t k) {
  v.erase(v.begin() + static_cast<std::ptrdiff_t>(k));
}

// Every list of numbers of the instance.
std::vector<std::vector<Rational>*> tensors(QueryInstance& q) {
  QueryPoint& p = q.points.front();
  std::vector<std::vector<Rational>*> all{&p.weights.W.entries(), &p.direction->entries(), &*q.v};
  if (auto* relu = std::get_if<ReluHead>(&p.head)) {
    all.push_back(&relu->V.entries());
    all.push_back(&relu->w);
  }
  if (!q.self) all.push_back(&q.Z.entries());
  for (RationalMatrix& x : q.X) all.push_back(&x.entries());
  return all;
}

// After a change: queries of self-attention follow their tokens, W its factors no more.
QueryInstance settled(QueryInstance q) {
  q.points.front().weights.K.reset();
  q.points.front().weights.Q.reset();
  for (std::size_t i = 0; q.self && i < q.X.size(); ++i)
    for (std::size_t c = 0; c < q.dim(); ++c) q.Z(i, c) = q.X[i](0, c);
  return q;
}

long complexity(const std::vector<Rational>& v) {
  long sum = 0;
  for (const Rational& x : v) sum += checks::complexity(x);
  return sum;
}

void add_smaller_shapes(const QueryInstance& q, std::vector<QueryInstance>& all) {
  const auto add = [&](const std::function<void(QueryInstance&)>& change) {
    QueryInstance s = q;
    change(s);
    all.push_back(settled(std::move(s)));
  };
  for (std::size_t i = 0; i < q.X.size() && q.X.size() > 1; ++i)
    add([i](QueryInstance& s) {
      erase_at(s.X, i);
      erase_at(s.y, i);
      erase_at(s.selected, i);
      s.Z = without(s.Z, i, none);
    });
  for (std::size_t i = 0; i < q.X.size(); ++i)
    for (std::size_t t = 0; t < q.X[i].rows() && q.X[i].rows() > 1; ++t)
      add([i, t](QueryInstance& s) {
        s.X[i] = without(s.X[i], t, none);
        std::size_t& chosen = s.selected[i].front();
        if (chosen > t || chosen == s.X[i].rows()) --chosen;
      });
  for (std::size_t c = 0; c < q.dim() && q.dim() > 1; ++c)
    add([c](QueryInstance& s) {
      QueryPoint& p = s.points.front();
      for (RationalMatrix& x : s.X) x = without(x, none, c);
      s.Z = without(s.Z, none, c);
      erase_at(*s.v, c);
      p.weights.W = without(p.weights.W, c, c);
      p.direction = without(*p.direction, c, c);
      if (auto* relu = std::get_if<ReluHead>(&p.head)) relu->V = without(relu->V, none, c);
    });
}

}  // namespace

std::vector<QueryInstance> simpler_instances(const QueryInstance& q) {
  std::vector<QueryInstance> all;
  add_smaller_shapes(q, all);
  QueryInstance copy = q;
  const std::vector<std::vector<Rational>*> originals = tensors(copy);
  const auto add = [&](std::size_t k, const std::function<Rational(const Rational&)>& f) {
    QueryInstance s = q;
    std::vector<Rational>& v = *tensors(s)[k];
    std::transform(v.begin(), v.end(), v.begin(), f);
    if (complexity(v) < complexity(*originals[k])) all.push_back(settled(std::move(s)));
  };
  for (std::size_t k = 0; k < originals.size(); ++k) {
    add(k, [](const Rational&) { return Rational(0); });
    for (const int bits : {1, 3, 8, 24, 53})
      add(k, [bits](const Rational& x) { return round_to_bits(x, bits); });
  }
  if (!std::holds_alternative<LinearHead>(q.points.front().head)) {
    all.push_back(q);
    all.back().points.front().head = LinearHead{};
  }
  for (std::size_t k = 0; k < originals.size(); ++k)
    for (std::size_t e = 0; e < originals[k]->size(); ++e)
      for (const Rational& x : simpler_numbers((*originals[k])[e])) {
        QueryInstance s = q;
        (*tensors(s)[k])[e] = x;
        all.push_back(settled(std::move(s)));
      }
  return all;
}

}  // namespace heed::checks
