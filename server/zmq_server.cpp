#include "server/zmq_server.h"

#include "server/clock.h"
#include "server/outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <zmq.hpp>
#include <zmq_addon.hpp>

namespace ramet::server {
namespace {

constexpr size_t kMaxEnvelopeFrames = 8, kMaxEnvelopeBytes = 1024;
constexpr size_t kMaxSlots = 64;     // requests of a connection without a reply
constexpr int kMessagesAtOnce = 64;  // before replies are looked after again
constexpr int kLingerMs = 1000;

using Frames = std::vector<zmq::message_t>;

std::string tcp_address(const std::string& host, int port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string port_text = port == 0 ? "*" : std::to_string(port);
  return is_ipv6 ? fmt::format("tcp://[{}]:{}", host, port_text) : fmt::format("tcp://{}:{}", host, port_text);
}

std::string peer_of(const zmq::message_t& message) {
  const char* address = ::zmq_msg_gets(message.handle(), "Peer-Address");
  return address ? address : "";
}

// The number of frames up to and with the empty one; 0 when there is none where one may be.
size_t envelope_length(const Frames& frames) {
  size_t bytes = 0;
  for (size_t i = 0; i < std::min(frames.size(), kMaxEnvelopeFrames); ++i) {
    if (i > 0 && frames[i].size() == 0) return i + 1;
    bytes += frames[i].size();
    if (bytes > kMaxEnvelopeBytes) return 0;
  }
  return 0;
}

// A request that waits for the policy, with the message that it looks into.
class ZmqTask : public Task {
 public:
  ZmqTask(zmq::message_t body, Call call, Finished finished, Desk& desk, Outbox& outbox, Stopwatch received)
      : body_(std::move(body)),
        call_(std::move(call)),
        finished_(std::move(finished)),
        desk_(desk),
        outbox_(outbox),
        received_(received) {}

  void run() override {
    RequestRecord& record = finished_.record;
    record.queue_ms = received_.ms() - record.read_ms;
    send(desk_.service.answer(call_, record));
  }
  void refuse() override { refuse_for("stopping: the server ends"); }
  void refuse_for(const std::string& reason) {
    finished_.record.code = reason.substr(0, reason.find(':'));
    finished_.record.error = reason;
    send(error_reply(reason));
  }

 private:
  void send(std::string body) {
    finished_.record.total_ms = received_.ms();
    finished_.record.bytes_out = body.size();
    desk_.close(finished_.record);
    finished_.body = std::move(body);
    outbox_.put(std::move(finished_));
  }

  zmq::message_t body_;
  Call call_;
  Finished finished_;
  Desk& desk_;
  Outbox& outbox_;
  Stopwatch received_;
};

struct Slot {
  uint64_t id = 0;
  Frames envelope;
  std::optional<std::string> reply;
};

}  // namespace

class ZmqServer::Impl {
 public:
  Impl(const ZmqOptions& options, Desk& desk) : desk_(desk), router_(context_, zmq::socket_type::router) {
    constexpr int kWaitingMessages = 16, kKeepAliveIdleS = 60;
    router_.set(zmq::sockopt::maxmsgsize, options.max_message_bytes);
    router_.set(zmq::sockopt::router_mandatory, 1);  // a client that is gone is reported, not passed over
    router_.set(zmq::sockopt::rcvhwm, kWaitingMessages);
    router_.set(zmq::sockopt::linger, kLingerMs);
    router_.set(zmq::sockopt::tcp_keepalive, 1);
    router_.set(zmq::sockopt::tcp_keepalive_idle, kKeepAliveIdleS);
    router_.set(zmq::sockopt::ipv6, options.host.find(':') != std::string::npos);
    router_.bind(tcp_address(options.host, options.port));
  }

  bool is_open() const { return outbox_.is_open(); }
  std::string address() const { return router_.get(zmq::sockopt::last_endpoint); }

  void serve(int stop_fd) {
    while (!stopping_ || !connections_.empty()) {
      try {
        step(stop_fd);
      } catch (const zmq::error_t& error) {
        if (error.num() != EINTR) throw;
      }
    }
    receive();  // what arrived meanwhile is refused, so that no client waits for ever
    deliver();
  }

 private:
  void step(int stop_fd) {
    std::array<zmq::pollitem_t, 3> items{zmq::pollitem_t{router_.handle(), 0, ZMQ_POLLIN, 0},
                                         {nullptr, outbox_.fd(), ZMQ_POLLIN, 0},
                                         {nullptr, stop_fd, ZMQ_POLLIN, 0}};
    zmq::poll(items.data(), stopping_ ? 2 : items.size(), std::chrono::milliseconds(-1));
    if (items[0].revents) receive();
    deliver();
    if (!stopping_ && items[2].revents) stop();
  }

  // Not unbound: that would end the connections it accepted, and with them the replies they wait for.
  void stop() {
    stopping_ = true;
    desk_.queue.close();
    deliver();
  }

  void receive() {
    for (int count = 0; count < kMessagesAtOnce; ++count) {
      Frames frames;
      if (!zmq::recv_multipart(router_, std::back_inserter(frames), zmq::recv_flags::dontwait)) return;
      take(std::move(frames));
    }
  }

  void take(Frames frames) {
    const size_t envelope = envelope_length(frames);
    if (envelope == 0) return desk_.metrics.count_ignored("no_delimiter");
    const std::string connection = frames.front().to_string();
    RequestRecord record{.id = desk_.next_id(), .transport = "zmq", .peer = peer_of(frames.back())};
    std::deque<Slot>& slots = connections_[connection];
    slots.push_back({next_slot_++, {}, {}});
    Frames bodies(std::make_move_iterator(frames.begin() + static_cast<ptrdiff_t>(envelope)),
                  std::make_move_iterator(frames.end()));
    frames.resize(envelope);
    slots.back().envelope = std::move(frames);
    if (slots.size() > kMaxSlots) return answer_out_of_turn(connection, record);
    Finished finished{.connection = connection, .slot = slots.back().id, .body = {}, .record = std::move(record)};
    if (bodies.size() == 1)
      admit(std::move(bodies.front()), std::move(finished));
    else
      answer_at_once(std::move(finished),
                     error_reply(fmt::format("malformed message: expected one body frame, found {}", bodies.size())),
                     "invalid_value");
  }

  void admit(zmq::message_t body, Finished finished) {
    const Stopwatch received;
    RequestRecord& record = finished.record;
    Admission admission = desk_.service.admit(body.to_string_view(), record);
    if (auto* answer = std::get_if<Answer>(&admission)) {
      record.total_ms = received.ms();
      const bool ends = answer->ends_server;
      answer_at_once(std::move(finished), std::move(answer->body), {});
      if (ends && !stopping_) stop();
      return;
    }
    const std::string client = finished.connection;
    auto task = std::make_unique<ZmqTask>(std::move(body), std::move(std::get<Call>(admission)), std::move(finished),
                                          desk_, outbox_, received);
    ZmqTask& kept = *task;
    std::unique_ptr<Task> queued = std::move(task);
    if (const Status status = desk_.queue.submit(client, queued); !status) kept.refuse_for(status.error().where);
  }

  void answer_at_once(Finished finished, std::string reply, const std::string& code) {
    finished.record.bytes_out = reply.size();
    if (!code.empty()) finished.record.code = code;
    desk_.close(finished.record);
    finished.body = std::move(reply);
    fill(std::move(finished));
  }

  // A client that sends on without reading: its replies would pile up behind the first one.
  void answer_out_of_turn(const std::string& connection, RequestRecord& record) {
    std::deque<Slot>& slots = connections_[connection];
    record.code = "busy";
    desk_.close(record);
    send(std::move(slots.back().envelope),
         error_reply(fmt::format("busy: {} of your requests have no reply yet", kMaxSlots)));
    slots.pop_back();
  }

  void deliver() {
    for (Finished& finished : outbox_.take()) fill(std::move(finished));
  }

  // Takes a reply, and sends those of its connection whose turn has come.
  void fill(Finished finished) {
    std::deque<Slot>& slots = connections_[finished.connection];
    const auto slot = std::ranges::find(slots, finished.slot, &Slot::id);
    if (slot != slots.end()) slot->reply = std::move(finished.body);
    while (!slots.empty() && slots.front().reply) {
      send(std::move(slots.front().envelope), *slots.front().reply);
      slots.pop_front();
    }
    if (slots.empty()) connections_.erase(finished.connection);
  }

  void send(Frames envelope, const std::string& reply) {
    try {
      for (zmq::message_t& frame : envelope)
        if (!router_.send(frame, zmq::send_flags::sndmore | zmq::send_flags::dontwait))
          return desk_.metrics.count_ignored("reply_to_slow_client");
      router_.send(zmq::buffer(reply), zmq::send_flags::dontwait);
    } catch (const zmq::error_t& error) {
      if (error.num() != EHOSTUNREACH) throw;
      desk_.metrics.count_ignored("reply_to_gone_client");
    }
  }

  Desk& desk_;
  Outbox outbox_;
  zmq::context_t context_;
  zmq::socket_t router_;
  std::map<std::string, std::deque<Slot>> connections_;  // those that wait for a reply
  uint64_t next_slot_ = 0;
  bool stopping_ = false;
};

ZmqServer::ZmqServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZmqServer::~ZmqServer() = default;

Result<std::unique_ptr<ZmqServer>> ZmqServer::bind(const ZmqOptions& options, Desk& desk) {
  try {
    auto impl = std::make_unique<Impl>(options, desk);
    if (!impl->is_open()) return fail(Code::no_resource, "ZeroMQ", "an eventfd", "none left");
    return std::unique_ptr<ZmqServer>(new ZmqServer(std::move(impl)));
  } catch (const zmq::error_t& error) {
    return fail(Code::no_resource, tcp_address(options.host, options.port), "an address to listen on", error.what(),
                "--host and --port choose another one");
  }
}

std::string ZmqServer::address() const { return impl_->address(); }

Status ZmqServer::serve(int stop_fd) {
  try {
    impl_->serve(stop_fd);
    return {};
  } catch (const zmq::error_t& error) {
    return fail(Code::no_resource, "ZeroMQ", "a socket that works", error.what());
  }
}

}  // namespace ramet::server
