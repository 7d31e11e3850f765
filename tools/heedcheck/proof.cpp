// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <algorithm>

namespace heedcheck {
namespace {

// W z for every query.
std::vector<Integers> applied(const Instance& instance, const Integers& W) {
  std::vector<Integers> images;
  for (const Integers& z : instance.queries) {
    Integers image;
    for (std::size_t r = 0; r < instance.height; ++r) {
      image.push_back(dot(&W[r * instance.width], z.data(), instance.width));
    }
    images.push_back(std::move(image));
  }
  return images;
}

void require_upper(bool holds) { require_proof(holds, "the upper bound is not proved"); }
void require_lower(bool holds) { require_proof(holds, "the lower bound is not proved"); }

// lo <= optimum of fro (T1) and fro-eq (T4).
bool proves_square(const Instance& instance, const Combination& m, const Fraction& lo) {
  const mpz_class den = instance.right_sides.den;
  const mpz_class total = m.total * instance.scale;
  return m.total != 0 && lo.num * dot(m.matrix, m.matrix) * den * den <= lo.den * total * total;
}

// lo <= optimum of nuc (T2).
bool proves_nuclear(const Instance& instance, const Combination& m, const Fraction& lo) {
  if (m.total <= 0) return false;
  const std::size_t d = instance.height;
  const mpz_class bound = m.total * instance.scale * lo.den;
  Integers columns(d * d), S(d * d);
  for (std::size_t r = 0; r < d; ++r) {
    for (std::size_t c = 0; c < d; ++c) columns[c * d + r] = lo.num * m.matrix[r * d + c];
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      S[i * d + j] = -dot(&columns[i * d], &columns[j * d], d);
    }
    S[i * d + i] += bound * bound;
  }
  return is_positive_semidefinite(std::move(S), d);
}

}  // namespace

Combination combine(const Instance& instance, Problem problem, const Multipliers& lambda,
                    const Multipliers& mu) {
  Combination result{Integers(instance.height * instance.width), 0};
  std::vector<Integers> sums(instance.queries.size(), Integers(instance.height));
  const auto add = [&](const std::vector<Row>& rows, const Multipliers& multipliers) {
    for (std::size_t q = 0; q < multipliers.index.size(); ++q) {
      const Row& row = rows[multipliers.index[q]];
      for (std::size_t r = 0; r < instance.height; ++r) {
        sums[row.query][r] += multipliers.value[q] * row.a[r];
      }
    }
  };
  add(instance.inequalities, lambda);
  add(instance.equalities, mu);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (std::size_t r = 0; r < instance.height; ++r) {
      if (sums[i][r] == 0) continue;
      for (std::size_t c = 0; c < instance.width; ++c) {
        result.matrix[r * instance.width + c] += sums[i][r] * instance.queries[i][c];
      }
    }
  }
  if (problem == Problem::fro_eq) {
    for (std::size_t q = 0; q < mu.index.size(); ++q) {
      result.total += mu.value[q] * instance.right_sides.num[mu.index[q]];
    }
  } else {
    for (const mpz_class& l : lambda.value) result.total += l;
  }
  return result;
}

void prove_infeasible(Problem problem, const Combination& m) {
  require_proof(std::all_of(m.matrix.begin(), m.matrix.end(), [](const auto& x) { return x == 0; }),
                "the combination of the rows is not zero");
  require_proof(problem == Problem::fro_eq ? m.total != 0 : m.total > 0,
                "the total weight of the combination proves nothing");
}

void prove_bounds(const Instance& instance, Problem problem, const Combination& m,
                  const Point& point, const Bounds& bounds) {
  const auto& [lo, hi] = bounds;
  const mpz_class& scale = instance.scale;
  const std::vector<Integers> images = applied(instance, point.W);
  const auto value = [&](const Row& row) { return dot(row.a, images[row.query]); };
  for (std::size_t j = 0; j < instance.equalities.size(); ++j) {
    require_proof(value(instance.equalities[j]) * instance.right_sides.den ==
                      instance.right_sides.num[j] * point.den * scale,
                  "an equality is not met exactly");
  }
  const mpz_class square = dot(point.W, point.W);
  if (problem == Problem::fro_eq) {
    require_upper(square * hi.den <= hi.num * point.den * point.den);
    require_lower(lo.num == 0 || proves_square(instance, m, lo));
  } else {
    mpz_class slack = value(instance.inequalities.at(0));
    for (const Row& row : instance.inequalities) slack = std::min<mpz_class>(slack, value(row));
    require_proof(slack > 0, "the primal point violates an inequality");
    if (problem == Problem::nuc) {
      require_upper(point.factor_norms * scale * hi.den <= 2 * hi.num * slack);
      require_lower(lo.num == 0 || proves_nuclear(instance, m, lo));
    } else {
      require_upper(square * scale * scale * hi.den <= hi.num * slack * slack);
      require_lower(lo.num == 0 || (m.total > 0 && proves_square(instance, m, lo)));
    }
  }
  require_proof(lo.num * hi.den <= hi.num * lo.den, "lo exceeds hi");
}

}  // namespace heedcheck
