// The ZeroMQ socket of the original clients: a ROUTER that answers REQ sockets, and outlives everybody else.
//
//   envelope frames | empty frame | body        one request; the reply has the same envelope
//
// Messages without the empty frame are ignored; those with several bodies are answered by an error. Requests of one
// connection are answered in their order; those of different connections overtake each other. A client that is gone or
// does not read loses its reply and nobody else does.  Source: spec policy-server, section 3.
#pragma once

#include "server/desk.h"

namespace ramet::server {

struct ZmqOptions {
  std::string host = "127.0.0.1";
  int port = 5555;  // 0: any free one
  int64_t max_message_bytes = int64_t{256} << 20;
};

class ZmqServer {
 public:
  // Errors: no_resource (address in use, no such address).
  static Result<std::unique_ptr<ZmqServer>> bind(const ZmqOptions& options, Desk& desk);
  ~ZmqServer();

  std::string address() const;  // "tcp://127.0.0.1:5555"
  // Until `stop_fd` is readable or a client says `kill`; then the running call is finished, waiting ones are refused,
  // and the replies get a second to leave.
  Status serve(int stop_fd);

 private:
  class Impl;
  explicit ZmqServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet::server
