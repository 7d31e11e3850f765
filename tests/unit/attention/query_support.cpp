// SPDX-License-Identifier: Apache-2.0
#include "unit/attention/query_support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace heed::test {
namespace {

using nlohmann::json;

Rational number(const json& j) {
  if (j.is_string()) return Rational::parse(j.get<std::string>());
  return j.is_number_integer() ? Rational(j.get<long>()) : Rational(j.get<double>());
}

std::vector<Rational> vector(const json& j) {
  std::vector<Rational> v;
  for (const json& x : j) v.push_back(number(x));
  return v;
}

Matrix<Rational> matrix(const json& j) {
  Matrix<Rational> m(j.size(), j.at(0).size());
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c) m(r, c) = number(j[r].at(c));
  return m;
}

QueryLoss loss_named(const std::string& word) {
  if (word == "logistic") return QueryLoss::logistic;
  if (word == "exp") return QueryLoss::exponential;
  if (word == "corr") return QueryLoss::correlation;
  throw std::runtime_error("unknown loss " + word);
}

QueryHead head_of(const json& j) {
  const std::string type = j.at("type");
  if (type == "linear") return LinearHead{};
  if (type == "relu") return ReluHead{matrix(j.at("V")), vector(j.at("w"))};
  if (type == "lambda") return QuadraticHead{number(j.at("lam"))};
  throw std::runtime_error("unknown head " + type);
}

std::optional<Rational> maybe(const json& j, const char* key) {
  if (!j.contains(key)) return std::nullopt;
  return number(j.at(key));
}

QueryRun run_of(const json& checkpoints) {
  QueryRun run;
  for (const auto& [steps, c] : checkpoints.items())
    run.checkpoints.push_back({std::stol(steps), vector(c.value("m", json::array())),
                               maybe(c, "loss_before_step"), maybe(c, "L"), maybe(c, "grad_norm"),
                               maybe(c, "norm")});
  std::sort(run.checkpoints.begin(), run.checkpoints.end(),
            [](const auto& a, const auto& b) { return a.steps < b.steps; });
  return run;
}

QueryFixture read(const std::filesystem::path& path) {
  std::ifstream stream(path);
  const json j = json::parse(stream);
  QueryFixture f;
  f.file = path.filename().string();
  for (const json& x : j.at("X")) f.instance.X.push_back(matrix(x));
  f.instance.Z = matrix(j.at("Z"));
  for (const json& y : j.at("y")) f.instance.y.push_back(number(y).sign());
  f.instance.v = vector(j.at("v"));
  for (const json& e : j.value("loss_evals", json::array())) {
    QueryEvaluation q;
    q.point.loss = loss_named(e.at("loss"));
    q.point.head = head_of(e.at("head"));
    q.point.weights.W = matrix(e.at("W"));
    q.point.direction = matrix(e.at("D"));
    q.loss = number(e.at("L"));
    q.gradient = matrix(e.at("grad"));
    q.product = matrix(e.at("hvp"));
    q.quadratic = number(e.at("quad"));
    f.evaluations.push_back(std::move(q));
  }
  for (const json& r : j.value("gd_runs", json::array())) {
    QueryRun run = run_of(r.at("checkpoints"));
    run.loss = loss_named(r.at("loss"));
    run.normalised = r.at("mode") == "ngd";
    run.step = number(r.at("eta"));
    run.start = Matrix<Rational>(f.instance.dim(), f.instance.dim());
    f.runs.push_back(std::move(run));
  }
  if (j.contains("checkpoints")) {
    QueryRun run = run_of(j.at("checkpoints"));
    run.step = Rational(1, 10);
    run.start = matrix(j.at("W0"));
    f.runs.push_back(std::move(run));
  }
  for (const json& a : j.contains("alpha") ? j.at("alpha") : j.at("opt"))
    f.instance.selected.push_back({a.get<std::size_t>()});
  return f;
}

}  // namespace

std::vector<QueryFixture> query_fixtures() {
  std::vector<QueryFixture> all;
  for (const auto& entry : std::filesystem::directory_iterator(HEED_TEST_DATA "/fixtures"))
    if (entry.path().filename().string().starts_with("attsvm_")) all.push_back(read(entry.path()));
  std::sort(all.begin(), all.end(),
            [](const QueryFixture& a, const QueryFixture& b) { return a.file < b.file; });
  return all;
}

QueryFixture query_fixture(const std::string& name) {
  return read(std::string(HEED_TEST_DATA "/fixtures/") + name);
}

}  // namespace heed::test
