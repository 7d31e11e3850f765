// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace heed {

/// Number of threads that parallel_for may use, for the whole process (default 1).
int thread_count() noexcept;
void set_thread_count(int threads) noexcept;

/// Calls body(k) once for every k < count, on up to thread_count() threads that share the caller's
/// working precision. The k are independent: results do not depend on the number of threads.
/// The first exception of a body is rethrown after all threads have stopped.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace heed
