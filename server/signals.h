// SIGTERM and SIGINT as something to wait for.
//
// Made before any thread, so that every thread leaves these signals to the watcher. Until arm() a signal ends the
// process at once with status 0, as nothing is served yet; after it, the first signal makes stop_fd() readable and a
// second one ends the process.
#pragma once

#include <ramet/error.h>

#include <atomic>
#include <memory>
#include <thread>

namespace ramet::server {

class Signals {
 public:
  static Result<std::unique_ptr<Signals>> catch_them();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void arm() { armed_ = true; }
  int stop_fd() const { return fd_; }

 private:
  explicit Signals(int fd);
  void watch();

  int fd_;
  std::atomic<bool> armed_{false}, ended_{false};
  std::thread thread_;
};

}  // namespace ramet::server
