// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_facts.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "heed/attention/kernel_attention.hpp"
#include "heed/linalg/exact_rank.hpp"
#include "heed/linalg/product.hpp"

namespace heed {
namespace {

using RationalMatrix = Matrix<Rational>;

bool is_zero(const std::vector<RationalMatrix>& heads) {
  return std::all_of(heads.begin(), heads.end(), [](const RationalMatrix& m) {
    return std::all_of(m.entries().begin(), m.entries().end(),
                       [](const Rational& x) { return x.sign() == 0; });
  });
}

RationalMatrix stacked(const std::vector<RationalMatrix>& list) {
  std::size_t rows = 0;
  for (const auto& m : list) rows += m.rows();
  RationalMatrix all(rows, list.front().cols());
  std::size_t k = 0;
  for (const auto& m : list)
    for (const Rational& x : m.entries()) all.data()[k++] = x;
  return all;
}

bool same_rows(const RationalMatrix& m, std::size_t a, std::size_t b) {
  return std::equal(m.row(a), m.row(a) + m.cols(), m.row(b));
}

bool is_zero_row(const RationalMatrix& m, std::size_t a) {
  return std::all_of(m.row(a), m.row(a) + m.cols(),
                     [](const Rational& x) { return x.sign() == 0; });
}

// Gauss-Jordan elimination of A x = b in place; returns the pivot columns, of rows 0, 1, ...
std::vector<std::size_t> eliminate(RationalMatrix& A, std::vector<Rational>& b) {
  std::vector<std::size_t> pivots;
  for (std::size_t c = 0; c < A.cols() && pivots.size() < A.rows(); ++c) {
    const std::size_t r = pivots.size();
    std::size_t p = r;
    while (p < A.rows() && A(p, c).sign() == 0) ++p;
    if (p == A.rows()) continue;
    for (std::size_t j = 0; j < A.cols(); ++j) std::swap(A(p, j), A(r, j));
    std::swap(b[p], b[r]);
    for (std::size_t i = 0; i < A.rows(); ++i) {
      if (i == r || A(i, c).sign() == 0) continue;
      const Rational factor = A(i, c) / A(r, c);
      for (std::size_t j = c; j < A.cols(); ++j) A(i, j) -= factor * A(r, j);
      b[i] -= factor * b[r];
    }
    pivots.push_back(c);
  }
  return pivots;
}

// Some solution of A x = b.
std::optional<std::vector<Rational>> some_solution(RationalMatrix A, std::vector<Rational> b) {
  const std::vector<std::size_t> pivots = eliminate(A, b);
  for (std::size_t i = pivots.size(); i < A.rows(); ++i)
    if (b[i].sign() != 0) return std::nullopt;
  std::vector<Rational> x(A.cols());
  for (std::size_t r = 0; r < pivots.size(); ++r) x[pivots[r]] = b[r] / A(r, pivots[r]);
  return x;
}

// Some z /= 0 with A z = 0; empty if there is none.
std::vector<Rational> null_vector(RationalMatrix A) {
  std::vector<Rational> b(A.rows());
  const std::vector<std::size_t> pivots = eliminate(A, b);
  std::size_t free = 0;
  while (free < pivots.size() && pivots[free] == free) ++free;
  if (free == A.cols()) return {};
  std::vector<Rational> z(A.cols());
  z[free] = Rational(1);
  for (std::size_t r = 0; r < pivots.size(); ++r) z[pivots[r]] = -A(r, free) / A(r, pivots[r]);
  return z;
}

std::vector<std::size_t> independent_columns(RationalMatrix A) {
  std::vector<Rational> b(A.rows());
  return eliminate(A, b);
}

Condition decide(bool holds, std::string text, std::string failure) {
  return holds ? Condition::proved(std::move(text))
               : Condition::disproved(std::move(text), std::move(failure));
}

}  // namespace

KernelFacts::KernelFacts(const KernelInstance& instance, AttentionKernel kernel)
    : instance_(instance), kernel_(kernel) {
  judge_tokens();
  judge_weights();
  judge_obstruction();
  find_attention();
}

void KernelFacts::judge_tokens() {
  const KernelInstance& k = instance_;
  token_readout = decide(readout_word(k) == "token" || k.readout == heed::token_readout(k.tokens()),
                         "the read-out is I", "the read-out is not I");
  normalised = decide(is_normalised(kernel_), "rows of S sum to 1", "rows of S do not sum to 1");
  stack_ = stacked(k.X);
  rank_stack_ = exact_rank(stack_);
  const std::size_t rank_U = exact_rank(k.readout);
  std::size_t by_sample = 0;
  for (const auto& X : k.X) by_sample += std::min(rank_U, exact_rank(X));
  features_bound_ = std::min({rank_stack_, k.samples() * k.rows(), by_sample});
  // Rows of J are equal for equal samples and equal rows of the read-out, or equal tokens if it is I.
  for (std::size_t i = 0; i < k.samples(); ++i) {
    if (std::find(k.X.begin(), k.X.begin() + static_cast<std::ptrdiff_t>(i), k.X[i]) !=
        k.X.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    const RationalMatrix& rows = token_readout.is_proved() ? k.X[i] : k.readout;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      std::size_t b = 0;
      while (b < r && !same_rows(rows, r, b)) ++b;
      if (b == r && !is_zero_row(k.readout, r)) ++distinct_rows_;
    }
  }
  const auto w = some_solution(stack_, std::vector<Rational>(stack_.rows(), Rational(1)));
  affine_tokens = decide(w.has_value(), "X_i w = 1 for all i for some w", "no w has X_i w = 1");
  if (w) w_ = *w;
  bool sees = false;
  for (std::size_t r = 0; r < k.rows(); ++r) {
    Rational sum;
    for (std::size_t a = 0; a < k.tokens(); ++a) sum += k.readout(r, a);
    sees = sees || sum.sign() != 0;
  }
  readout_sees_one = decide(sees, "U 1 /= 0", "U 1 = 0");
}

void KernelFacts::judge_weights() {
  const KernelWeights<Rational>& w = instance_.weights;
  zero_q_ = is_zero(w.W_Q);
  zero_k_ = is_zero(w.W_K);
  zero_v_ = is_zero(w.W_V);
  zero_o_ = is_zero(w.W_O);
  zero_qk = decide(zero_q_ && zero_k_, "W_Q = W_K = 0", "W_Q or W_K is not 0");
  common_W_O = decide(std::all_of(w.W_O.begin(), w.W_O.end(),
                                  [&](const RationalMatrix& m) { return m == w.W_O.front(); }),
                      "all heads have one W_O", "the heads have different W_O");
  for (const auto& m : w.W_O) rank_O_.push_back(exact_rank(m));
  rank_O_row_ = exact_rank(stacked(w.W_O));
  const std::string text = "W_Q = W_K, and projected tokens of a sample are pairwise different";
  tied_qk = Condition::proved(text);
  if (w.W_Q != w.W_K) {
    tied_qk = Condition::disproved(text, "W_Q is not W_K");
    return;
  }
  for (const auto& X : instance_.X)
    for (const auto& W : w.W_Q) {
      const RationalMatrix Q = multiply(X, W);
      for (std::size_t a = 0; a < Q.rows(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (same_rows(Q, a, b))
            tied_qk = Condition::disproved(text, "two projected tokens agree");
    }
}

void KernelFacts::judge_obstruction() {
  const KernelInstance& k = instance_;
  const std::string text = "X_i W_V W_O z is a multiple of 1 for some z /= 0";
  obstruction = Condition::disproved(text, "there is no such z");
  for (std::size_t i = 0; i < k.samples(); ++i) {
    const RationalMatrix& X = k.X[i];
    std::vector<RationalMatrix> centred;
    for (std::size_t h = 0; h < k.heads(); ++h) {
      RationalMatrix V = multiply(multiply(X, k.weights.W_V[h]), k.weights.W_O[h]);
      const RationalMatrix first = V;
      for (std::size_t b = 0; b < V.rows(); ++b)
        for (std::size_t c = 0; c < V.cols(); ++c) V(b, c) -= first(0, c);
      centred.push_back(std::move(V));
    }
    z_ = null_vector(stacked(centred));
    if (z_.empty()) continue;
    obstruction = Condition::proved(text);
    obstructed_ = i;
    return;
  }
}

void KernelFacts::find_attention() {
  const KernelInstance& k = instance_;
  const std::size_t n = k.tokens();
  if (k.residuals() > max_rational_residuals) return;
  std::vector<RationalMatrix> all;
  for (const auto& X : k.X)
    for (std::size_t h = 0; h < k.heads(); ++h) {
      const RationalMatrix Q = multiply(X, k.weights.W_Q[h]), K = multiply(X, k.weights.W_K[h]);
      for (std::size_t a = 0; a < n; ++a) {
        Rational first;
        for (std::size_t b = 0; b < n; ++b) {
          Rational score;
          for (std::size_t c = 0; c < Q.cols(); ++c)
            score += has_distances(kernel_) ? (Q(a, c) - K(b, c)) * (Q(a, c) - K(b, c))
                                            : Q(a, c) * K(b, c);
          if (b == 0) first = score;
          if (score != first || (!is_normalised(kernel_) && score.sign() != 0)) return;
        }
      }
      const bool ones = kernel_ == AttentionKernel::gaussian;
      RationalMatrix S(n, n);
      for (Rational& s : S.entries()) s = ones ? Rational(1) : Rational(1, static_cast<long>(n));
      all.push_back(std::move(S));
    }
  KernelInstance plain = k;
  plain.beta = {};  // W_V and W_O do not see it
  const KernelModel<Rational> model(std::make_shared<const KernelInputs<Rational>>(plain), kernel_,
                                    k.weights, all);
  attention_ = std::move(all);
  value_jacobian_ = model.jacobian(KernelBlock::value);
  value_columns_ = independent_columns(*value_jacobian_);
  const RationalMatrix output = model.jacobian(KernelBlock::output);
  output_rank_ = exact_rank(output);
  RationalMatrix both(output.rows(), value_jacobian_->cols() + output.cols());
  for (std::size_t r = 0; r < both.rows(); ++r) {
    std::copy(value_jacobian_->row(r), value_jacobian_->row(r) + value_jacobian_->cols(),
              both.row(r));
    std::copy(output.row(r), output.row(r) + output.cols(), both.row(r) + value_jacobian_->cols());
  }
  value_output_rank_ = exact_rank(both);
}

std::size_t KernelFacts::cover_bound() const {
  std::size_t sum = 0;
  for (const std::size_t r : rank_O_) sum += r;
  return sum * features_bound_;
}

std::size_t KernelFacts::affine_bound() const {
  std::size_t sum = 0;
  for (const std::size_t r : rank_O_) sum += r;
  return (instance_.dim() - 1) * sum + rank_O_row_;
}

std::size_t KernelFacts::query_bound() const {
  const KernelInstance& k = instance_;
  const std::size_t n = k.tokens(), p = k.output_dim(), d = k.key_dim(), H = k.heads();
  const bool rows = is_normalised(kernel_);
  const std::size_t slope = std::min(p, H * std::min({rows ? n - 1 : n, d, p}));
  const bool unseen = zero_k_ && (zero_q_ || rows);
  if (unseen || zero_v_ || zero_o_) return 0;
  std::size_t bound = rank_stack_ * d * H;
  if (!token_readout.is_proved()) return bound;
  std::size_t nonzero = 0;
  for (const auto& X : k.X)
    for (std::size_t a = 0; a < n; ++a) nonzero += is_zero_row(X, a) ? 0 : 1;
  bound = std::min(bound, nonzero * slope);
  return bound;
}

std::size_t KernelFacts::block_bound(KernelBlock block) const {
  const KernelInstance& k = instance_;
  const bool constant = is_normalised(kernel_) && k.tokens() == 1;
  switch (block) {
    case KernelBlock::query: {
      if (constant) return 0;
      std::size_t bound = query_bound();
      if (is_normalised(kernel_) && obstruction.is_proved())
        bound = std::min(bound, k.residuals() - 1);
      return bound;
    }
    case KernelBlock::key:
      if (constant || zero_v_ || zero_o_) return 0;
      if (zero_q_ && (zero_k_ || kernel_ == AttentionKernel::softmax)) return 0;
      return rank_stack_ * k.key_dim() * k.heads();
    case KernelBlock::value:
      if (attention_) return value_columns_.size();
      return is_normalised(kernel_) && affine_tokens.is_proved()
                 ? std::min(cover_bound(), affine_bound())
                 : cover_bound();
    case KernelBlock::output:
      break;
  }
  if (attention_) return output_rank_;
  return zero_v_ ? 0 : k.residuals();
}

std::size_t KernelFacts::rank_bound(KernelBlocks blocks) const {
  const bool joint =
      attention_ && blocks.contains(KernelBlock::value) && blocks.contains(KernelBlock::output);
  std::size_t sum = joint ? value_output_rank_ : 0;
  for (const KernelBlock block : kernel_blocks)
    if (blocks.contains(block) &&
        !(joint && (block == KernelBlock::value || block == KernelBlock::output)))
      sum += std::min(block_bound(block), parameter_count(instance_.weights, block));
  return std::min({sum, instance_.residuals(), distinct_rows_ * instance_.output_dim()});
}

}  // namespace heed
