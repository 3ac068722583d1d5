#include "server/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ramet::server {
namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR2}) sigaddset(&signals, signal);  // the last one ends the watcher
  return signals;
}

}  // namespace

Result<std::unique_ptr<Signals>> Signals::catch_them() {
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a reader of the log that goes away ends no server
  const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) return fail(Code::no_resource, "signals", "an eventfd", std::strerror(errno));
  return std::unique_ptr<Signals>(new Signals(fd));
}

Signals::Signals(int fd) : fd_(fd), thread_([this] { watch(); }) {}

Signals::~Signals() {
  ended_ = true;
  ::pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  ::close(fd_);
}

void Signals::watch() {
  const sigset_t signals = stop_signals();
  for (bool stopping = false;; stopping = true) {
    int signal = 0;
    ::sigwait(&signals, &signal);
    if (ended_) return;
    if (!armed_ || stopping) std::_Exit(EXIT_SUCCESS);
    const uint64_t one = 1;
    if (::write(fd_, &one, sizeof(one)) < 0) std::_Exit(EXIT_SUCCESS);
  }
}

}  // namespace ramet::server
