// SPDX-License-Identifier: Apache-2.0
#include "heed/data/input_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "heed/data/input_error.hpp"

namespace heed {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : owned_(path != "-"),
        fd_(owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  bool owned_;
  int fd_;
};

[[noreturn]] void fail_too_large(const std::string& label, std::size_t max_bytes) {
  throw InputError(label + ": larger than the limit of " + std::to_string(max_bytes) +
                   " bytes; split the data or use fewer samples");
}

}  // namespace

std::string input_label(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::string read_input_bytes(const std::string& path, std::size_t max_bytes) {
  const std::string label = input_label(path);
  const Descriptor file(path);
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    throw InputError(label + ": cannot open: " + std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) throw InputError(label + ": expected a file, found a folder");

  std::size_t expected = 0;
  if (S_ISREG(info.st_mode)) {
    expected = static_cast<std::size_t>(info.st_size);
    if (expected > max_bytes) fail_too_large(label, max_bytes);
  }
  std::string bytes;
  std::size_t used = 0;
  bytes.resize(std::max<std::size_t>(expected + 1, 1 << 16));
  while (true) {
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(label + ": cannot read: " + std::strerror(errno));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > max_bytes) fail_too_large(label, max_bytes);
    if (used == bytes.size()) bytes.resize(2 * bytes.size());
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace heed
