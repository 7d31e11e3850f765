// SPDX-License-Identifier: Apache-2.0
#include "unit/landscape/points_support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/linalg/exact_solve.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/kernel_support.hpp"
#include "unit/landscape/support.hpp"

namespace landscape_test {

using heed::KernelBlock;
using heed::KernelBlocks;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PointBox;
using nlohmann::json;

namespace {

Matrix<Rational> matrix(const std::vector<std::vector<std::string>>& rows) {
  Matrix<Rational> m(rows.size(), rows.front().size());
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c) m(r, c) = Rational::parse(rows[r][c]);
  return m;
}

std::vector<Rational> doubles(const json& j) {
  std::vector<Rational> list;
  for (const json& x : j) list.emplace_back(x.get<double>());
  return list;
}

std::vector<Rational> decimals(const json& j) {
  std::vector<Rational> list;
  for (const json& x : j) list.push_back(Rational::parse(x.get<std::string>()));
  return list;
}

Matrix<Rational> column(const std::vector<Rational>& v) {
  Matrix<Rational> m(v.size(), 1);
  m.entries() = v;
  return m;
}

// w with X w = y, for X of full column rank.
Matrix<Rational> solved(const Matrix<Rational>& X, const std::vector<Rational>& y) {
  const auto w = heed::solve_exactly(gram_of_columns(X), transposed_multiply(X, y));
  REQUIRE(w);
  REQUIRE(multiply(X, *w) == y);
  return column(*w);
}

}  // namespace

CoupledReference coupled_reference(AttentionKernel kernel) {
  std::ifstream file(std::string(HEED_TEST_DATA) + "/landscape/krawczyk_reference.json");
  const json j = json::parse(file).at(std::string(heed::kernel_word(kernel)));
  const json& in = j.at("instance");
  KernelInstance k;
  Matrix<Rational> X(4, 2);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 2; ++c) X(r, c) = Rational(in["X"][0][r][c].get<double>());
  k.X = {X};
  k.Y = {column(doubles(in["Y"][0]))};
  k.readout = heed::token_readout(4);
  k.weights.W_Q = {Matrix<Rational>(2, 1)};
  k.weights.W_K = {solved(X, doubles(in["K"][0]))};
  k.weights.W_V = {solved(X, doubles(in["P"][0]))};
  k.weights.W_O = {matrix({{"1"}})};
  CoupledReference r;
  r.problem = {k, kernel, KernelBlock::query};
  r.box = {decimals(j["centre"]), Rational::parse(j["radius"].get<std::string>()), {}};
  r.eigenvalues = decimals(j["hessian_eigs"]);
  r.loss_low = Rational::parse(j["loss_on_box"][0].get<std::string>());
  r.loss_high = Rational::parse(j["loss_on_box"][1].get<std::string>());
  r.witness = r.problem.weights(decimals(j["witness"]));
  r.witness_loss = Rational::parse(j["witness_loss_upper"].get<std::string>());
  return r;
}

LandscapeProblem coupled_pair() {
  KernelInstance k;
  k.X = {matrix({{"6"}, {"1"}})};
  k.Y = {matrix({{"1"}, {"5"}})};
  k.readout = heed::token_readout(2);
  k.weights = {{matrix({{"0"}})}, {matrix({{"1"}})}, {matrix({{"1"}})}, {matrix({{"1"}})}};
  return {k, AttentionKernel::softmax, KernelBlock::query};
}

LandscapeProblem two_outputs() {
  KernelInstance k;
  k.X = {matrix({{"1"}})};
  k.Y = {matrix({{"1", "1"}})};
  k.readout = heed::token_readout(1);
  k.weights = {{matrix({{"0"}})}, {matrix({{"0"}})}, {matrix({{"1"}})}, {matrix({{"1", "0"}})}};
  return {k, AttentionKernel::softmax, KernelBlocks(KernelBlock::value) | KernelBlock::output};
}

LandscapeProblem sm1() {
  return {layer(named("SM1", AttentionKernel::softmax)), AttentionKernel::softmax,
          KernelBlock::query};
}

LandscapeProblem fixture_problem(const std::string& file, AttentionKernel kernel,
                                 const std::string& trained) {
  return {heed::test::kernel_fixture(file).instance, kernel, *KernelBlocks::parse(trained)};
}

std::vector<Rational> constant(std::size_t count, const std::string& value) {
  return std::vector<Rational>(count, Rational::parse(value));
}

void require_stationary_at_high_precision(const LandscapeProblem& problem, const PointBox& box) {
  const auto point = heed::approx::refine(problem, box.centre, box.frozen, 110);
  REQUIRE(point);
  const heed::PrecisionScope precision(512);
  for (std::size_t k = 0; k < point->size(); ++k)
    CHECK(abs((*point)[k] - box.centre[k]) <= box.radius);
  const auto model = heed::LandscapeModel(problem).at(*point);
  for (const Ball& g : flatten(model.gradient(problem.trained), problem.trained))
    CHECK(certainly(less(abs(g), heed::power_of_ten(-100))));
}

}  // namespace landscape_test
