// A policy behind the protocols of the Isaac-GR00T clients, until a signal or a client ends it.
#pragma once

#include "server/http_listener.h"
#include "server/inference_queue.h"
#include "server/request_log.h"
#include "server/service.h"
#include "server/zmq_server.h"

namespace ramet::server {

struct ServeOptions {
  ServiceOptions service;
  QueueLimits queue;
  ZmqOptions zmq;
  std::optional<int> http_port;     // N1.5's HTTP protocol
  std::optional<int> metrics_port;  // /metrics and /healthz
  bool is_insecure = false;         // other machines may come without a token
  LogFormat log = LogFormat::text;
};

// What can be told before the weights are read. Errors: usage.
Status check(const ServeOptions& options);

// Returns when the server has ended as asked. The policy must not be used by anyone else meanwhile.
// Errors: no_resource (an address in use).
Status serve(Policy& policy, const ServeOptions& options, class Signals& signals, RequestLog::Sink log);

}  // namespace ramet::server
