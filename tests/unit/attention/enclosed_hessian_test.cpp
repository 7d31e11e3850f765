// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "heed/attention/mha_enclosed.hpp"
#include "heed/data/read.hpp"
#include "heed/linalg/fast_eigenvalue.hpp"
#include "heed/linalg/spectral.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/fast_support.hpp"

namespace {

using heed::Ball;
using heed::EnclosedMha;
using heed::MhaInstance;
using heed::MhaModel;
using heed::PointSaddle;
using heed::approx::to_double;
using heed::test::Hard;

// Frobenius norm of the difference to the exact Hessian: at least its spectral norm, and no more than
// sqrt(P) times it.
struct Distance {
  double bound = 0, found = 0, norm = 0;
};

Distance distance(const MhaInstance& instance, const char* set) {
  const PointSaddle a = EnclosedMha(heed::mha_inputs<double>(instance), set).hessian();
  const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
  const auto blocks = exact.loss_blocks();
  const Ball unit = ldexp(Ball(1), a.exponent());
  Distance result;
  result.bound = to_double(Ball(a.perturbation()) * unit);
  result.norm = to_double(Ball(a.norm_bound()) * unit);
  Ball of_blocks(0);
  for (std::size_t h = 0; h < blocks.size(); ++h) {
    Ball sum(0);
    for (std::size_t k = 0; k < blocks[h].M.size(); ++k)
      sum += ldexp(square(blocks[h].M.data()[k] - unit * Ball(a.blocks()[h].M.data()[k])), 1);
    for (std::size_t j = 0; j < blocks[h].K.rows(); ++j)
      for (std::size_t k = 0; k <= j; ++k)
        sum +=
            ldexp(square(blocks[h].K(j, k) - unit * Ball(a.blocks()[h].K(j, k))), j == k ? 0 : 1);
    of_blocks = max(of_blocks, sum);
  }
  // J of both, by the products J^T J: rows of equal samples are added up in one of them.
  const auto gram = [](const heed::Matrix<Ball>& j, std::size_t p, std::size_t q) {
    return dot(j.rows(), j.data() + p, j.cols(), j.data() + q, j.cols());
  };
  const heed::Matrix<Ball> J = exact.weighted_gradients();
  // The stored J is scaled by the root of 2^-exponent.
  const heed::Matrix<Ball> found = heed::map(a.J(), [&](double x) { return sqrt(unit) * Ball(x); });
  Ball sum(0);
  for (std::size_t p = 0; p < J.cols(); ++p)
    for (std::size_t q = 0; q <= p; ++q)
      sum += ldexp(square(gram(J, p, q) - gram(found, p, q)), p == q ? 0 : 1);
  result.found = to_double(sqrt(of_blocks)) + to_double(sqrt(sum));
  return result;
}

TEST_CASE("enclosed Hessian: the exact one lies within the perturbation, and it is small") {
  const heed::PrecisionScope precision(320);
  std::size_t narrow = 0, all = 0;
  for (int kind = 0; kind < static_cast<int>(Hard::count); ++kind)
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      const MhaInstance instance = heed::test::random_instance(static_cast<Hard>(kind), seed);
      const char* const sets[] = {"baseline", "avx2", "avx512"};
      const Distance d = distance(instance, sets[seed % 3]);
      INFO("kind " << kind << ", seed " << seed << ": error " << d.found << ", bound " << d.bound
                   << ", norm " << d.norm);
      // Frobenius norms of two parts: the spectral norm of their sum may be smaller, hence the
      // comparison by eigenvalues below; errors of this size would still be seen here.
      CHECK((d.found <= d.bound || std::isinf(d.bound)));
      if (kind != static_cast<int>(Hard::nothing)) continue;
      ++all;
      narrow += d.bound <= 1e-9 * d.norm ? 1 : 0;
    }
  CHECK(narrow == all);
}

TEST_CASE("enclosed Hessian: lambda_min of fixtures by fast_lambda_min contains the exact one") {
  const heed::PrecisionScope precision(400);
  const std::vector<std::string> files = heed::test::mha_fixtures();
  REQUIRE(!files.empty());
  std::size_t narrow = 0;
  for (const std::string& file : files) {
    const MhaInstance instance = heed::read_mha_instance(file);
    const MhaModel<Ball> exact(heed::mha_inputs<Ball>(instance));
    const Ball least = extremes(exact.loss_blocks(), exact.weighted_gradients()).least;
    const PointSaddle a = EnclosedMha(heed::mha_inputs<double>(instance)).hessian();
    const heed::FastEigenvalue found = heed::fast_lambda_min(a);
    INFO(file << ": [" << found.lower << ", " << found.upper << "], exact " << to_double(least));
    CHECK_FALSE(certainly(less(least, Ball(found.lower))));
    CHECK_FALSE(certainly(less(Ball(found.upper), least)));
    narrow += found.upper - found.lower <= 1e-6 * std::fabs(found.lower) ? 1 : 0;
  }
  INFO(narrow << " of " << files.size() << " narrow");
  CHECK(2 * narrow >= files.size());
}

}  // namespace
