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

// What the runner does with every kind of instance.
std::string text_of(const MhaInstance& m) { return to_json(m); }
std::string text_of(const QueryInstance& q) { return query_json(q); }
std::string text_of(const KernelInstance& k) { return to_json(k); }
constexpr bool can_replay(const MhaInstance*) { return true; }
constexpr bool can_replay(const QueryInstance*) { return false; }  // no reader of such files here
constexpr bool can_replay(const KernelInstance*) { return true; }
void draw(const Property& p, Source& s, const SizeLimit& limit, Drawn& out) {
  out = p.draw(s, limit);
}
void draw(const Property& p, Source& s, const SizeLimit& limit, DrawnQuery& out) {
  out = p.draw_query(s, limit);
}
void draw(const Property& p, Source& s, const SizeLimit& limit, DrawnKernel& out) {
  out = p.draw_kernel(s, limit);
}
void hold(const Property& p, const MhaInstance& m, Tally& tally) { p.hold(m, tally); }
void hold(const Property& p, const QueryInstance& q, Tally& tally) { p.hold_query(q, tally); }
void hold(const Property& p, const KernelInstance& k, Tally& tally) { p.hold_kernel(k, tally); }

std::string line_by_seed(const Property& p, const RunOptions& o, long number) {
  std::ostringstream line;
  line << "heed_checks --only " << p.name << " --seed " << o.seed << " --first " << number
       << " --cases 1000 --max-size " << o.limit.samples << "," << o.limit.tokens << ","
       << o.limit.dim << "," << o.limit.heads;
  return line.str();
}

template <class Instance>
void set_current(const Property& p, const RunOptions& o, long number, const Instance& m) {
  if (o.keep_current) current_text = text_of(m);
  current_line = "\nreplay: ";
  current_line += o.keep_current && can_replay(&m)
                      ? "heed_checks --only " + p.name + " --replay " + current_path
                      : line_by_seed(p, o, number);
  current_line += "\n";
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
template <class AnyDrawn>
AnyDrawn draw_case(const Property& p, const RunOptions& o, long number) {
  Source source(engine(o.seed, "", number));
  AnyDrawn drawn;
  draw(p, source, o.limit, drawn);
  return drawn;
}

/// The message of the failure, or nothing.
template <class Instance>
std::optional<std::string> failure_of(const Property& p, const Instance& m, Tally& tally) {
  try {
    hold(p, m, tally);
    return std::nullopt;
  } catch (const std::exception& e) {
    return e.what();
  }
}

template <class Instance>
struct Counterexample {
  Instance instance;
  std::string message;
  int shrinks = 0;
};

template <class Instance>
Counterexample<Instance> shrink(const Property& p, Counterexample<Instance> found, double seconds) {
  const auto start = Clock::now();
  for (bool better = true; better;) {
    better = false;
    for (Instance& candidate : simpler_instances(found.instance)) {
      if (seconds_since(start) > seconds) return found;
      Tally unused;
      if (auto message = failure_of(p, candidate, unused)) {
        found = {std::move(candidate), std::move(*message), found.shrinks + 1};
        better = true;
        break;
      }
    }
  }
  return found;
}

template <class Instance>
std::string save(Instance m, const std::string& directory, const std::string& word,
                 const std::string& note) {
  m.origin = note;
  const std::string text = text_of(m);
  std::filesystem::create_directories(directory);
  const std::string path = directory + "/" + word + "-" + sha256_hex(text).substr(0, 12) + ".json";
  write_file_atomically(path, text, Overwrite::allow);
  return path;
}

template <class Instance>
void report(const Property& p, const RunOptions& o, long number, const Instance& original,
            const std::string& message) {
  const Counterexample<Instance> small =
      shrink<Instance>(p, {original, message, 0}, o.shrink_seconds);
  std::cout << p.name << ": FAILED at case " << number << " of seed " << o.seed << " ("
            << small.shrinks << " shrinks)\n  " << p.statement << "\n  " << small.message << "\n";
  const std::string path =
      save(small.instance, o.directory, "counterexample", p.name + ": " + small.message);
  if (can_replay(&original)) {
    std::cout << "replay: heed_checks --only " << p.name << " --replay " << path << std::endl;
  } else {
    std::cout << "simplest: " << path << "\nreplay: " << line_by_seed(p, o, number) << std::endl;
  }
}

void print_tally(const Tally& tally) {
  for (const auto& [word, count] : tally)
    std::cout << "    " << std::setw(9) << count << "  " << word << "\n";
}

template <class AnyDrawn>
bool run(const Property& p, const RunOptions& o) {
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
    const AnyDrawn drawn = draw_case<AnyDrawn>(p, o, k);
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
    const std::string path = save(draw_case<AnyDrawn>(p, o, slowest_case).instance, o.directory,
                                  "slowest", p.name + ", " + std::to_string(slowest) + " s");
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

}  // namespace

Property query_property(std::string name, std::string statement, int per_thousand,
                        std::function<void(const QueryInstance&, Tally&)> hold_query,
                        QueryDraw draw_query) {
  Property p;
  p.name = std::move(name);
  p.statement = std::move(statement);
  p.per_thousand = per_thousand;
  p.hold_query = std::move(hold_query);
  p.draw_query = draw_query;
  return p;
}

Property kernel_property(std::string name, std::string statement, int per_thousand,
                         std::function<void(const KernelInstance&, Tally&)> hold_kernel,
                         KernelDraw draw_kernel) {
  Property p;
  p.name = std::move(name);
  p.statement = std::move(statement);
  p.per_thousand = per_thousand;
  p.hold_kernel = std::move(hold_kernel);
  p.draw_kernel = draw_kernel;
  return p;
}

bool run_property(const Property& p, const RunOptions& o) {
  if (p.hold_kernel) return run<DrawnKernel>(p, o);
  return p.hold_query ? run<DrawnQuery>(p, o) : run<Drawn>(p, o);
}

bool replay_property(const Property& p, const std::string& file) {
  if (p.hold_query) throw Failure(p.name + ": has no replay of files; use --seed and --first");
  Tally tally;
  std::optional<std::string> message;
  if (p.hold_kernel) {
    const Instance any = read_instance(file);
    const auto* kernel = std::get_if<KernelInstance>(&any);
    if (!kernel || !kernel->kernel)
      throw Failure(file + ": expected an instance of model kernel that names its kernel");
    message = failure_of(p, *kernel, tally);
  } else {
    const MhaInstance m = read_mha_instance(file);
    if (!m.weights) throw Failure(file + ": expected an instance with weights U and W");
    message = failure_of(p, m, tally);
  }
  std::cout << p.name
            << (message ? ": FAILED on " + file + "\n  " + *message : ": holds on " + file) << "\n";
  print_tally(tally);
  return !message && (!p.finish || p.finish(std::cout));
}

}  // namespace heed::checks
