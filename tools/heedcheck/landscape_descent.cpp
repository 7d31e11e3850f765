// SPDX-License-Identifier: Apache-2.0
#include "landscape_descent.hpp"

#include <optional>

#include "landscape_queries.hpp"

namespace heedcheck {
namespace {

std::string place(std::size_t i, std::size_t k, const char* what) {
  return " of sample " + std::to_string(i) + ", " + what + " " + std::to_string(k);
}

// The squared distance of q from the affine hull of the rows of keys.
mpq_class squared_distance(const mpq_class* q, const RationalMatrix& keys) {
  // Gram-Schmidt without roots: directions of the hull, then q minus the first key.
  std::vector<Rationals> directions;
  for (std::size_t b = 1; b <= keys.rows; ++b) {
    Rationals w;
    for (std::size_t c = 0; c < keys.cols; ++c) {
      w.push_back((b < keys.rows ? keys.at(b, c) : q[c]) - keys.at(0, c));
    }
    for (const Rationals& u : directions) {
      mpq_class along = 0, size = 0;
      for (std::size_t c = 0; c < w.size(); ++c) {
        along += w[c] * u[c];
        size += u[c] * u[c];
      }
      for (std::size_t c = 0; c < w.size(); ++c) w[c] -= along / size * u[c];
    }
    mpq_class size = 0;
    for (const mpq_class& x : w) size += x * x;
    if (b == keys.rows) return size;
    if (size != 0) directions.push_back(std::move(w));
  }
  return 0;
}

void require_orthonormal_tokens(const Layer& layer) {
  const RationalMatrix X = stacked_tokens(layer), G = product(X, transposed(X));
  for (std::size_t k = 0; k < G.entries.size(); ++k) {
    require_proof(G.entries[k] == (k % (G.rows + 1) == 0 ? 1 : 0),
                  "overshoot: the tokens are not orthonormal");
  }
}

}  // namespace

IntervalMatrix jacobian_gram(const Model<Interval>& model, const std::vector<Interval>& theta) {
  const std::size_t rows = model.outputs(theta, {}, model.all()).size();
  IntervalMatrix J(rows, theta.size());
  for (std::size_t k = 0; k < theta.size(); ++k) {
    const auto column = model.outputs(theta, {k}, model.all());
    for (std::size_t r = 0; r < rows; ++r) {
      if (!column[r].first.empty()) J.at(r, k) = column[r].first[0];
    }
  }
  return product(J, transposed(J));
}

void prove_gram_above(IntervalMatrix G, const mpq_class& lo, const std::string& claim) {
  for (std::size_t k = 0; k < G.rows; ++k) G.at(k, k) -= Interval(lo);
  require_proof(is_positive_definite(G), claim + ": the lower bound of J J^T is not proved");
}

void prove_gram_between(const IntervalMatrix& G, const mpq_class& lo, const mpq_class& hi,
                        const std::string& claim) {
  prove_gram_above(G, lo, claim);
  IntervalMatrix below = G;
  for (Interval& x : below.entries) x = -x;
  for (std::size_t k = 0; k < G.rows; ++k) below.at(k, k) += Interval(hi);
  require_proof(is_positive_definite(below), claim + ": the upper bound of J J^T is not proved");
}

void prove_lojasiewicz(const Layer& layer) {
  require_proof(sums_to_one(layer.kernel), "lojasiewicz: the rows of the kernel do not sum to 1");
  require_separate_tokens(layer, "lojasiewicz");
  for (std::size_t i = 0; i < layer.N; ++i) {
    for (std::size_t h = 0; h < layer.H; ++h) {
      require_proof(row_basis(centred(projected(layer, W_K, i, h))).rows + 1 == layer.n,
                    "lojasiewicz: the keys" + place(i, h, "head") + " are affinely dependent");
    }
  }
}

mpq_class prove_overshoot(const Layer& layer, const Rationals& centre, const mpq_class& eta) {
  require_proof(!sums_to_one(layer.kernel), "overshoot: the kernel is normalised");
  require_query_only(layer, "overshoot");
  require_proof(layer.H == 1 && layer.p == 1, "overshoot: H and p must be 1");
  require_orthonormal_tokens(layer);
  const mpq_class scale = layer.kernel == Kernel::gaussian_over_n
                              ? mpq_class(1, static_cast<unsigned long>(layer.n))
                              : mpq_class(1);
  const Interval beta = beta_of(layer), e = exponential(Interval(mpq_class(1)));
  const RationalMatrix queries = queries_at(layer, centre);
  std::optional<mpq_class> rate;
  for (std::size_t i = 0; i < layer.N; ++i) {
    const RationalMatrix keys = projected(layer, W_K, i, 0), values = values_of(layer, i, 0);
    mpq_class total = 0;
    for (const mpq_class& P : values.entries) total += abs(P) * scale;
    const Interval G2 = beta * reciprocal(e) * square(Interval(total)), L2 = beta * Interval(total);
    for (std::size_t a = 0; a < layer.n; ++a) {
      const std::size_t k = i * layer.n + a;
      const mpq_class& y = layer.Y[k];
      const mpq_class* q = &queries.entries[k * layer.d];
      require_proof(y > 0, "overshoot: y > 0 fails at the target" + place(i, a, "token"));
      const mpq_class distance2 = squared_distance(q, keys);
      require_proof(distance2 != 0, "overshoot: the query" + place(i, a, "token") +
                                        " lies in the affine hull of the keys");
      Interval r(mpq_class(-y));
      for (std::size_t b = 0; b < layer.n; ++b) {
        mpq_class gap2 = 0;
        for (std::size_t c = 0; c < layer.d; ++c) {
          const mpq_class gap = q[c] - keys.at(b, c);
          gap2 += gap * gap;
        }
        r += Interval(mpq_class(scale * values.entries[b])) *
             exponential(-(beta * Interval(mpq_class(gap2 / 2))));
      }
      require_proof(r.lo() >= 0,
                    "overshoot: phi >= y is not proved at the target" + place(i, a, "token"));
      require_proof((Interval(eta) * (G2 + L2 * r)).hi() <= Interval(mpq_class(1)).lo(),
                    "overshoot: eta (G^2 + L_2 r) <= 1 is not proved");
      const mpq_class c = (square(beta) * Interval(mpq_class(distance2 * y * y))).lower();
      if (!rate || c < *rate) rate = c;
    }
  }
  return *rate;
}

void prove_pl(const Layer& layer, const Model<Interval>& model, const mpq_class& mu,
              const mpq_class& L) {
  const std::size_t P = layer.coordinates(),
                    columns[] = {layer.H * layer.D * layer.d_v, layer.H * layer.d_v * layer.p};
  require_proof((layer.trained[W_V] && P == columns[0]) || (layer.trained[W_O] && P == columns[1]),
                "pl: W_V alone or W_O alone must be trained");
  const std::vector<Interval> theta(
      layer.trained[W_V] ? layer.weights[W_V].begin() : layer.weights[W_O].begin(),
      layer.trained[W_V] ? layer.weights[W_V].end() : layer.weights[W_O].end());
  prove_gram_between(jacobian_gram(model, theta), mu, L, "pl");
}

}  // namespace heedcheck
