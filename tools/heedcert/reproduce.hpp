// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heedcert {

/// One number of an experiment beside that of the reference, an independent program (docs/experiments.md).
struct ReproducedValue {
  std::string run;       ///< "SM1 softmax s = 0.5"
  std::string quantity;  ///< "trapped"
  double measured = 0;
  std::optional<double> reference = {};
  std::optional<double> allowed = {};         ///< largest distance that counts as reproduced
  std::optional<double> standard_error = {};  ///< of the reference's mean or share
  bool detail = false;                        ///< left out of the table, not of JSON and CSV

  /// NaN is never within.
  bool is_within() const;
};

struct ReproduceOptions {
  std::size_t seeds = 0;  ///< 0: as many as the reference
};

struct Reproduction {
  std::size_t seeds = 0;
  std::vector<ReproducedValue> values;
  std::vector<std::string> notes;
  /// A picture (SVG) and a table (CSV) of its own; the table of values is written where absent.
  std::optional<std::string> picture, table;
};

struct Experiment {
  std::string name, title;
  std::size_t seeds;  ///< of the reference
  std::function<Reproduction(const ReproduceOptions&)> run;
};

/// kernel.e0, kernel.e1, kernel.e2.
std::vector<Experiment> token_experiments();
/// kernel.e3 to kernel.e6.
std::vector<Experiment> layer_experiments();
/// kernel.slices.
std::vector<Experiment> slice_experiments();

}  // namespace heedcert
