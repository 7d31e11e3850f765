// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace heed {

/// Working precision of Ball arithmetic on this thread, in bits (default 128).
///
/// It decides how narrow results are, never whether they are right: every Ball operation encloses
/// the exact result at any working precision.
int working_precision() noexcept;

/// Sets the working precision of this thread for the lifetime of the object.
/// Precondition: 2 <= bits <= 1'000'000, else std::invalid_argument.
class PrecisionScope {
 public:
  explicit PrecisionScope(int bits);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  int previous_;
};

}  // namespace heed
