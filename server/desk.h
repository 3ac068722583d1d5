// What every transport shares: the service, the queue, and the books.
#pragma once

#include "server/inference_queue.h"
#include "server/metrics.h"
#include "server/request_log.h"
#include "server/service.h"

namespace ramet::server {

struct Desk {
  const Service& service;
  InferenceQueue& queue;
  Metrics& metrics;
  RequestLog& log;
  std::atomic<uint64_t> requests{0};

  uint64_t next_id() { return ++requests; }
  // Once per request, when its reply is ready.
  void close(const RequestRecord& record) {
    metrics.count(record);
    log.write(record);
  }
};

}  // namespace ramet::server
