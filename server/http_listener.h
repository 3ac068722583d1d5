// A small HTTP server with threads of its own. Unknown routes are 404, known ones with another method 405.
#pragma once

#include <ramet/error.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ramet::server {

struct HttpRequest {
  std::string body, peer, authorization;
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
};

struct HttpRoute {
  std::string method, path;  // "GET" or "POST"
  std::function<HttpReply(const HttpRequest&)> handle;
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free one
  size_t max_body_bytes = 1 << 20;
  size_t threads = 2;  // requests at once
};

class HttpListener {
 public:
  // Errors: no_resource.
  static Result<std::unique_ptr<HttpListener>> listen(const HttpOptions& options, std::vector<HttpRoute> routes);
  ~HttpListener();  // waits for the requests at work

  std::string address() const;  // "http://127.0.0.1:8000"

 private:
  class Impl;
  explicit HttpListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet::server
