// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace heedcheck {

// Not JSON: there is no certificate to speak about.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// JSON that breaks a rule of the format (proofs-notes/certificates.md, sections 2 and 3).
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Well-formed, but what it says is not proved (section 6), or it is not what the caller expects.
struct NotProved : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require_form(bool condition, const std::string& what) {
  if (!condition) throw Malformed(what);
}
inline void require_proof(bool condition, const char* what) {
  if (!condition) throw NotProved(what);
}

}  // namespace heedcheck
