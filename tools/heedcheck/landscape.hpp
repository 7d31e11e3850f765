// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "check.hpp"

namespace heedcheck {

// Certificates of kind `landscape` (proofs-notes/certificates.md, section 7); as `check`.
Verdict check_landscape(const Value& certificate, const Expected& expected);

}  // namespace heedcheck
