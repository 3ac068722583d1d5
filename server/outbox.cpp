#include "server/outbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace ramet::server {

Outbox::Outbox() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Outbox::~Outbox() { ::close(fd_); }

// Writing fails only when the counter is full, and then the reader is awake anyway; likewise for reading.
void Outbox::put(Finished finished) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(finished));
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof(one));
}

std::vector<Finished> Outbox::take() {
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(fd_, &count, sizeof(count));
  return std::exchange(items_, {});
}

}  // namespace ramet::server
