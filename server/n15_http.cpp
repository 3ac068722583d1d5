#include "server/n15_http.h"

#include "api/guard.h"
#include "server/clock.h"
#include "server/json_numpy.h"

#include <future>
#include <nlohmann/json.hpp>

namespace ramet::server {
namespace {

using nlohmann::ordered_json;

constexpr int kUnauthorized = 401, kUnprocessable = 422, kFailed = 500, kBusy = 503;

std::string dump(const ordered_json& document) {
  return document.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

HttpReply detail(int status, const std::string& text) {
  return {.status = status, .body = dump({{"detail", text}}), .type = "application/json"};
}

std::string action_document(const Actions& first, std::span<const Actions> items, bool has_batch_axis) {
  ordered_json document = ordered_json::object();
  for (const std::string& key : first.keys) {
    std::string bytes;
    for (const Actions& item : items) {
      const std::vector<float>& values = item.actions.at(key).values;
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    }
    std::vector<int64_t> shape = first.actions.at(key).shape;
    if (has_batch_axis) shape.insert(shape.begin(), static_cast<int64_t>(items.size()));
    document["action." + key] = {{"__numpy__", encode_base64(bytes)}, {"dtype", "<f4"}, {"shape", shape}};
  }
  return dump(document);
}

// Computes on the inference thread while the thread of the connection waits.
class HttpTask : public Task {
 public:
  using Outcome = Result<std::vector<Actions>>;

  HttpTask(const Call& call, RequestRecord& record, Desk& desk, const Stopwatch& received)
      : call_(call), record_(record), desk_(desk), received_(received) {}

  std::future<Outcome> outcome() { return promise_.get_future(); }
  void run() override {
    record_.queue_ms = received_.ms() - record_.read_ms;
    promise_.set_value(guarded([&] { return desk_.service.act(call_, record_); }));
  }
  void refuse() override { promise_.set_value(fail(Code::no_resource, "stopping: the server ends", "", "")); }

 private:
  const Call& call_;
  RequestRecord& record_;
  Desk& desk_;
  const Stopwatch& received_;
  std::promise<Outcome> promise_;
};

class ActRequest {
 public:
  ActRequest(Desk& desk, const HttpRequest& request) : desk_(desk), request_(request) {
    record_ = {.id = desk.next_id(), .transport = "http", .peer = request.peer, .endpoint = "act"};
    record_.bytes_in = request.body.size();
  }

  HttpReply serve() {
    HttpReply reply = authorized() ? answer() : unauthorized();
    record_.bytes_out = reply.body.size();
    record_.total_ms = received_.ms();
    desk_.close(record_);
    return reply;
  }

 private:
  bool authorized() const {
    constexpr std::string_view kScheme = "Bearer ";
    if (!desk_.service.token().is_set()) return true;
    const std::string_view given = request_.authorization;
    return given.starts_with(kScheme) && desk_.service.token().admits(given.substr(kScheme.size()));
  }

  HttpReply unauthorized() {
    record_.code = "unauthorized";
    return detail(kUnauthorized, "Unauthorized: Invalid API token");
  }

  HttpReply refuse(int status, const Error& error) {
    return detail(status, "Internal server error: " + desk_.service.refuse(error, record_));
  }

  HttpReply answer() {
    Result<JsonFile> document = JsonFile::parse(request_.body, "body");
    if (!document) return refuse(kUnprocessable, document.error());
    documents_.push_back(std::move(*document));
    Result<Call> call = guarded([&] { return read_call(); });
    record_.read_ms = received_.ms();
    if (!call) return refuse(kFailed, call.error());
    return compute(*call);
  }

  Result<Call> read_call() {
    Json root = documents_.back().root();
    if (root.has("encoded")) {
      if (root.raw().size() != 1)
        return fail(Code::surplus, "body", "encoded alone", std::to_string(root.raw().size()) + " keys");
      RAMET_TRY(const std::string text, root.get<std::string>("encoded"));
      RAMET_TRY(JsonFile inner, JsonFile::parse(text, "encoded"));
      root = documents_.emplace_back(std::move(inner)).root();
    }
    if (!root.has("observation")) return fail(Code::not_found, "400: Missing 'observation' in the request", "", "");
    RAMET_TRY(const Json observation, root.at("observation"));
    RAMET_TRY(tree_, read_json_numpy(observation, buffers_));
    const auto* map = tree_.as<Map>();
    if (map == nullptr) return fail(Code::invalid_value, "observation", "an object", type_name(tree_));
    return desk_.service.admit_observation(*map, Api::n15, nullptr, record_);
  }

  HttpReply compute(const Call& call) {
    auto task = std::make_unique<HttpTask>(call, record_, desk_, received_);
    std::future<HttpTask::Outcome> outcome = task->outcome();
    std::unique_ptr<Task> queued = std::move(task);
    if (const Status status = desk_.queue.submit("http " + request_.peer, queued); !status) {
      record_.code = "busy";
      return detail(kBusy, status.error().where);
    }
    const HttpTask::Outcome actions = outcome.get();
    if (!actions) return refuse(kFailed, actions.error());
    const Stopwatch watch;
    HttpReply reply{.body = action_document(actions->front(), *actions, call.how.has_batch_axis)};
    record_.reply_ms = watch.ms();
    return reply;
  }

  Desk& desk_;
  const HttpRequest& request_;
  RequestRecord record_;
  Stopwatch received_;
  std::deque<JsonFile> documents_;
  std::deque<std::string> buffers_;
  Value tree_;
};

}  // namespace

std::vector<HttpRoute> n15_routes(Desk& desk) {
  return {{"POST", "/act", [&desk](const HttpRequest& request) { return ActRequest(desk, request).serve(); }},
          {"GET", "/health", [](const HttpRequest&) {
             return HttpReply{.body = dump({{"status", "healthy"}, {"model", "GR00T"}})};
           }}};
}

}  // namespace ramet::server
