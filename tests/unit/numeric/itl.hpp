// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace heed::test {

/// Operand or result of a case in the portable interval test language (ITF1788).
struct ItlValue {
  enum class Kind { interval, empty, nai, number, numbers, word };
  Kind kind = Kind::word;
  double lo = 0, hi = 0;        ///< of an interval; a number is in both
  std::vector<double> numbers;  ///< `{1.0, 2.0}`
  std::string text;             ///< `true`, `"[1, 2]"`, `com`, ...

  bool bounded() const;    ///< a nonempty interval with finite ends
  bool singleton() const;  ///< bounded with equal ends
};

/// `operation in... = out...;`. Decorations and signals are read and dropped.
struct ItlCase {
  std::string operation;
  std::vector<ItlValue> in, out;
  int line = 0;
};

/// Reads a whole file. Number literals mean the nearest double, as in the suite's own translations.
/// Throws std::runtime_error with the line of what it does not understand.
std::vector<ItlCase> parse_itl(const std::string& text);

}  // namespace heed::test
