// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "heed/landscape/decouple.hpp"

namespace landscape_test {

using heed::AttentionKernel;
using heed::Ball;
using heed::CriticalKind;
using heed::KernelInstance;
using heed::Landscape1d;
using heed::Rational;
using heed::TokenProblem;

using Texts = std::initializer_list<const char*>;

/// Numbers as in an instance file; beta = 1.
TokenProblem problem(AttentionKernel kernel, const std::vector<std::string>& keys,
                     const std::vector<std::string>& values, const std::string& target);

/// SM1, GA1, PAIR, VAL3 or FOUR of the literature on bad minima of one query.
TokenProblem named(const std::string& name, AttentionKernel kernel);

/// One sample of n = D orthonormal tokens, H = d = d_v = p = 1, W_Q = 0, so that every token has
/// the same problem.
KernelInstance layer(const TokenProblem& problem);

/// Matrices of small fractions without structure; `state` is the seed, and goes on.
std::vector<heed::Matrix<Rational>> small_fractions(std::size_t number, std::size_t rows,
                                                    std::size_t cols, int& state);

/// The midpoint lies within 10^-digits of the decimal and the ball is narrower than that.
bool is_near(const Ball& x, const std::string& decimal, int digits);

/// `global minimum, maximum, ...`, and `*` after a minimum that is certainly not global.
std::string kinds(const Landscape1d& landscape);

/// Containers of all four kernels.
std::vector<AttentionKernel> all_kernels();

}  // namespace landscape_test
