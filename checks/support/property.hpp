// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "checks/support/instances.hpp"
#include "checks/support/kernel_instances.hpp"
#include "checks/support/query_instances.hpp"
#include "heed/data/instance.hpp"

namespace heed::checks {

/// A property does not hold; the message says which quantity, where, and the values.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Counts of what a property met: how often it applied, what it had to leave out.
using Tally = std::map<std::string, long>;

using Draw = Drawn (*)(Source&, const SizeLimit&);
using QueryDraw = DrawnQuery (*)(Source&, const SizeLimit&);
using KernelDraw = DrawnKernel (*)(Source&, const SizeLimit&);

/// Something that must hold for every instance that `draw` makes and for every replayed file.
struct Property {
  std::string name;  ///< family.property; the family is the name of a note and of a file here
  std::string statement;
  Draw draw = draw_instance;
  /// Cases for each 1000 asked for: properties cost between 0.1 and 100 ms a case.
  int per_thousand = 1000;
  /// Throws Failure. Must not depend on anything but the instance.
  std::function<void(const MhaInstance&, Tally&)> hold;
  /// Prints totals after the last case; false: the totals are a failure.
  std::function<bool(std::ostream&)> finish;
  /// Set instead of `hold`, and used with `draw_query`, by properties of query attention.
  std::function<void(const QueryInstance&, Tally&)> hold_query = {};
  QueryDraw draw_query = draw_query_instance;
  /// Likewise by properties of kernel attention.
  std::function<void(const KernelInstance&, Tally&)> hold_kernel = {};
  KernelDraw draw_kernel = draw_kernel_instance;

  std::string family() const { return name.substr(0, name.find('.')); }
};

/// A property of query attention.
Property query_property(std::string name, std::string statement, int per_thousand,
                        std::function<void(const QueryInstance&, Tally&)> hold,
                        QueryDraw draw = draw_query_instance);

/// A property of kernel attention.
Property kernel_property(std::string name, std::string statement, int per_thousand,
                         std::function<void(const KernelInstance&, Tally&)> hold,
                         KernelDraw draw = draw_kernel_instance);

std::vector<Property> loss_properties();
std::vector<Property> moment_properties();
std::vector<Property> mha_grad_properties();
std::vector<Property> mha_hessian_properties();
std::vector<Property> identities_properties();
std::vector<Property> decision_properties();
std::vector<Property> mha_model_properties();
std::vector<Property> mpfi_properties();
std::vector<Property> hessian_structure_properties();
std::vector<Property> eigenvalue_enclosure_properties();
std::vector<Property> fast_eigenvalue_properties();
std::vector<Property> elementary_properties();
std::vector<Property> double_ball_properties();
std::vector<Property> token_rank_properties();
std::vector<Property> gradient_enclosure_properties();
std::vector<Property> ntk_properties();
std::vector<Property> dm1_properties();
std::vector<Property> query_attention_properties();
std::vector<Property> query_mpfi_properties();
std::vector<Property> query_symmetries_properties();
std::vector<Property> frobenius_margin_properties();
std::vector<Property> attsvm_margin_properties();
std::vector<Property> attsvm_loss_properties();
std::vector<Property> attsvm_landscape_properties();
std::vector<Property> attsvm_factors_properties();
std::vector<Property> nuclear_margin_properties();
std::vector<Property> kernel_attention_properties();
std::vector<Property> landscape_1d_properties();
std::vector<Property> token_pl_properties();
std::vector<Property> kernel_pl_properties();
std::vector<Property> kernel_rank_properties();
std::vector<Property> kernel_ends_properties();
std::vector<Property> kernel_smooth_properties();
std::vector<Property> kernel_convergence_properties();
std::vector<Property> landscape_properties();
std::vector<Property> certificates_properties();
std::vector<Property> theorem_certificates_properties();

/// All of them, in the order of the list above.
std::vector<Property> all_properties();

}  // namespace heed::checks
