// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checks/support/instances.hpp"
#include "heed/data/query_instance.hpp"

namespace heed::checks {

/// An instance of query attention and the words that say how it was made.
struct DrawnQuery {
  QueryInstance instance;
  std::vector<std::string> tags;
};

/// An instance with exactly one point (loss, head, weights, direction), v, and one selected token an
/// input, of all kinds of numbers and with the structures at which formulas break: equal tokens, zero
/// tokens and queries, collinear ones, self-attention, tied and equal scores, T_i = 1, ragged
/// inputs, logit gaps from 0 to thousands, tied largest logits. See the tags. `heads` of the limit
/// is the number of units of a ReLU head.
DrawnQuery draw_query_instance(Source& source, const SizeLimit& limit);

/// The same with a linear head.
DrawnQuery draw_linear_query_instance(Source& source, const SizeLimit& limit);

/// The largest |a_it - a_iu|, exactly.
Rational largest_logit_gap(const QueryInstance& instance, const Matrix<Rational>& W);

/// All numbers 0 or of magnitude 2^-12 .. 2^12, logit gaps at most 60, margins at most 600: results in
/// double are then accurate up to cancellation.
bool is_tame(const QueryInstance& instance);

/// Simpler instances of consistent shapes, the boldest first.
std::vector<QueryInstance> simpler_instances(const QueryInstance& instance);

/// The instance as a file of format heed-instance-1, with exact numbers.
std::string query_json(const QueryInstance& instance);

}  // namespace heed::checks
