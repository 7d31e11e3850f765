// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "heed/landscape/detail/token_data.hpp"
#include "heed/landscape/token_pl.hpp"
#include "heed/landscape/token_problem.hpp"

namespace heed {
namespace {

using Vector = std::vector<Rational>;

Rational dot(const Vector& a, const Vector& b) {
  Rational sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

Vector difference(const Rational* a, const Rational* b, std::size_t n) {
  Vector d(n);
  for (std::size_t k = 0; k < n; ++k) d[k] = a[k] - b[k];
  return d;
}

// The part of w orthogonal to pairwise orthogonal directions.
Vector orthogonal_part(Vector w, const std::vector<Vector>& directions) {
  for (const Vector& u : directions) {
    const Rational t = dot(w, u) / dot(u, u);
    for (std::size_t k = 0; k < w.size(); ++k) w[k] -= t * u[k];
  }
  return w;
}

// An orthogonal basis of the directions of the affine hull of the keys.
std::vector<Vector> hull_directions(const Matrix<Rational>& keys) {
  std::vector<Vector> directions;
  for (std::size_t b = 1; b < keys.rows(); ++b) {
    Vector u = orthogonal_part(difference(keys.row(b), keys.row(0), keys.cols()), directions);
    if (dot(u, u).sign() != 0) directions.push_back(std::move(u));
  }
  return directions;
}

struct Token {
  Ball phi, residual;
  Rational distance2;  ///< |q_perp|^2
};

Token token_at(const KernelInstance& m, const Rational& scale, const Rational* q,
               const Matrix<Rational>& keys, const Matrix<Rational>& values, const Rational& y) {
  const Ball beta = enclose(m.beta);
  Token token;
  for (std::size_t b = 0; b < keys.rows(); ++b) {
    const Vector gap = difference(q, keys.row(b), keys.cols());
    token.phi += Ball(scale * values(b, 0)) * exp(-beta * Ball(dot(gap, gap) / Rational(2)));
  }
  token.residual = token.phi - Ball(y);
  const Vector w = orthogonal_part(difference(q, keys.row(0), keys.cols()), hull_directions(keys));
  token.distance2 = dot(w, w);
  return token;
}

PositiveCertificate not_applicable(std::string reason) {
  return {"landscape.overshoot",
          "kernel.gauss_q_only.overshoot",
          VerdictKind::not_applicable,
          std::move(reason),
          {}};
}

std::string place(std::size_t i, std::size_t a) {
  return " at sample " + std::to_string(i) + ", token " + std::to_string(a);
}

}  // namespace

PositiveCertificate certify_overshoot(const KernelInstance& m, AttentionKernel kernel) {
  if (is_normalised(kernel)) return not_applicable("the kernel is normalised");
  if (m.heads() != 1) return not_applicable("more than one head");
  if (m.output_dim() != 1) return not_applicable("outputs of dimension p > 1");
  if (!detail::is_token_readout(m)) return not_applicable("the read-out is not the identity");
  if (!detail::has_orthonormal_tokens(m)) return not_applicable("the tokens are not orthonormal");
  const Rational scale = kernel == AttentionKernel::gaussian_over_n
                             ? Rational(1) / Rational(static_cast<long>(m.tokens()))
                             : Rational(1);
  const Ball beta = enclose(m.beta);
  std::optional<Ball> step, pl;
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const Matrix<Rational> keys = detail::keys_of(m, i, 0), values = detail::values_of(m, i, 0);
    const Matrix<Rational> queries = detail::queries_of(m, i, 0);
    Rational total;
    for (const Rational& v : values.entries()) total += abs(v) * scale;
    const Ball slope2 = beta / exp(Ball(1)) * square(Ball(total)), bend = beta * Ball(total);
    for (std::size_t a = 0; a < m.tokens(); ++a) {
      const Rational& y = m.Y[i](a, 0);
      if (y.sign() <= 0) return not_applicable("y is not positive" + place(i, a));
      const Token t = token_at(m, scale, queries.row(a), keys, values, y);
      if (t.distance2.sign() == 0)
        return not_applicable("the query is in the affine hull of the keys" + place(i, a));
      if (!certainly(less_equal(Ball(0), t.residual)))
        return not_applicable("phi >= y is not proved" + place(i, a));
      const Ball bound = Ball(1) / (slope2 + bend * t.residual);
      const Ball constant = square(beta) * Ball(t.distance2 * y * y);
      step = step ? min(*step, bound) : bound;
      pl = pl ? min(*pl, constant) : constant;
    }
  }
  return {"landscape.overshoot",
          "kernel.gauss_q_only.overshoot",
          VerdictKind::proved,
          "",
          {{"step_bound", *step}, {"pl_constant", *pl}, {"rate", Ball(1) - *step * *pl}}};
}

}  // namespace heed
