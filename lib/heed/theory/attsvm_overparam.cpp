// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/attsvm_overparam.hpp"

#include <algorithm>

#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/exact_solve.hpp"
#include "heed/linalg/product.hpp"
#include "heed/margin/exact_frobenius.hpp"
#include "heed/theory/query_rungs.hpp"

namespace heed {
namespace {

// The inputs that constrain W: D_i = rows x_alpha - x_t, and their queries.
struct Constrained {
  std::vector<Matrix<Rational>> D;
  Matrix<Rational> Z;

  explicit Constrained(const QueryFacts& f) {
    const QueryInstance& q = f.instance();
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < f.inputs(); ++i)
      if (f.counts(i)) inputs.push_back(i);
    Z = Matrix<Rational>(inputs.size(), q.dim());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::size_t i = inputs[k], alpha = f.selected().alpha[i];
      const Matrix<Rational>& x = q.X[i];
      std::copy(q.Z.row(i), q.Z.row(i) + q.dim(), Z.row(k));
      Matrix<Rational> d(x.rows() - 1, q.dim());
      for (std::size_t t = 0, r = 0; t < x.rows(); ++t) {
        if (t == alpha) continue;
        for (std::size_t c = 0; c < q.dim(); ++c) d(r, c) = x(alpha, c) - x(t, c);
        ++r;
      }
      D.push_back(std::move(d));
    }
  }
};

// tr(U (Z Z^T)^{-1} U^T) with u_i = D_i^T (D_i D_i^T)^{-1} 1. Precondition: full ranks.
Rational interpolation_bound(const Constrained& c) {
  const std::size_t n = c.Z.rows(), d = c.Z.cols();
  const Matrix<Rational> K = multiply_transposed(c.Z, c.Z);
  Matrix<Rational> U(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    const Matrix<Rational>& D = c.D[i];
    const std::vector<Rational> w =
        *solve_exactly(multiply_transposed(D, D), std::vector<Rational>(D.rows(), Rational(1)));
    const std::vector<Rational> u = transposed_multiply(D, w);
    std::copy(u.begin(), u.end(), U.row(i));
  }
  Rational sum;
  for (std::size_t r = 0; r < d; ++r) {
    std::vector<Rational> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = U(i, r);
    sum += dot(column, *solve_exactly(K, column));
  }
  return sum;
}

// Some u has D u > 0.
bool separable(const Matrix<Rational>& D) {
  RowsInstance rows;
  rows.F = D;
  return std::holds_alternative<MarginBracket>(exact_frobenius(margin_problem(rows)).result);
}

}  // namespace

template <class S>
void add_overparam(const QueryAnalysis<S>& a, const Wanted& wanted,
                   std::vector<RungValues<S>>& all) {
  const QueryFacts& f = a.facts();
  const SelectionFacts& s = f.selected();
  if (!any_wanted(wanted, "attsvm.feasible_overparam", {"norm"}) &&
      !any_wanted(wanted, "attsvm.feasible_iff_vertex", {"only_if", "if"}))
    return;
  const Constrained c(f);
  const std::string single_text = "one selected token an input",
                    queries_text = "the queries are linearly independent",
                    tokens_text = "the token differences of every input are linearly independent";
  const Condition single = s.tied ? Condition::disproved(single_text, "further selected tokens")
                                  : Condition::proved(single_text);
  const Condition queries = exact_rank(c.Z) == c.Z.rows()
                                ? Condition::proved(queries_text)
                                : Condition::disproved(queries_text, "dependent queries");
  Condition tokens = Condition::proved(tokens_text);
  for (const Matrix<Rational>& D : c.D)
    if (exact_rank(D) < D.rows())
      tokens = Condition::disproved(tokens_text, "dependent token differences");
  std::string id = "attsvm.feasible_overparam";
  evaluate_wanted<S>(
      id,
      {{"norm",
        [&] {
          return rung_under<S>(
              id, "norm", {f.some_choice, single, queries, tokens, s.feasible},
              [&] { return std::vector<Item<S>>{exact_item<S>(s.norm2, interpolation_bound(c))}; });
        }}},
      wanted, all);
  id = "attsvm.feasible_iff_vertex";
  const auto rung = [&](const std::string& name, bool forward) {
    return rung_under<S>(id, name, {f.some_choice, single, queries}, [&] {
      const Rational whole(s.feasible.is_proved() ? 1 : 0),
          parts(std::all_of(c.D.begin(), c.D.end(), separable) ? 1 : 0);
      return std::vector<Item<S>>{forward ? exact_item<S>(whole, parts)
                                          : exact_item<S>(parts, whole)};
    });
  };
  evaluate_wanted<S>(id,
                     {{"only_if", [&] { return rung("only_if", true); }},
                      {"if", [&] { return rung("if", false); }}},
                     wanted, all);
}

template void add_overparam(const QueryAnalysis<DoubleBall>&, const Wanted&,
                            std::vector<RungValues<DoubleBall>>&);
template void add_overparam(const QueryAnalysis<Ball>&, const Wanted&,
                            std::vector<RungValues<Ball>>&);

}  // namespace heed
