// SPDX-License-Identifier: Apache-2.0
#include "checks/support/shrink.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "checks/support/numbers.hpp"

namespace heed::checks {
namespace {

using RationalMatrix = Matrix<Rational>;

RationalMatrix without(const RationalMatrix& m, std::size_t row, std::size_t col) {
  RationalMatrix r(m.rows() - (row < m.rows() ? 1 : 0), m.cols() - (col < m.cols() ? 1 : 0));
  std::size_t k = 0;
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.cols(); ++j)
      if (i != row && j != col) r.data()[k++] = m(i, j);
  return r;
}

constexpr std::size_t none = static_cast<std::size_t>(-1);

template <class T>
void erase_at(std::vector<T>& v, std::size_t k) {
  v.erase(v.begin() + static_cast<std::ptrdiff_t>(k));
}

// U has max T_i rows: rows that no sample uses any more are dropped.
void fit_read_out(MhaInstance& m) {
  for (RationalMatrix& u : m.weights->U)
    while (u.rows() > m.max_tokens()) u = without(u, u.rows() - 1, none);
}

std::vector<RationalMatrix*> tensors(MhaInstance& m) {
  std::vector<RationalMatrix*> all;
  for (auto* group : {&m.weights->W, &m.weights->U, &m.X})
    for (RationalMatrix& t : *group) all.push_back(&t);
  return all;
}

long complexity(const RationalMatrix& m) {
  long sum = 0;
  for (const Rational& x : m.entries()) sum += checks::complexity(x);
  return sum;
}

void add_smaller_shapes(const MhaInstance& m, std::vector<MhaInstance>& all) {
  const auto add = [&](const std::function<void(MhaInstance&)>& change) {
    all.push_back(m);
    change(all.back());
    fit_read_out(all.back());
  };
  for (std::size_t i = 0; i < m.samples() && m.samples() > 1; ++i)
    add([i](MhaInstance& s) {
      erase_at(s.X, i);
      erase_at(s.y, i);
    });
  for (std::size_t h = 0; h < m.heads() && m.heads() > 1; ++h)
    add([h](MhaInstance& s) {
      erase_at(s.weights->U, h);
      erase_at(s.weights->W, h);
    });
  const std::size_t T = m.max_tokens(), d = m.dim();
  for (std::size_t t = 0; t < T; ++t)
    if (std::all_of(m.X.begin(), m.X.end(),
                    [t](const auto& x) { return x.rows() <= t || x.rows() > 1; }))
      add([t](MhaInstance& s) {
        for (RationalMatrix& x : s.X) x = x.rows() > t ? without(x, t, none) : x;
        for (RationalMatrix& u : s.weights->U) u = without(u, t, none);
      });
  for (std::size_t i = 0; i < m.samples() && m.samples() > 1; ++i)
    if (m.X[i].rows() > 1)
      add([i](MhaInstance& s) { s.X[i] = without(s.X[i], s.X[i].rows() - 1, none); });
  for (std::size_t c = 0; c < d && d > 1; ++c)
    add([c](MhaInstance& s) {
      for (RationalMatrix& x : s.X) x = without(x, none, c);
      for (RationalMatrix& u : s.weights->U) u = without(u, none, c);
      for (RationalMatrix& w : s.weights->W) w = without(w, c, c);
    });
}

void add_simpler_tensors(const MhaInstance& m, std::vector<MhaInstance>& all) {
  MhaInstance copy = m;
  const std::size_t count = tensors(copy).size();
  for (std::size_t k = 0; k < count; ++k) {
    const long before = complexity(*tensors(copy)[k]);
    const auto add = [&](const std::function<Rational(const Rational&)>& f) {
      MhaInstance s = m;
      RationalMatrix& t = *tensors(s)[k];
      t = map(t, f);
      if (complexity(t) < before) all.push_back(std::move(s));
    };
    add([](const Rational&) { return Rational(0); });
    for (const int bits : {1, 3, 8, 24, 53})
      add([bits](const Rational& q) { return round_to_bits(q, bits); });
  }
}

void add_simpler_entries(const MhaInstance& m, std::vector<MhaInstance>& all) {
  MhaInstance copy = m;
  const std::vector<RationalMatrix*> originals = tensors(copy);
  for (std::size_t k = 0; k < originals.size(); ++k)
    for (std::size_t e = 0; e < originals[k]->size(); ++e)
      for (const Rational& q : simpler_numbers(originals[k]->data()[e])) {
        all.push_back(m);
        tensors(all.back())[k]->data()[e] = q;
      }
}

}  // namespace

std::vector<MhaInstance> simpler_instances(const MhaInstance& m) {
  std::vector<MhaInstance> all;
  add_smaller_shapes(m, all);
  add_simpler_tensors(m, all);
  if (m.loss == Loss::exponential) {
    all.push_back(m);
    all.back().loss = Loss::logistic;
  }
  for (std::size_t i = 0; i < m.samples(); ++i)
    if (m.y[i] < 0) {
      all.push_back(m);
      all.back().y[i] = 1;
    }
  add_simpler_entries(m, all);
  return all;
}

}  // namespace heed::checks
