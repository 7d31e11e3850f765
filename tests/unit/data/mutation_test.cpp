// SPDX-License-Identifier: Apache-2.0
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
void run(const std::string& original, int rounds, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  int refused = 0;
  for (int k = 0; k < rounds; ++k) {
    const std::string bytes = mutated(original, engine);
    try {
      const MhaInstance instance = parse_mha_instance(bytes, "mutated");
      if (instance.samples() == 0 || instance.y.size() != instance.samples() ||
          instance.dim() == 0 || (instance.weights && instance.heads() == 0)) {
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
