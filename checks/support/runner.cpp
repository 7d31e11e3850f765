// SPDX-License-Identifier: Apache-2.0
#include "checks/support/runner.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <unistd.h>

#include "checks/support/shrink.hpp"
#include "heed/data/read.hpp"
#include "heed/data/sha256.hpp"
#include "heed/data/write.hpp"

namespace heed::checks {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The case in hand, in the form in which a signal handler may use it.
std::string current_line, current_text, current_path;

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t k = write(file, text.data() + done, text.size() - done);
    if (k <= 0) return;
    done += static_cast<std::size_t>(k);
  }
}

extern "C" void keep_current_and_die(int signal) {
  write_all(STDOUT_FILENO, current_line);
  if (!current_path.empty()) {
    const int file = open(current_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) write_all(file, current_text);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void set_current(const Property& p, const RunOptions& o, long number, const MhaInstance& m) {
  std::ostringstream line;
  line << "\nreplay: heed_checks --only " << p.name;
  if (o.keep_current) {
    line << " --replay " << current_path << "\n";
    current_text = to_json(m);
  } else {
    line << " --seed " << o.seed << " --first " << number << " --cases 1000 --max-size "
         << o.limit.samples << "," << o.limit.tokens << "," << o.limit.dim << "," << o.limit.heads
         << "\n";
  }
  current_line = line.str();
}

void catch_signals() {
  for (const int s : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGINT, SIGTERM})
    std::signal(s, keep_current_and_die);
}

std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 14695981039346656037U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return h;
}

rc::Random engine(std::uint64_t seed, const std::string& name, long number) {
  return rc::Random(rc::Random::Key{seed, hash(name), static_cast<std::uint64_t>(number), 0});
}

// Properties of one family share the stream, so that they see the same instances.
Drawn draw_case(const Property& p, const RunOptions& o, long number) {
  Source source(engine(o.seed, "", number));
  return p.draw(source, o.limit);
}

/// The message of the failure, or nothing.
std::optional<std::string> failure_of(const Property& p, const MhaInstance& m, Tally& tally) {
  try {
    p.hold(m, tally);
    return std::nullopt;
  } catch (const std::exception& e) {
    return e.what();
  }
}

struct Counterexample {
  MhaInstance instance;
  std::string message;
  int shrinks = 0;
};

Counterexample shrink(const Property& p, Counterexample found, double seconds) {
  const auto start = Clock::now();
  auto tree = shrinkable_instance(found.instance);
  for (bool better = true; better;) {
    better = false;
    auto candidates = tree.shrinks();
    for (auto next = candidates.next(); next; next = candidates.next()) {
      if (seconds_since(start) > seconds) return found;
      Tally unused;
      MhaInstance candidate = next->value();
      if (auto message = failure_of(p, candidate, unused)) {
        found = {std::move(candidate), std::move(*message), found.shrinks + 1};
        tree = *next;
        better = true;
        break;
      }
    }
  }
  return found;
}

std::string save(MhaInstance m, const std::string& directory, const std::string& word,
                 const std::string& note) {
  m.origin = note;
  const std::string text = to_json(m);
  std::filesystem::create_directories(directory);
  const std::string path = directory + "/" + word + "-" + sha256_hex(text).substr(0, 12) + ".json";
  write_file_atomically(path, text, Overwrite::allow);
  return path;
}

void report(const Property& p, const RunOptions& o, long number, const MhaInstance& original,
            const std::string& message) {
  const Counterexample small = shrink(p, {original, message, 0}, o.shrink_seconds);
  std::cout << p.name << ": FAILED at case " << number << " of seed " << o.seed << " ("
            << small.shrinks << " shrinks)\n  " << p.statement << "\n  " << small.message << "\n";
  const std::string path =
      save(small.instance, o.directory, "counterexample", p.name + ": " + small.message);
  std::cout << "replay: heed_checks --only " << p.name << " --replay " << path << std::endl;
}

void print_tally(const Tally& tally) {
  for (const auto& [word, count] : tally)
    std::cout << "    " << std::setw(9) << count << "  " << word << "\n";
}

}  // namespace

bool run_property(const Property& p, const RunOptions& o) {
  if (o.keep_current) {
    std::filesystem::create_directories(o.directory);
    current_path = o.directory + "/crashed.json";
  }
  catch_signals();
  const long cases = std::max(1L, o.cases * p.per_thousand / 1000);
  const auto start = Clock::now();
  Tally tags, tally;
  double slowest = 0;
  long slowest_case = 0;
  long done = 0;
  for (long k = o.first_case; k < o.first_case + cases; ++k) {
    const Drawn drawn = draw_case(p, o, k);
    for (const std::string& tag : drawn.tags) ++tags[tag];
    set_current(p, o, k, drawn.instance);
    const auto begin = Clock::now();
    const auto message = failure_of(p, drawn.instance, tally);
    if (message) {
      report(p, o, k, drawn.instance, *message);
      return false;
    }
    ++done;
    if (const double spent = seconds_since(begin); spent > slowest) {
      slowest = spent;
      slowest_case = k;
    }
  }
  current_line.clear();
  current_path.clear();
  const double total = seconds_since(start);
  std::cout << std::left << std::setw(36) << p.name << std::right << std::setw(8) << done
            << " cases " << std::fixed << std::setprecision(1) << std::setw(8) << total << " s "
            << std::setprecision(2) << std::setw(8) << 1000 * total / static_cast<double>(done)
            << " ms a case, slowest " << std::setprecision(2) << slowest << " s (case "
            << slowest_case << ")\n";
  if (slowest > 1 || (o.keep_current && p.finish)) {
    const std::string path = save(draw_case(p, o, slowest_case).instance, o.directory, "slowest",
                                  p.name + ", " + std::to_string(slowest) + " s");
    std::cout << "  slowest instance: " << path << "\n";
  }
  if (o.distribution) {
    std::cout << "  met by the property:\n";
    print_tally(tally);
    std::cout << "  generated:\n";
    print_tally(tags);
  }
  std::cout << std::flush;
  return !p.finish || p.finish(std::cout);
}

bool replay_property(const Property& p, const std::string& file) {
  const MhaInstance m = read_mha_instance(file);
  if (!m.weights) throw Failure(file + ": expected an instance with weights U and W");
  Tally tally;
  const auto message = failure_of(p, m, tally);
  std::cout << p.name
            << (message ? ": FAILED on " + file + "\n  " + *message : ": holds on " + file) << "\n";
  print_tally(tally);
  return !message && (!p.finish || p.finish(std::cout));
}

}  // namespace heed::checks
