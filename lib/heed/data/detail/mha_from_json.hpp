// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/detail/json_value.hpp"
#include "heed/data/detail/message.hpp"
#include "heed/data/read.hpp"

namespace heed::detail {

/// The exact number of a JSON value: a bare number, or a string that Rational::parse reads.
Rational number_from_json(const JsonValue& value, const std::string& file, const Where& where);

/// See read_mha_instance.
MhaInstance mha_from_json(const JsonValue& root, const std::string& file,
                          const ReadOptions& options);

}  // namespace heed::detail
