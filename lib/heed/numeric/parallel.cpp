// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "heed/numeric/ball_arb.hpp"
#include "heed/numeric/precision.hpp"

namespace heed {
namespace {
std::atomic<int> threads_allowed{1};
thread_local bool inside_parallel_for = false;
}  // namespace

int thread_count() noexcept { return threads_allowed; }
void set_thread_count(int threads) noexcept { threads_allowed = std::max(threads, 1); }

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  const std::size_t workers = std::min(count, static_cast<std::size_t>(thread_count()));
  if (workers <= 1 || inside_parallel_for) {
    for (std::size_t k = 0; k < count; ++k) body(k);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const int bits = working_precision();
  const auto work = [&] {
    const PrecisionScope scope(bits);
    inside_parallel_for = true;
    try {
      for (std::size_t k = next++; k < count; k = next++) body(k);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
    inside_parallel_for = false;
  };
  std::vector<std::thread> pool;
  try {
    for (std::size_t k = 1; k < workers; ++k)
      pool.emplace_back([&] {
        work();
        flint_cleanup();  // FLINT's caches are per thread
      });
  } catch (const std::system_error&) {
    // The system grants no more threads: those that run share the work.
  }
  work();
  for (std::thread& t : pool) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace heed
