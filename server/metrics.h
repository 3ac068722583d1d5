// Counters of a server as Prometheus text (exposition format 0.0.4).
//
//   ramet_requests_total{endpoint="get_action",code="ok"}    every request, once
//   ramet_stage_seconds_bucket{stage="vision",le="0.1"}      stages of predict, besides read, queue, reply and whole
//   ramet_queue_requests, ramet_queue_clients, ramet_busy    what waits and runs now
//   ramet_messages_ignored_total{reason="no_delimiter"}      messages that are no request of a client
//   process_resident_memory_bytes, ramet_peak_memory_bytes   of the process
#pragma once

#include "server/inference_queue.h"
#include "server/request_record.h"

#include <array>
#include <mutex>

namespace ramet::server {

class Histogram {
 public:
  static constexpr std::array kBoundsSeconds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                             0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0};
  void observe(double seconds);
  void write(const std::string& labels, std::string& text) const;

 private:
  std::array<uint64_t, kBoundsSeconds.size() + 1> counts_{};
  double sum_ = 0;
};

class Metrics {
 public:
  void count(const RequestRecord& record);
  void count_ignored(const std::string& reason);
  std::string text(const QueueState& queue) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, uint64_t> requests_;  // endpoint, code
  std::map<std::string, uint64_t> ignored_;
  std::map<std::string, Histogram> stages_;
};

}  // namespace ramet::server
