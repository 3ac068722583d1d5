// Replies on their way from the inference thread to the thread that owns the socket, which waits on fd().
#pragma once

#include "server/request_record.h"

#include <mutex>

namespace ramet::server {

struct Finished {
  std::string connection;
  uint64_t slot = 0;
  std::string body;
  RequestRecord record;
};

class Outbox {
 public:
  Outbox();
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void put(Finished finished);
  std::vector<Finished> take();

 private:
  int fd_;
  std::mutex mutex_;
  std::vector<Finished> items_;
};

}  // namespace ramet::server
