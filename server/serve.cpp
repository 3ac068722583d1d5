#include "server/serve.h"

#include "server/n15_http.h"
#include "server/signals.h"

#include <fmt/format.h>

namespace ramet::server {
namespace {

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

ServedPolicy served(Policy& policy) {
  return {.robot = policy.robot(),
          .version = policy.version(),
          .noise_shape = policy.noise_shape(),
          .act = [&policy](const Observation& observation, const ActOptions& options) {
            return policy.act(observation, options);
          }};
}

HttpRoute metrics_route(Desk& desk) {
  return {"GET", "/metrics", [&desk](const HttpRequest&) {
            return HttpReply{.body = desk.metrics.text(desk.queue.state()), .type = "text/plain; version=0.0.4"};
          }};
}

HttpRoute health_route() {
  return {"GET", "/healthz", [](const HttpRequest&) { return HttpReply{.body = "ok\n", .type = "text/plain"}; }};
}

Result<std::unique_ptr<HttpListener>> listen_for_n15(const ServeOptions& options, Desk& desk) {
  constexpr size_t kThreads = 8;
  const auto max_body = static_cast<size_t>(options.zmq.max_message_bytes) / 3 * 4;  // base64
  return HttpListener::listen(
      {.host = options.zmq.host, .port = *options.http_port, .max_body_bytes = max_body, .threads = kThreads},
      n15_routes(desk));
}

}  // namespace

Status check(const ServeOptions& options) {
  if (is_loopback(options.zmq.host) || !options.service.api_token.empty() || options.is_insecure) return {};
  return fail(Code::usage, "--host", "a loopback address, or --api-token beside it", options.zmq.host,
              "other machines could move the robot; --insecure allows it without a token");
}

Status serve(Policy& policy, const ServeOptions& options, Signals& signals, RequestLog::Sink sink) {
  RAMET_TRY_STATUS(check(options));
  RequestLog log(options.log, std::move(sink));
  const Service service(served(policy), options.service);
  if (const Status warm = service.warm_up(); !warm) log.note("no warm-up: " + warm.error().message());
  Metrics metrics;
  InferenceQueue queue(options.queue);
  Desk desk{service, queue, metrics, log};
  RAMET_TRY(const std::unique_ptr<ZmqServer> zmq, ZmqServer::bind(options.zmq, desk));
  std::unique_ptr<HttpListener> http, books;
  if (options.http_port) {
    RAMET_TRY(http, listen_for_n15(options, desk));
    log.note("listening on " + http->address());
  }
  if (options.metrics_port) {
    RAMET_TRY(books, HttpListener::listen({.host = options.zmq.host, .port = *options.metrics_port},
                                          {metrics_route(desk), health_route()}));
    log.note("metrics at " + books->address() + "/metrics");
  }
  signals.arm();
  log.note(fmt::format("serving {} {} on {}", policy.version(), policy.embodiment(), zmq->address()));
  const Status status = zmq->serve(signals.stop_fd());
  log.note("stopped");
  return status;
}

}  // namespace ramet::server
