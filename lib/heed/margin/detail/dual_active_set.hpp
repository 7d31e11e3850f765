// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace heed::detail {

/// G u - b with G = (gamma_kl) positive semidefinite of unit diagonal, row-major, m x m.
/// The first `equalities` rows are equalities.
template <class S>
struct GramSystem {
  std::size_t m = 0, equalities = 0;
  std::vector<S> G, b;

  const S* row(std::size_t k) const { return G.data() + k * m; }
};

enum class ActiveSetEnd { optimal, dependent, iteration_limit };

/// Goldfarb and Idnani's dual active set method in Gram form, without error bounds: finds u >= 0
/// (free on equalities) with support P, G_PP u = b_P and G_kP u >= b_k elsewhere.
///
/// Cost: O(m p + p^2) an exchange.
template <class S>
class DualActiveSet {
 public:
  explicit DualActiveSet(const GramSystem<S>& system) : system_(system) {}

  /// Starts from the independent equalities and those rows of the guess that are independent and get
  /// a positive multiplier.
  void start(const std::vector<std::size_t>& guess) {
    std::vector<std::size_t> rows = guess;
    for (;;) {
      active_.clear();
      L_.clear();
      for (std::size_t k = 0; k < system_.equalities; ++k) append_if_independent(k);
      for (const std::size_t k : rows)
        if (k >= system_.equalities) append_if_independent(k);
      resolve();
      rows.clear();
      for (std::size_t j = 0; j < active_.size(); ++j)
        if (active_[j] >= system_.equalities && u_[j] > 0) rows.push_back(active_[j]);
      if (rows.size() + equalities_in() == active_.size()) break;
    }
    update_slacks();
  }

  ActiveSetEnd run(std::size_t max_iterations) {
    std::size_t fresh = 0;  // additions since the last solution from the factor
    for (std::size_t iteration = 0; iteration < max_iterations; ++iteration) {
      std::size_t k = most_violated();
      if (k == system_.m || fresh >= 32) {
        if (fresh > 0) refresh();
        fresh = 0;
        k = most_violated();
        if (k == system_.m) return ActiveSetEnd::optimal;
      }
      if (!add(k)) return ActiveSetEnd::dependent;
      ++fresh;
    }
    return ActiveSetEnd::iteration_limit;
  }

  const std::vector<std::size_t>& active() const { return active_; }
  const std::vector<S>& multipliers() const { return u_; }
  /// At the end `dependent`: the row that could not be added.
  std::size_t last_row() const { return last_; }

 private:
  static S epsilon() { return std::numeric_limits<S>::epsilon(); }
  S dependence() const { return 1000 * epsilon(); }

  std::size_t equalities_in() const {
    std::size_t count = 0;
    for (const std::size_t k : active_) count += k < system_.equalities ? 1 : 0;
    return count;
  }

  std::vector<S> column(std::size_t k) const {
    std::vector<S> c(active_.size());
    for (std::size_t j = 0; j < c.size(); ++j) c[j] = system_.row(k)[active_[j]];
    return c;
  }
  // L^{-1} c in place
  void forward(std::vector<S>& c) const {
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::vector<S>& row = L_[i];
      S sum = c[i];
      for (std::size_t j = 0; j < i; ++j) sum -= row[j] * c[j];
      c[i] = sum / row[i];
    }
  }
  void backward(std::vector<S>& c) const {
    for (std::size_t i = c.size(); i-- > 0;) {
      const std::vector<S>& row = L_[i];
      c[i] /= row[i];
      for (std::size_t j = 0; j < i; ++j) c[j] -= row[j] * c[i];
    }
  }
  static S squared(const std::vector<S>& c) {
    S sum = 0;
    for (const S& x : c) sum += x * x;
    return sum;
  }

  void append(std::size_t k, std::vector<S> y, const S& complement) {
    using std::sqrt;
    y.push_back(sqrt(complement));
    L_.push_back(std::move(y));
    active_.push_back(k);
  }
  void append_if_independent(std::size_t k) {
    std::vector<S> y = column(k);
    forward(y);
    const S complement = system_.row(k)[k] - squared(y);
    if (complement > dependence()) append(k, std::move(y), complement);
  }

  void resolve() {
    u_.resize(active_.size());
    for (std::size_t j = 0; j < u_.size(); ++j) u_[j] = system_.b[active_[j]];
    forward(u_);
    backward(u_);
  }
  void update_slacks() {
    slack_.assign(system_.m, S(0));
    for (std::size_t j = 0; j < u_.size(); ++j) {
      const S* g = system_.row(active_[j]);
      for (std::size_t k = 0; k < system_.m; ++k) slack_[k] += g[k] * u_[j];
    }
    for (std::size_t k = 0; k < system_.m; ++k) slack_[k] -= system_.b[k];
  }
  // A multiplier that rounding made negative stays at zero until the row is dropped.
  void refresh() {
    resolve();
    for (std::size_t j = 0; j < u_.size(); ++j)
      if (active_[j] >= system_.equalities && !(u_[j] >= 0)) u_[j] = S(0);
    update_slacks();
  }

  std::size_t most_violated() const {
    using std::abs;
    S size = 1;
    for (const S& x : u_) size += abs(x);
    std::size_t found = system_.m;
    S least = -16 * epsilon() * size;
    std::vector<bool> taken(system_.m);
    for (const std::size_t k : active_) taken[k] = true;
    for (std::size_t k = system_.equalities; k < system_.m; ++k)
      if (!taken[k] && slack_[k] < least) {
        least = slack_[k];
        found = k;
      }
    return found;
  }

  // One outer iteration; false if row k depends on the active rows with multipliers of one sign.
  bool add(std::size_t k) {
    last_ = k;
    S multiplier = 0;
    for (;;) {
      std::vector<S> r = column(k);
      forward(r);
      const S complement = system_.row(k)[k] - squared(r);
      const bool dependent = !(complement > dependence());
      std::vector<S> y = r;
      backward(r);
      std::optional<S> t;
      std::size_t blocking = 0;
      for (std::size_t j = 0; j < r.size(); ++j) {
        if (active_[j] < system_.equalities || !(r[j] > 0)) continue;
        const S ratio = u_[j] / r[j];
        if (!t || ratio < *t) {
          t = ratio;
          blocking = j;
        }
      }
      if (dependent && !t) return false;
      bool full = false;
      if (!dependent) {
        const S needed = -slack_[k] / complement;
        if (!t || !(*t < needed)) {
          t = needed;
          full = true;
        }
      }
      for (std::size_t j = 0; j < r.size(); ++j) u_[j] -= *t * r[j];
      multiplier += *t;
      if (!dependent) {
        const S* g = system_.row(k);
        for (std::size_t l = 0; l < system_.m; ++l) slack_[l] += *t * g[l];
        for (std::size_t j = 0; j < r.size(); ++j) {
          const S* h = system_.row(active_[j]);
          const S factor = *t * r[j];
          for (std::size_t l = 0; l < system_.m; ++l) slack_[l] -= factor * h[l];
        }
      }
      if (full) {
        append(k, std::move(y), complement);
        u_.push_back(multiplier);
        return true;
      }
      drop(blocking);
    }
  }

  void drop(std::size_t at) {
    const auto offset = static_cast<std::ptrdiff_t>(at);
    active_.erase(active_.begin() + offset);
    u_.erase(u_.begin() + offset);
    L_.erase(L_.begin() + offset);
    using std::sqrt;
    // Rows from `at` on have one entry right of the diagonal; rotate columns i, i + 1.
    for (std::size_t i = at; i < L_.size(); ++i) {
      const S x = L_[i][i], y = L_[i][i + 1], length = sqrt(x * x + y * y);
      const S c = x / length, s = y / length;
      for (std::size_t r = i; r < L_.size(); ++r) {
        const S p = L_[r][i], q = L_[r][i + 1];
        L_[r][i] = c * p + s * q;
        L_[r][i + 1] = c * q - s * p;
      }
      L_[i].pop_back();
    }
  }

  const GramSystem<S>& system_;
  std::vector<std::size_t> active_;
  std::vector<std::vector<S>> L_;
  std::vector<S> u_, slack_;
  std::size_t last_ = 0;
};

}  // namespace heed::detail
