// SPDX-License-Identifier: Apache-2.0
#include "heed/data/kernel_named.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "heed/attention/kernel_attention.hpp"
#include "heed/data/input_error.hpp"
#include "heed/data/read.hpp"
#include "heed/data/write.hpp"
#include "heed/linalg/approx_eigen.hpp"

using namespace heed;

namespace {

KernelInstance fixture(const std::string& name) {
  return std::get<KernelInstance>(
      read_instance(std::string(HEED_TEST_DATA) + "/fixtures/" + name + ".json"));
}

double loss(const KernelInstance& m, AttentionKernel kernel) {
  return kernel_model<double>(m, kernel).loss();
}

double gradient_norm(const KernelInstance& m, AttentionKernel kernel, KernelBlocks blocks) {
  double sum = 0;
  for (const double g : flatten(kernel_model<double>(m, kernel).gradient(blocks), blocks))
    sum += g * g;
  return std::sqrt(sum);
}

// lambda_min of J J^T over W_V.
double least_value_gram(const KernelInstance& m, AttentionKernel kernel) {
  const Matrix<double> gram = kernel_model<double>(m, kernel).jacobian_gram(KernelBlock::value);
  const std::vector<double> v = approx::extreme_eigenvector(gram, Extreme::smallest);
  double value = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j) value += v[i] * gram(i, j) * v[j];
  return value;
}

constexpr AttentionKernel softmax = AttentionKernel::softmax, gaussian = AttentionKernel::gaussian;

}  // namespace

TEST_CASE("the named instances that are reference files hold the same numbers") {
  const std::vector<std::pair<const char*, const char*>> files = {
      {"SM1", "kernel_06_softmax_bad_min"},
      {"GA1", "kernel_07_gauss_bad_min"},
      {"J1", "kernel_08_joint_saddle"},
      {"HEADS-COVER", "kernel_09_heads_cover"},
      {"J1G", "kernel_12_joint_saddle_gauss"}};
  for (const auto& [name, file] : files) {
    INFO(name);
    KernelInstance named = kernel_instance_named(name);
    named.kernel.reset();  // the files give both kernels
    CHECK(same_numbers(named, fixture(file)));
  }
}

TEST_CASE("every name gives an instance that survives its file") {
  std::set<std::string_view> names;
  for (const KernelName& n : kernel_names()) {
    INFO(n.name);
    CHECK(names.insert(n.name).second);
    CHECK(!n.description.empty());
    const KernelInstance m = kernel_instance_named(n.name);
    CHECK(m.name == n.name);
    CHECK(same_numbers(m, std::get<KernelInstance>(parse_instance(to_json(m), "named"))));
    for (const AttentionKernel kernel : reported_kernels(m)) CHECK(loss(m, kernel) >= 0);
  }
}

TEST_CASE("an unknown name is answered with the known ones") {
  try {
    kernel_instance_named("SM2");
    FAIL("accepted");
  } catch (const InputError& e) {
    const std::string text = e.what();
    CHECK(text.find("SM1, GA1, PAIR") != std::string::npos);
    CHECK(text.find("SM2") != std::string::npos);
  }
}

TEST_CASE("losses and stationary points of the named instances are as derived") {
  const auto at = [](const char* name) { return kernel_instance_named(name); };
  CHECK(loss(at("SM1"), softmax) == Approx(0.1).epsilon(1e-14));
  CHECK(loss(at("GA1"), gaussian) == Approx(0.9567822596).epsilon(1e-9));
  CHECK(loss(at("PAIR"), gaussian) == Approx(2 * 0.12499998477).epsilon(1e-9));
  CHECK(loss(at("FOUR"), softmax) == Approx(4 * 0.07793).epsilon(1e-4));
  CHECK(gradient_norm(at("FOUR"), softmax, KernelBlock::query) < 1e-12);
  CHECK(loss(at("COUPLED"), softmax) == Approx(12.4922667).epsilon(1e-8));
  CHECK(gradient_norm(at("COUPLED"), softmax, KernelBlock::query) < 1e-12);
  CHECK(loss(at("KRAWCZYK-S"), softmax) == Approx(54.7812499999998528).epsilon(1e-15));
  CHECK(gradient_norm(at("KRAWCZYK-S"), softmax, KernelBlock::query) < 1e-11);
  CHECK(loss(at("KRAWCZYK-G"), gaussian) == Approx(39.565637013).epsilon(1e-9));
  CHECK(gradient_norm(at("KRAWCZYK-G"), gaussian, KernelBlock::query) < 1e-11);
  CHECK(gradient_norm(at("J1"), softmax, KernelBlocks::all()) == 0);
  CHECK(gradient_norm(at("J1G"), gaussian, KernelBlocks::all()) == 0);
  // VAL3: beyond q = 0.5914 the loss falls as q grows, towards 1/8 a token.
  const auto model = kernel_model<double>(at("VAL3"), softmax);
  for (const double g : flatten(model.gradient(KernelBlock::query), KernelBlock::query))
    CHECK(g < 0);
  CHECK(model.loss() > 3.0 / 8);
}

TEST_CASE("the rank instances have the ranks that they are named for") {
  CHECK(std::abs(least_value_gram(kernel_instance_named("RANK-TOKEN"), softmax)) < 1e-14);
  CHECK(least_value_gram(kernel_instance_named("RANK-TOKEN"), gaussian) ==
        Approx(0.02534).epsilon(1e-3));
  CHECK(std::abs(
            kernel_model<double>(kernel_instance_named("RANK-POOLED"), softmax).features(0)(0, 0)) <
        1e-16);
  CHECK(kernel_model<double>(kernel_instance_named("RANK-POOLED"), gaussian).features(0)(0, 0) ==
        Approx(2 * std::exp(-2.0) - 2 * std::exp(-0.5)).epsilon(1e-14));
  CHECK(least_value_gram(kernel_instance_named("HEADS-COVER"), softmax) ==
        Approx(7.9e-6).epsilon(0.01));
  CHECK(least_value_gram(kernel_instance_named("HEADS-COVER"), gaussian) ==
        Approx(2.4e-3).epsilon(0.03));
  CHECK(std::abs(least_value_gram(kernel_instance_named("AFFINE"), softmax)) < 1e-14);
  CHECK(least_value_gram(kernel_instance_named("AFFINE"), gaussian) > 1e-4);
}
