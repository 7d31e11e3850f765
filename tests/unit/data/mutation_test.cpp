// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "heed/data/read.hpp"
#include "heed/data/write.hpp"
#include "unit/data/support.hpp"

using namespace heed;

namespace {

/// One to four random edits: flip, overwrite, remove, insert or repeat bytes, or cut the end off.
std::string mutated(std::string bytes, std::mt19937_64& engine) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(engine() % count); };
  static const std::string special("[]{},:\"\\/-+.eExp01\0\xff\x80\n", 22);
  for (std::size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = special[below(special.size())];
        break;
      case 2:
        bytes.erase(at, 1 + below(8));
        break;
      case 3:
        bytes.insert(at, 1 + below(3), special[below(special.size())]);
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
        break;
      default:
        if (below(8) == 0) bytes.resize(at);
    }
  }
  return bytes;
}

/// Damaged bytes give an InputError or an instance that is consistent; anything else escapes.
bool consistent(const MhaInstance& instance) {
  return instance.samples() > 0 && instance.y.size() == instance.samples() && instance.dim() > 0 &&
         (!instance.weights || instance.heads() > 0);
}

bool consistent(const QueryInstance& instance) {
  const std::size_t n = instance.inputs(), d = instance.dim();
  if (n == 0 || d == 0 || instance.y.size() != n || instance.Z.rows() != n ||
      instance.selected.size() != n || (instance.v && instance.v->size() != d))
    return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (instance.X[i].cols() != d || instance.selected[i].empty()) return false;
    for (const std::size_t t : instance.selected[i])
      if (t >= instance.X[i].rows()) return false;
  }
  for (const QueryPoint& point : instance.points)
    if (point.weights.W.rows() != d || point.weights.W.cols() != d) return false;
  return true;
}

bool consistent(const RowsInstance& instance) { return instance.F.size() > 0; }

bool consistent(const KernelInstance& instance) {
  const std::size_t H = instance.heads();
  const auto all = [](const std::vector<Matrix<Rational>>& list, std::size_t count,
                      std::size_t rows, std::size_t cols) {
    return list.size() == count && std::all_of(list.begin(), list.end(), [&](const auto& m) {
             return m.rows() == rows && m.cols() == cols && m.size() > 0;
           });
  };
  const auto& w = instance.weights;
  const std::size_t N = instance.samples(), D = instance.dim();
  return N > 0 && H > 0 && instance.beta.value.sign() > 0 &&
         all(instance.X, N, instance.tokens(), D) &&
         all(instance.Y, N, instance.rows(), instance.output_dim()) &&
         all(w.W_Q, H, D, instance.key_dim()) && all(w.W_K, H, D, instance.key_dim()) &&
         all(w.W_V, H, D, instance.value_dim()) &&
         all(w.W_O, H, instance.value_dim(), instance.output_dim());
}

void run(const std::string& original, int rounds, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  int refused = 0;
  for (int k = 0; k < rounds; ++k) {
    const std::string bytes = mutated(original, engine);
    try {
      const Instance instance = parse_instance(bytes, "mutated");
      if (!std::visit([](const auto& model) { return consistent(model); }, instance)) {
        FAIL("an inconsistent instance was accepted in round " << k);
      }
    } catch (const InputError& error) {
      ++refused;
      if (std::string(error.what()).rfind("mutated: ", 0) != 0 ||
          std::string(error.what()).size() > 600) {
        FAIL("round " << k << ": " << error.what());
      }
    }
  }
  CHECK(refused > rounds / 4);
}

MhaInstance sample_instance() {
  return read_mha_instance((data_test::folder / "fixtures/mha_base.json").string());
}

}  // namespace

TEST_CASE("mutated JSON never crashes the reader") { run(to_json(sample_instance()), 20000, 11); }

TEST_CASE("mutated kernel instances never crash the reader") {
  const auto file = data_test::folder / "fixtures/kernel_02_heads.json";
  const auto instance = std::get<KernelInstance>(read_instance(file.string()));
  run(to_json(instance), 10000, 15);
  run(to_npz(instance, "f"), 10000, 16);
}

TEST_CASE("mutated stored archives never crash the reader") {
  run(to_npz(sample_instance(), "f"), 20000, 12);
}

TEST_CASE("mutated compressed archives never crash the reader") {
  run(data_test::bytes_of(data_test::folder / "hostile/accepted_deflate.npz"), 20000, 13);
}

TEST_CASE("mutated directions never crash the reader") {
  std::mt19937_64 engine(14);
  const std::string json = R"({"direction": ["1", "-1/3", 0.5, "0x1p-3"]})";
  const std::string npy = data_test::bytes_of(data_test::folder / "hostile/kind_npy.npy");
  int refused = 0;
  for (int k = 0; k < 20000; ++k) {
    try {
      parse_direction(mutated(k % 2 ? json : npy, engine), "mutated", 4);
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(refused > 5000);
}

TEST_CASE("damaged query instances and rows are refused or consistent") {
  QueryInstance query;
  query.X = {data_test::matrix({{"1", "0.5"}, {"0", "3"}}), data_test::matrix({{"4", "4"}})};
  query.Z = data_test::matrix({{"1", "0"}, {"2", "1"}});
  query.y = {1, -1};
  query.v = std::vector<Rational>{Rational(1), Rational(-2)};
  query.selected = {{1, 0}, {0}};
  query.selected_given = true;
  QueryPoint point;
  point.weights.K = data_test::matrix({{"1"}, {"2"}});
  point.weights.Q = data_test::matrix({{"3"}, {"-1"}});
  point.weights.W = data_test::matrix({{"3", "-1"}, {"6", "-2"}});
  point.head = QuadraticHead{Rational(1, 4)};
  query.points = {point};
  run(to_json(query), 3000, 11);
  run(to_npz(query, "q"), 1500, 12);
  RowsInstance rows;
  rows.F = data_test::matrix({{"1", "2", "-0.5"}, {"0", "0", "7"}});
  run(to_json(rows), 2000, 13);
  run(to_npz(rows, "r"), 1000, 14);
}
