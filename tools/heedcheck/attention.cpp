// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"

namespace heedcheck {
namespace {

template <class S>
using Row = std::vector<Jet<S>>;

// The scores z_b: beta q.k_b for softmax, -beta/2 |q - k_b|^2 for the others.
template <class S>
Row<S> scores(Kernel kernel, const S& beta, const Row<S>& q, const Row<S>& keys) {
  const std::size_t d = q.size();
  const S factor = kernel == Kernel::softmax ? beta : S(beta * S(mpq_class(-1, 2)));
  Row<S> z(keys.size() / d);
  for (std::size_t b = 0; b < z.size(); ++b) {
    for (std::size_t c = 0; c < d; ++c) {
      const Jet<S>& k = keys[b * d + c];
      if (kernel == Kernel::softmax) {
        add_product(z[b], factor, q[c], k);
      } else {
        add_square(z[b], factor, difference(q[c], k));
      }
    }
  }
  return z;
}

// S_b, from z_l - z_b = beta (k_l - k_b).q, or beta (k_l - k_b).(q - (k_l + k_b)/2): every number of
// a box enters once more than needed at most, and nothing cancels.
template <class S>
std::vector<S> values(Kernel kernel, const S& beta, const Row<S>& q, const Row<S>& keys,
                      const Row<S>& z) {
  const std::size_t d = q.size(), n = z.size();
  std::vector<S> row;
  const S half(mpq_class(1, 2)), one(mpq_class(1));
  for (std::size_t b = 0; b < n; ++b) {
    if (!sums_to_one(kernel)) {
      row.push_back(exponential(z[b].value));
      continue;
    }
    S sum = one;
    for (std::size_t l = 0; l < n; ++l) {
      if (l == b) continue;
      S gap;
      for (std::size_t c = 0; c < d; ++c) {
        const S &k = keys[l * d + c].value, &other = keys[b * d + c].value;
        gap += (k - other) *
               (kernel == Kernel::softmax ? q[c].value : q[c].value - half * (k + other));
      }
      sum += exponential(beta * gap);
    }
    row.push_back(reciprocal(sum));
  }
  return row;
}

std::vector<mpq_class> values(Kernel kernel, const mpq_class&, const RationalJets&,
                              const RationalJets&, const RationalJets& z) {
  return std::vector<mpq_class>(
      z.size(), sums_to_one(kernel) ? mpq_class(1, static_cast<unsigned long>(z.size())) : 1);
}

// S_b' = S_b m_b and S_b'' = S_b (m_b m_b^T - C + sum_l S_l (z_b'' - z_l'')) where
// m_b = sum_l S_l (z_b' - z_l') and C = sum_{j<l} S_j S_l (z_j' - z_l') (z_j' - z_l')^T.
template <class S>
void differentiate_quotients(Row<S>& row, const Row<S>& z) {
  const std::size_t n = z.size();
  const S one(mpq_class(1)), minus_one(mpq_class(-1));
  const auto gap = [&](std::vector<S> x, const std::vector<S>& y) {
    add_scaled(x, minus_one, y);
    return x;
  };
  std::vector<S> C;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t l = 0; l < j; ++l) {
      add_square(C, S(row[j].value * row[l].value), gap(z[j].first, z[l].first));
    }
  }
  for (std::size_t b = 0; b < n; ++b) {
    std::vector<S> m, curve;
    for (std::size_t l = 0; l < n; ++l) {
      if (l == b) continue;
      add_scaled(m, row[l].value, gap(z[b].first, z[l].first));
      add_scaled(curve, row[l].value, gap(z[b].second, z[l].second));
    }
    add_scaled(curve, minus_one, C);
    add_square(curve, one, m);
    add_scaled(row[b].first, row[b].value, m);
    add_scaled(row[b].second, row[b].value, curve);
  }
}

// S_b' = S_b z_b', S_b'' = S_b (z_b' z_b'^T + z_b'').
template <class S>
void differentiate_exponentials(Row<S>& row, const Row<S>& z) {
  for (std::size_t b = 0; b < z.size(); ++b) {
    add_scaled(row[b].first, row[b].value, z[b].first);
    add_scaled(row[b].second, row[b].value, z[b].second);
    add_square(row[b].second, row[b].value, z[b].first);
  }
}

template <class S>
Row<S> row_of(Kernel kernel, const S& beta, const Row<S>& q, const Row<S>& keys) {
  const Row<S> z = scores(kernel, beta, q, keys);
  Row<S> row;
  for (S& value : values(kernel, beta, q, keys, z)) row.emplace_back(std::move(value));
  if (sums_to_one(kernel)) {
    differentiate_quotients(row, z);
  } else {
    differentiate_exponentials(row, z);
  }
  if (kernel != Kernel::gaussian_over_n) return row;
  Row<S> scaled(row.size());
  const S factor(mpq_class(1, static_cast<unsigned long>(row.size())));
  for (std::size_t b = 0; b < row.size(); ++b) add_scaled(scaled[b], factor, row[b]);
  return scaled;
}

}  // namespace

Jets attention_row(Kernel kernel, const Interval& beta, const Jets& q, const Jets& keys) {
  return row_of(kernel, beta, q, keys);
}

FormJets attention_row(Kernel kernel, const Form& beta, const FormJets& q, const FormJets& keys) {
  return row_of(kernel, beta, q, keys);
}

RationalJets attention_row(Kernel kernel, const mpq_class& beta, const RationalJets& q,
                           const RationalJets& keys) {
  return row_of(kernel, beta, q, keys);
}

}  // namespace heedcheck
