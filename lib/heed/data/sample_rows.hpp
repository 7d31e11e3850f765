// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heed/data/instance.hpp"
#include "heed/data/query_instance.hpp"

namespace heed {

/// The samples as plain vectors: row i is y_i times the tokens of sample i, one after the other.
///
/// Its margin is that of a linear classifier without bias on the raw inputs. Weights are dropped.
/// Errors: InputError if the samples differ in their number of tokens.
RowsInstance sample_rows(const MhaInstance& instance);

}  // namespace heed
