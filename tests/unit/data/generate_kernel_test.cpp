// SPDX-License-Identifier: Apache-2.0
#include "heed/data/generate_kernel.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "heed/data/input_error.hpp"
#include "heed/data/read.hpp"
#include "heed/data/write.hpp"

using namespace heed;

namespace {

std::vector<double> labels(const KernelData& data) {
  std::vector<double> y;
  for (const Matrix<double>& m : data.Y) y.push_back(m(0, 0));
  return y;
}

}  // namespace

TEST_CASE("SplitMix64: words and normals of the reference") {
  SplitMix64 words(1);
  CHECK(words.word() == 0x910a2dec89025cc1u);
  CHECK(words.word() == 0xbeeb8da1658eec67u);
  CHECK(words.word() == 0xf893a2eefb32555eu);
  SplitMix64 normals(1);
  CHECK(normals.normal() == Approx(-0.034267321791851144).epsilon(1e-15));
  CHECK(normals.normal() == Approx(-2.5000674933698677).epsilon(1e-15));
  CHECK(normals.normal() == Approx(0.08772246831488635).epsilon(1e-15));
}

TEST_CASE("SplitMix64: every value below a bound, and none above") {
  SplitMix64 stream(7);
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{11},
                                    (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}})
    for (int k = 0; k < 50; ++k) CHECK(stream.below(count) < count);
  std::set<std::uint64_t> seen;
  for (int k = 0; k < 300; ++k) seen.insert(stream.below(11));
  CHECK(seen.size() == 11);
}

TEST_CASE("SplitMix64: words above the last multiple are rejected") {
  // Of the bound 2^63 + 1 only the words 0 .. 2^63 count; others are skipped.
  SplitMix64 plain(3), bounded(3);
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  for (int k = 0; k < 20; ++k) {
    std::uint64_t word = plain.word();
    while (word >= bound) word = plain.word();
    CHECK(bounded.below(bound) == word);
  }
}

TEST_CASE("token task: labels and tokens of the reference") {
  const KernelData data = token_task(5000, 4);
  CHECK(labels(data) == std::vector<double>{-1, 1, 1, -1});
  const std::vector<double> first(data.X[0].row(0), data.X[0].row(0) + 16);
  CHECK(first ==
        std::vector<double>{-.5, .5, .5, .5, -.5, .5, -.5, .5, .5, .5, .5, -.5, -.5, -.5, .5, -.5});
  double sum = 0;
  for (const Matrix<double>& x : data.X)
    for (const double v : x.entries()) sum += v;
  CHECK(sum == -9);
}

TEST_CASE("pathfinder: labels and patches of the reference") {
  const KernelData data = pathfinder(6000, 4);
  CHECK(labels(data) == std::vector<double>{-1, 1, -1, 1});
  std::string cells;
  for (std::size_t token = 0; token < 9; ++token) {
    for (std::size_t c = 0; c < 4; ++c)
      cells += std::to_string(static_cast<int>(data.X[0](token, c)));
    cells += " ";
    for (std::size_t c = 0; c < 9; ++c) CHECK(data.X[0](token, 4 + c) == (c == token ? 1 : 0));
  }
  CHECK(cells == "0000 0000 2101 0000 0000 0101 0021 0111 0000 ");
}

TEST_CASE("pathfinder: two curves of five cells, two marked ends, both labels") {
  const KernelData data = pathfinder(1, 200);
  int positive = 0;
  for (std::size_t i = 0; i < data.X.size(); ++i) {
    int ones = 0, twos = 0;
    for (std::size_t token = 0; token < 9; ++token)
      for (std::size_t c = 0; c < 4; ++c) {
        ones += data.X[i](token, c) == 1 ? 1 : 0;
        twos += data.X[i](token, c) == 2 ? 1 : 0;
      }
    CHECK(ones == 8);
    CHECK(twos == 2);
    positive += data.Y[i](0, 0) == 1 ? 1 : 0;
  }
  CHECK(positive > 60);
  CHECK(positive < 140);
}

TEST_CASE("generated layers have the shapes that were asked for, and survive their file") {
  KernelSpec spec;
  spec.samples = 3;
  for (const KernelSpec::Data data :
       {KernelSpec::Data::token_task, KernelSpec::Data::pathfinder, KernelSpec::Data::normal}) {
    spec.data = data;
    const bool paths = data == KernelSpec::Data::pathfinder;
    spec.tokens = paths ? 9 : 5;
    spec.shape = {paths ? 13u : 6u, 4, 3, data == KernelSpec::Data::normal ? 2u : 1u, 2};
    const KernelInstance m = generate_kernel(spec);
    CHECK(m.samples() == 3);
    CHECK(m.tokens() == spec.tokens);
    CHECK(m.dim() == spec.shape.dim);
    CHECK(m.key_dim() == 4);
    CHECK(m.value_dim() == 3);
    CHECK(m.heads() == 2);
    CHECK(m.output_dim() == spec.shape.outputs);
    CHECK(readout_word(m) == (data == KernelSpec::Data::normal ? "token" : "pooled"));
    CHECK(beta_text(m) == "0.5");
    CHECK(same_numbers(m, std::get<KernelInstance>(parse_instance(to_json(m), "generated"))));
    CHECK(same_numbers(m, generate_kernel(spec)));
    KernelSpec other = spec;
    other.weight_seed = 2;
    CHECK(generate_kernel(other).X == m.X);
    CHECK(!(generate_kernel(other).weights == m.weights));
    other.seed = 9;
    CHECK(generate_kernel(other).X != m.X);
  }
}

TEST_CASE("weights of the reference runs: order and scale") {
  SplitMix64 stream(7000), again(7000);
  const KernelShape shape{16, 8, 4, 1, 2};
  const KernelWeights<double> w = normal_weights(stream, shape);
  CHECK(w.W_Q[0](0, 0) == 0.25 * again.normal());
  for (int k = 1; k < 2 * 128 + 2 * 128 + 2 * 64; ++k) again.normal();
  CHECK(w.W_O[0](0, 0) == 0.5 * again.normal());
}

TEST_CASE("impossible layers name the parameter") {
  const auto message = [](auto&& change) {
    KernelSpec spec;
    change(spec);
    try {
      generate_kernel(spec);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  using Data = KernelSpec::Data;
  CHECK(message([](KernelSpec& s) { s.samples = 0; }).starts_with("n:"));
  CHECK(message([](KernelSpec& s) { s.tokens = 3; }).starts_with("tokens:"));
  CHECK(message([](KernelSpec& s) { s.shape.outputs = 2; }).starts_with("outputs:"));
  CHECK(message([](KernelSpec& s) { s.data = Data::pathfinder; }).starts_with("tokens, dim:"));
  CHECK(message([](KernelSpec& s) { s.shape.heads = 0; }) != "accepted");
  CHECK(message([](KernelSpec& s) { s.shape.key_dim = 0; }) != "accepted");
  CHECK(message([](KernelSpec& s) { s.shape.value_dim = 0; }) != "accepted");
  CHECK(message([](KernelSpec& s) { s.shape.value_dim = 1'000'000'000; }) != "accepted");
}
