// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/run.hpp"

namespace cli_test {

/// Instance files as text. Numbers are exact strings: "1/2", "-3", "1e-300".
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

struct Written {
  std::vector<Rows> X;  // samples x tokens x d
  std::vector<int> y;
  std::vector<Rows> U, W;  // heads
  std::string loss = "logistic";

  std::string text() const {
    Json j = {{"format", "heed-instance-1"}, {"model", "mha"}, {"X", X}, {"y", y}, {"loss", loss}};
    if (!U.empty()) {
      j["U"] = U;
      j["W"] = W;
    }
    return j.dump();
  }
};

/// n = 2, T = 2, d = 2, H = 1.
inline Written small_instance() {
  return {{{{"1", "1/2"}, {"-1/4", "2"}}, {{"0", "1"}, {"3/4", "-1"}}},
          {1, -1},
          {{{"1/3", "-1"}, {"2", "1/5"}}},
          {{{"1", "-1/2"}, {"0", "3/2"}}}};
}

/// Samples of 1, 3 and 2 tokens, d = 2, H = 2.
inline Written ragged_instance(const std::string& loss = "logistic") {
  return {{{{"1", "2"}}, {{"0", "1"}, {"1/3", "-1"}, {"2", "1/7"}}, {{"-1", "1/2"}, {"1", "1"}}},
          {1, -1, 1},
          {{{"1", "-1/2"}, {"1/4", "1"}, {"-1", "2/3"}}, {{"0", "1"}, {"1", "0"}, {"1/2", "-2"}}},
          {{{"1", "0"}, {"1/2", "-1"}}, {{"-1", "1"}, {"2", "1/3"}}},
          loss};
}

}  // namespace cli_test
