// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checks/support/instances.hpp"
#include "heed/landscape/token_problem.hpp"

namespace heed::checks {

/// The problem of one token in an instance with one sample, one head and d = 1: keys X[0], values
/// U[0], target W[0]; beta = 1 for the label 1, sqrt(1/3) for -1.
Drawn draw_token_problem(Source& source, const SizeLimit& limit);
TokenProblem token_problem_of(const MhaInstance& instance, AttentionKernel kernel);

/// Tokens with one of the first `most` different keys only.
MhaInstance with_few_keys(const MhaInstance& instance, std::size_t most);

/// By the definition of the kernel and the quotient rule, so at many bits.
struct TextbookToken {
  Ball phi, residual, first, second;
};
TextbookToken textbook_token(const TokenProblem& problem, const Ball& q);
/// g' = (phi - y) phi'.
Ball textbook_loss_slope(const TokenProblem& problem, const Ball& q);

/// The same in double.
class ScannedToken {
 public:
  explicit ScannedToken(const TokenProblem& problem);
  double loss(double q) const;
  double loss_slope(double q) const;

 private:
  struct Value {
    double residual, slope;
  };
  Value value(double q) const;

  std::vector<double> keys_, values_;
  double target_, beta_;
  AttentionKernel kernel_;
};

}  // namespace heed::checks
