// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace heedcert {

Summary summarise(std::vector<double> values) {
  Summary s{NAN, NAN, NAN, 0};
  for (double& x : values)
    if (!std::isfinite(x)) {
      x = INFINITY;
      ++s.diverged;
    }
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  s.median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  values.resize(values.size() - s.diverged);
  const double count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  if (!values.empty()) s.mean = sum / count;
  for (const double x : values) squares += (x - s.mean) * (x - s.mean);
  if (values.size() > 1) s.deviation = std::sqrt(squares / (count - 1));
  return s;
}

}  // namespace heedcert
