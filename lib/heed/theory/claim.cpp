// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/claim.hpp"

#include "heed/theory/attsvm_factors.hpp"
#include "heed/theory/attsvm_landscape.hpp"
#include "heed/theory/attsvm_loss.hpp"
#include "heed/theory/attsvm_margin.hpp"
#include "heed/theory/dm1.hpp"
#include "heed/theory/kernel_convergence.hpp"
#include "heed/theory/kernel_pl.hpp"
#include "heed/theory/kernel_rank.hpp"
#include "heed/theory/kernel_smooth.hpp"
#include "heed/theory/loss.hpp"
#include "heed/theory/mha_grad.hpp"
#include "heed/theory/mha_hessian.hpp"
#include "heed/theory/moment.hpp"
#include "heed/theory/ntk.hpp"

namespace heed {

const std::vector<ClaimInfo>& claim_index() {
  static const std::vector<ClaimInfo> index = [] {
    std::vector<ClaimInfo> all;
    for (auto family :
         {loss_claim_infos(), moment_claim_infos(), mha_grad_claim_infos(),
          mha_hessian_claim_infos(), ntk_claim_infos(), dm1_claim_infos(),
          attsvm_margin_claim_infos(), attsvm_loss_claim_infos(), attsvm_landscape_claim_infos(),
          attsvm_factors_claim_infos(), kernel_pl_claim_infos(), kernel_rank_claim_infos(),
          kernel_smooth_claim_infos(), kernel_convergence_claim_infos()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return index;
}

const ClaimInfo* find_claim(const std::string& id) {
  for (const ClaimInfo& c : claim_index())
    if (c.id == id) return &c;
  return nullptr;
}

}  // namespace heed
