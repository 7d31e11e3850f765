// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "check.hpp"

namespace heedcheck {

enum Exit { valid = 0, invalid = 1, unreadable = 3, internal_error = 4, usage = 64 };

// The answer to one file.
struct Answer {
  std::string file;
  Exit exit = unreadable;
  std::string reason;  // unless valid
  Verdict verdict;     // if valid
};

// The answer to this text of a certificate.
Answer answer_to(const std::string& file, const std::string& text, const Expected& expected);

// Lines for people, the first is the verdict.
std::string lines(const Answer& answer);

// One object of the schema heedcheck-1.
std::string json(const std::vector<Answer>& answers);

}  // namespace heedcheck
