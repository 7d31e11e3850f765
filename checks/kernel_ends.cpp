// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/kernel_ends.hpp"

#include "checks/support/compare.hpp"
#include "checks/support/kernel_claims.hpp"
#include "heed/attention/layer_hessian.hpp"
#include "heed/linalg/saddle_matrix.hpp"
#include "heed/linalg/symmetric_eigenvalues.hpp"

namespace heed::checks {
namespace {

constexpr std::size_t most = 80;

// Blocks of an instance, different ones for different instances.
KernelBlocks some_blocks(const KernelInstance& k) {
  const std::size_t pick = (k.samples() + 3 * k.tokens() + 5 * k.dim() + 7 * k.heads()) % 8;
  const KernelBlock q = KernelBlock::query, c = KernelBlock::key, v = KernelBlock::value,
                    o = KernelBlock::output;
  const KernelBlocks sets[] = {KernelBlocks(q) | c, KernelBlocks(v) | o, KernelBlocks(q),
                               KernelBlocks(c) | v | o};
  return pick < 4 ? sets[pick] : KernelBlocks::all();
}

// Entry by entry against products with the unit vectors, in doubles and balls.
void matrix(const KernelInstance& k, Tally& tally) {
  const KernelBlocks blocks = some_blocks(k);
  const std::size_t P = parameter_count(k.weights, blocks);
  if (P > most) return;
  const PrecisionScope scope(300);
  const KernelModel<Ball> model = kernel_model<Ball>(k, *k.kernel);
  const Matrix<Ball> H = model.hessian(blocks);
  const auto compare = [&](const auto& parts) {
    const auto a = saddle_matrix(parts.blocks, parts.J);
    for (std::size_t r = 0; r < P; ++r)
      for (std::size_t c = 0; c < P; ++c)
        require_overlap("hess f", to_ball(a(r, c)), H(parts.order[r], parts.order[c]));
  };
  compare(layer_hessian(model, blocks));
  compare(layer_hessian(kernel_model<DoubleBall>(k, *k.kernel), blocks));
  ++tally["matrices"];
}

// Enclosures of both ends against all eigenvalues at 300 bits.
void ends(const KernelInstance& k, Tally& tally) {
  const KernelBlocks blocks = some_blocks(k);
  const std::size_t P = parameter_count(k.weights, blocks);
  if (P > most || P < 2) return;
  const HessianEnds found = hessian_ends(k, *k.kernel, blocks),
                    bounds = hessian_bounds(k, *k.kernel, blocks);
  require(!found.one_sided && bounds.one_sided, "the wrong route");
  const PrecisionScope scope(300);
  const KernelModel<Ball> model = kernel_model<Ball>(k, *k.kernel);
  const std::vector<Ball> all = symmetric_eigenvalues(model.hessian(blocks));  // rising
  const Extremes<Ball> sharp = sharpened_ends(found, k, model, blocks);
  const auto overlap = [](const char* name, const Ball& a, const Ball& b) {
    if (a.is_finite() && b.is_finite()) require_overlap(name, a, b);
  };
  for (const HessianEnds* e : {&found, &bounds}) {
    overlap("lambda_min", to_ball(e->least.value), all.front());
    overlap("lambda_max", to_ball(e->largest.value), all.back());
  }
  overlap("sharpened lambda_min", sharp.least, all.front());
  overlap("sharpened lambda_max", sharp.largest, all.back());
  if (found.least.others)
    require(!certainly(less(all[1], Ball(*found.least.others))), "an eigenvalue below `others`");
  if (found.largest.others)
    require(!certainly(less(Ball(*found.largest.others), all[P - 2])),
            "an eigenvalue above `others`");
  tally["others known"] += (found.least.others ? 1 : 0) + (found.largest.others ? 1 : 0);
  tally["others unknown"] += (found.least.others ? 0 : 1) + (found.largest.others ? 0 : 1);
  const Ball size = max(abs(all.front()), abs(all.back()));
  if (!is_tame(k) || !certainly(less(ldexp(Ball(1), -60), size))) return;
  for (const HessianEnd* e : {&found.least, &found.largest})
    require(!certainly(less(size * Ball(1e-6), to_ball(e->value).radius())), "a wide enclosure");
  if (found.least.others)
    require(!certainly(less(size * ldexp(Ball(1), -120), sharp.least.radius())),
            "sharpening gained little");
  ++tally["narrow"];
}

}  // namespace

std::vector<Property> kernel_ends_properties() {
  return {
      kernel_property("kernel_ends.matrix", "the Hessian in blocks, entry by entry", 200, matrix),
      kernel_property("kernel_ends.ends", "both ends of the Hessian against the whole spectrum",
                      150, ends)};
}

}  // namespace heed::checks
