#include "server/http_listener.h"

#include <fmt/format.h>
#include <httplib.h>

#include <thread>

namespace ramet::server {
namespace {

constexpr int kReadTimeoutS = 10, kWriteTimeoutS = 10, kKeepAliveS = 5;

httplib::Server::Handler handler_of(const HttpRoute& route) {
  return [handle = route.handle](const httplib::Request& request, httplib::Response& response) {
    const HttpReply reply = handle({.body = request.body,
                                    .peer = fmt::format("{}:{}", request.remote_addr, request.remote_port),
                                    .authorization = request.get_header_value("Authorization")});
    response.status = reply.status;
    response.set_content(reply.body, reply.type);
  };
}

void refuse_method(const httplib::Request&, httplib::Response& response) {
  constexpr int kMethodNotAllowed = 405;
  response.status = kMethodNotAllowed;
  response.set_content("{\"detail\":\"Method Not Allowed\"}", "application/json");
}

}  // namespace

class HttpListener::Impl {
 public:
  explicit Impl(const HttpOptions& options) {
    server_.set_payload_max_length(options.max_body_bytes);
    server_.set_read_timeout(kReadTimeoutS);
    server_.set_write_timeout(kWriteTimeoutS);
    server_.set_keep_alive_timeout(kKeepAliveS);
    server_.new_task_queue = [threads = options.threads] { return new httplib::ThreadPool(threads); };
  }
  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void add(const HttpRoute& route) {
    const bool is_get = route.method == "GET";
    is_get ? server_.Get(route.path, handler_of(route)) : server_.Post(route.path, handler_of(route));
    is_get ? server_.Post(route.path, refuse_method) : server_.Get(route.path, refuse_method);
    server_.Put(route.path, refuse_method);
    server_.Patch(route.path, refuse_method);
    server_.Delete(route.path, refuse_method);
  }

  Status start(const HttpOptions& options) {
    const int port = options.port == 0                                  ? server_.bind_to_any_port(options.host)
                     : server_.bind_to_port(options.host, options.port) ? options.port
                                                                        : -1;
    if (port < 0)
      return fail(Code::no_resource, fmt::format("{}:{}", options.host, options.port), "an address to listen on",
                  "one that is in use or not of this machine");
    address_ = fmt::format("http://{}:{}", options.host, port);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }

  const std::string& address() const { return address_; }

 private:
  httplib::Server server_;
  std::thread thread_;
  std::string address_;
};

HttpListener::HttpListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpListener::~HttpListener() = default;

Result<std::unique_ptr<HttpListener>> HttpListener::listen(const HttpOptions& options, std::vector<HttpRoute> routes) {
  auto impl = std::make_unique<Impl>(options);
  for (const HttpRoute& route : routes) impl->add(route);
  RAMET_TRY_STATUS(impl->start(options));
  return std::unique_ptr<HttpListener>(new HttpListener(std::move(impl)));
}

std::string HttpListener::address() const { return impl_->address(); }

}  // namespace ramet::server
