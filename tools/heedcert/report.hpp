// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "heed/linalg/matrix.hpp"
#include "heed/numeric/ball.hpp"
#include "heed/theory/verify.hpp"

namespace heedcert {

using Json = nlohmann::ordered_json;

/// The object that every command prints with --json, without status, quantities and claims.
Json result_object(const std::string& command, const CommonOptions& o,
                   const std::vector<Input>& inputs);

/// Entry by entry as balls.
template <class S>
std::vector<heed::Ball> balls(const std::vector<S>& v) {
  std::vector<heed::Ball> b;
  for (const S& x : v) b.push_back(to_ball(x));
  return b;
}
template <class S>
heed::Matrix<heed::Ball> balls(const heed::Matrix<S>& m) {
  return map(m, [](const S& x) { return to_ball(x); });
}

/// {"lo", "hi"}: decimal strings rounded outward; also "exact" where the value is a short exact number.
Json to_json(const heed::Ball& x, int digits);
Json to_json(const std::vector<heed::Ball>& v, int digits);
Json to_json(const heed::Matrix<heed::Ball>& m, int digits);
/// {"approx": hexadecimal float}.
Json approx_json(double x);
Json approx_json(const std::vector<double>& v);

Json to_json(const heed::ClaimResult& c, const CommonOptions& o);
Json to_json(const heed::IdentityResult& i, const CommonOptions& o);
/// The right-hand sides by claim and rung, named as in the reference files, and L, G, kappa_hat.
Json bounds_json(const std::vector<heed::ClaimResult>& claims, const heed::InstanceQuantities& q,
                 const CommonOptions& o);

/// Prints the one object of --json.
void print_json(const Json& j);

std::string pad(std::string text, std::size_t width);

/// `N = 2, n = 4, D = 3, ...`
std::string kernel_sizes(const heed::KernelInstance& instance);

}  // namespace heedcert
