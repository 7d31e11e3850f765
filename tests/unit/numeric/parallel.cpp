// SPDX-License-Identifier: Apache-2.0
#include "heed/numeric/parallel.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heed/numeric/ball.hpp"
#include "heed/numeric/format.hpp"

using heed::Ball;
using heed::parallel_for;
using heed::PrecisionScope;

namespace {

/// Sets the number of threads for one test.
class Threads {
 public:
  explicit Threads(int n) : previous_(heed::thread_count()) { heed::set_thread_count(n); }
  ~Threads() { heed::set_thread_count(previous_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int previous_;
};

}  // namespace

TEST_CASE("parallel_for calls every index once and results do not depend on the threads") {
  const PrecisionScope scope(200);
  std::vector<std::string> first;
  for (const int threads : {1, 2, 5, 64}) {
    const Threads allowed(threads);
    std::vector<Ball> results(300);
    std::vector<std::atomic<int>> calls(300);
    parallel_for(results.size(), [&](std::size_t k) {
      ++calls[k];
      Ball sum(static_cast<long>(k));
      for (int j = 0; j < 20; ++j) sum += exp(-sum) * Ball::pi();
      results[k] = sum;
    });
    std::vector<std::string> text;
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (calls[k] != 1) FAIL("index " << k << " was called " << calls[k] << " times");
      text.push_back(certain_digits(results[k], 80));
    }
    if (first.empty()) first = text;
    CHECK(text == first);
  }
}

TEST_CASE("parallel_for lends the caller's working precision to its threads") {
  const Threads allowed(5);
  const PrecisionScope scope(777);
  std::mutex mutex;
  std::set<int> precisions;
  std::set<std::thread::id> threads;
  std::atomic<int> others{0};
  parallel_for(200, [&](std::size_t k) {
    // Whoever takes index 0 holds it until another thread has taken part.
    if (k == 0) others.wait(0);
    others = 1;
    others.notify_all();
    const std::lock_guard lock(mutex);
    precisions.insert(heed::working_precision());
    threads.insert(std::this_thread::get_id());
  });
  CHECK(precisions == std::set<int>{777});
  CHECK(threads.size() > 1);
  CHECK(threads.size() <= 5);
  CHECK(heed::working_precision() == 777);
}

TEST_CASE("parallel_for rethrows an exception after all threads have stopped") {
  for (const int threads : {1, 2, 5}) {
    const Threads allowed(threads);
    std::atomic<int> running{0};
    const auto failing = [&](std::size_t k) {
      ++running;
      const std::string name = std::to_string(k);
      if (k == 17) {
        --running;
        throw std::runtime_error("body " + name);
      }
      --running;
    };
    CHECK_THROWS_WITH(parallel_for(1000, failing), "body 17");
    CHECK(running == 0);
    std::atomic<int> calls{0};
    parallel_for(50, [&](std::size_t) { ++calls; });
    CHECK(calls == 50);
  }
}

TEST_CASE("parallel_for may be nested and may have nothing to do") {
  const Threads allowed(3);
  std::atomic<int> calls{0};
  parallel_for(4, [&](std::size_t) { parallel_for(5, [&](std::size_t) { ++calls; }); });
  CHECK(calls == 20);
  parallel_for(0, [&](std::size_t) { ++calls; });
  CHECK(calls == 20);
}

TEST_CASE("The number of threads is at least one") {
  const Threads allowed(-3);
  CHECK(heed::thread_count() == 1);
}
