// SPDX-License-Identifier: Apache-2.0
#include "checks/support/tokens.hpp"

#include <array>

namespace heed::checks {
namespace {

void copy_row(Matrix<Rational>& x, std::size_t from, std::size_t to) {
  for (std::size_t c = 0; c < x.cols(); ++c) x(to, c) = x(from, c);
}

}  // namespace

const char* to_string(TokenKind kind) {
  static constexpr std::array names{"generic",  "duplicate", "zero", "orthogonal", "near",
                                    "opposite", "rank_one",  "flat", "equal"};
  return names[static_cast<std::size_t>(kind)];
}

TokenKind draw_token_kind(Source& s) {
  using K = TokenKind;
  return s.weighted<K>({{40, K::generic},
                        {8, K::duplicate},
                        {8, K::zero},
                        {8, K::orthogonal},
                        {12, K::near},
                        {8, K::opposite},
                        {6, K::rank_one},
                        {5, K::flat},
                        {5, K::equal}});
}

Matrix<Rational> draw_matrix(Source& s, NumberKind numbers, std::size_t rows, std::size_t cols) {
  Matrix<Rational> m(rows, cols);
  for (Rational& x : m.entries()) x = draw_number(s, numbers);
  return m;
}

Matrix<Rational> draw_tokens(Source& s, TokenKind kind, NumberKind numbers, std::size_t tokens,
                             std::size_t dim) {
  Matrix<Rational> x = draw_matrix(s, numbers, tokens, dim);
  const std::size_t a = s.index(tokens), b = s.index(tokens);
  switch (kind) {
    case TokenKind::generic:
      break;
    case TokenKind::duplicate:
      copy_row(x, a, b);
      break;
    case TokenKind::zero:
      for (std::size_t c = 0; c < dim; ++c) x(a, c) = 0;
      break;
    case TokenKind::orthogonal: {
      const Rational length = draw_number(s, numbers);
      for (std::size_t t = 0; t < tokens; ++t) {
        const std::size_t axis = s.index(dim);
        for (std::size_t c = 0; c < dim; ++c)
          x(t, c) = c == axis ? length * Rational(s.sign()) : Rational(0);
      }
      break;
    }
    case TokenKind::near: {
      copy_row(x, a, b);
      const Rational step = Rational::parse("1e-" + std::to_string(s.between(7, 30)));
      for (std::size_t c = 0; c < dim; ++c)
        x(b, c) += step * Rational(s.between(-9, 9)) * (x(b, c) + Rational(s.between(0, 1)));
      break;
    }
    case TokenKind::opposite:
      for (std::size_t t = 1; t < tokens; ++t)
        for (std::size_t c = 0; c < dim; ++c) x(t, c) = t % 2 == 1 ? -x(t - 1, c) : x(t - 1, c);
      break;
    case TokenKind::rank_one:
      for (std::size_t t = 1; t < tokens; ++t) {
        const Rational factor(s.between(-4, 4), s.between(1, 3));
        for (std::size_t c = 0; c < dim; ++c) x(t, c) = factor * x(0, c);
      }
      break;
    case TokenKind::flat:
      for (std::size_t t = 1; t < tokens; ++t) x(t, dim - 1) = x(0, dim - 1);
      break;
    case TokenKind::equal:
      for (std::size_t t = 1; t < tokens; ++t) copy_row(x, 0, t);
      break;
  }
  return x;
}

}  // namespace heed::checks
