// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

/// A place inside a tensor, printed as `U[0][2][1]`; cheap to make, text only on demand.
struct Where {
  std::string_view tensor;
  std::array<std::size_t, 4> index{};
  std::size_t depth = 0;

  Where at(std::size_t i) const;
  std::string text() const;
};

/// Throws InputError "FILE: WHERE: MESSAGE" (without WHERE if it is empty).
[[noreturn]] void fail(const std::string& file, const std::string& where,
                       const std::string& message);
[[noreturn]] void fail(const std::string& file, const Where& where, const std::string& message);

/// The text in quotes, clipped and with unprintable bytes escaped: safe to show whatever it holds.
std::string in_quotes(std::string_view text);
/// The same without the quotes, clipped to `limit` bytes.
std::string printable(std::string_view text, std::size_t limit);
/// `(3, 2, 4)`, in the notation of NumPy.
std::string shape_text(const std::vector<std::size_t>& shape);
/// `1 sample`, `3 samples`.
std::string count_text(std::size_t count, std::string_view noun);

}  // namespace heed::detail
