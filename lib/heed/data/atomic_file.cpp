// SPDX-License-Identifier: Apache-2.0
#include "heed/data/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "heed/data/input_error.hpp"

namespace heed {
namespace {

[[noreturn]] void fail_exists(const std::string& path) {
  throw InputError(path + ": the file exists; nothing is overwritten without --force");
}

[[noreturn]] void fail_write(const std::string& path) {
  throw InputError(path + ": cannot write: " + std::strerror(errno));
}

/// A file under a temporary name that disappears unless it was put in place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : target_(target), name_(target + ".XXXXXX"), fd_(::mkstemp(name_.data())) {
    if (fd_ < 0) fail_write(target_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!placed_) ::unlink(name_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail_write(target_);
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const bool ok = ::fchmod(fd_, 0666 & ~mask) == 0 && ::fsync(fd_) == 0;
    if (!ok) fail_write(target_);
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail_write(target_);
  }

  void put_in_place(Overwrite overwrite) {
    if (overwrite == Overwrite::refuse) {
      // A hard link fails if the target appeared in the meantime, which rename would not notice.
      if (::link(name_.c_str(), target_.c_str()) == 0) return;
      if (errno == EEXIST) fail_exists(target_);
    }
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail_write(target_);
    placed_ = true;
  }

 private:
  std::string target_;
  std::string name_;
  int fd_;
  bool placed_ = false;
};

}  // namespace

void write_file_atomically(const std::string& path, std::string_view bytes, Overwrite overwrite) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw InputError(path + ": expected a file name, found a folder");
    if (overwrite == Overwrite::refuse) fail_exists(path);
  }
  TemporaryFile file(path);
  file.write(bytes);
  file.put_in_place(overwrite);
}

}  // namespace heed
