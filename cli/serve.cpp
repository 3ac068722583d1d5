// ramet serve: the policy behind the protocols of the Isaac-GR00T clients.
#include "command.h"
#include "report.h"
#include "settings.h"
#include "text.h"

#include "server/serve.h"
#include "server/signals.h"

#include <algorithm>
#include <cstdio>

namespace ramet::cli {
namespace {

constexpr int64_t kMaxPort = 65535;
constexpr int64_t kMiB = int64_t{1} << 20;

class Serve : public Command {
 public:
  void declare(Options& options) override;
  Result<int> run(Console& console) override;

 private:
  void declare_sockets(Options& options);
  void declare_protocol(Options& options);
  void declare_limits(Options& options);
  void integer(Options& options, const OptionText& text, int64_t min, int64_t max, std::function<void(int64_t)> store);
  void choice(Options& options, const OptionText& text, std::vector<std::string> names,
              std::function<void(size_t)> store);
  Status settle();

  std::filesystem::path directory_;
  Settings settings_{"embodiment", "data-config",    "executor",  "precision", "isa",
                     "threads",    "backbone",       "tokenizer", "cache",     "steps",
                     "seed",       "reuse-backbone", "quirks"};
  server::ServeOptions serve_;
  bool no_kill_ = false, strict_ = false, no_strict_ = false, sim_wrapper_ = false;
};

void Serve::integer(Options& options, const OptionText& text, int64_t min, int64_t max,
                    std::function<void(int64_t)> store) {
  options.option(text, [=](const Given& given) -> Status {
    RAMET_TRY(const int64_t value, parse_integer(given, min, max));
    store(value);
    return {};
  });
}

void Serve::choice(Options& options, const OptionText& text, std::vector<std::string> names,
                   std::function<void(size_t)> store) {
  options.option(text, [=](const Given& given) -> Status {
    const auto name = std::ranges::find(names, given.text);
    if (name == names.end()) return misfit(given, text.value);
    store(static_cast<size_t>(name - names.begin()));
    return {};
  });
}

void Serve::declare(Options& options) {
  options.argument(
      {.name = "--model-path,DIR", .meaning = "checkpoint directory, or a .safetensors file beside its config"},
      directory_);
  declare_sockets(options);
  declare_protocol(options);
  declare_limits(options);
  settings_.declare(options);
}

void Serve::declare_sockets(Options& options) {
  options.option({.name = "--host",
                  .value = "ADDRESS",
                  .meaning = "address to listen on; one that other machines reach needs --api-token",
                  .fallback = "127.0.0.1",
                  .example = "0.0.0.0"},
                 serve_.zmq.host);
  integer(options,
          {.name = "--port",
           .value = "N",
           .meaning = "port of the ZeroMQ clients; 0 takes any free one",
           .fallback = "5555",
           .example = "5556"},
          0, kMaxPort, [this](int64_t port) { serve_.zmq.port = static_cast<int>(port); });
  integer(options,
          {.name = "--http-port",
           .value = "N",
           .meaning = "port of N1.5's HTTP clients: POST /act, GET /health",
           .fallback = "no HTTP",
           .example = "8000"},
          0, kMaxPort, [this](int64_t port) { serve_.http_port = static_cast<int>(port); });
  integer(options,
          {.name = "--metrics-port",
           .value = "N",
           .meaning = "port of /metrics (Prometheus text) and /healthz",
           .fallback = "no metrics",
           .example = "9090"},
          0, kMaxPort, [this](int64_t port) { serve_.metrics_port = static_cast<int>(port); });
  options.option(
      {.name = "--api-token",
       .value = "TEXT",
       .meaning = "token that every request must hold; it travels in clear text, so the network must be trusted",
       .fallback = "none",
       .example = "s3cret"},
      serve_.service.api_token);
  options.flag({.name = "--insecure", .meaning = "let other machines come without a token"}, serve_.is_insecure);
}

void Serve::declare_protocol(Options& options) {
  options.flag({.name = "--use-sim-policy-wrapper", .meaning = "observations have flat keys; the same as --api flat"},
               sim_wrapper_);
  choice(options,
         {.name = "--api",
          .value = "auto|nested|flat",
          .meaning = "keys of observations; auto tells nested and flat ones apart",
          .fallback = "auto",
          .example = "flat"},
         {"auto", "nested", "flat"}, [this](size_t i) {
           serve_.service.flat = std::array{server::FlatObservations::accepted, server::FlatObservations::refused,
                                            server::FlatObservations::required}[i];
         });
  choice(options,
         {.name = "--wire",
          .value = "auto|npy|mnp|n15",
          .meaning = "form of replies; auto answers in the form of the request",
          .fallback = "auto",
          .example = "npy"},
         {"auto", "npy", "mnp", "n15"}, [this](size_t i) { serve_.service.wire = static_cast<server::Wire>(i); });
  options.flag({.name = "--strict", .meaning = "refuse flat keys where nested ones are expected"}, strict_);
  options.flag({.name = "--no-strict", .meaning = "take states of any number type"}, no_strict_);
  options.flag({.name = "--no-kill", .meaning = "clients cannot end the server"}, no_kill_);
  options.flag({.name = "--timings", .meaning = "timing_ms in the info of every action"}, serve_.service.with_timing);
  choice(options,
         {.name = "--log",
          .value = "text|json",
          .meaning = "form of the log on stderr, a line for each request",
          .fallback = "text",
          .example = "json"},
         {"text", "json"}, [this](size_t i) { serve_.log = static_cast<server::LogFormat>(i); });
}

void Serve::declare_limits(Options& options) {
  integer(options,
          {.name = "--max-clients",
           .value = "N",
           .meaning = "clients whose requests wait or run; one more is told `busy` at once",
           .fallback = "32",
           .example = "8"},
          1, 100'000, [this](int64_t n) { serve_.queue.clients = static_cast<size_t>(n); });
  integer(options,
          {.name = "--queue",
           .value = "N",
           .meaning = "requests that wait, of all clients; 8 of one client",
           .fallback = "64",
           .example = "16"},
          1, 100'000, [this](int64_t n) { serve_.queue.requests = static_cast<size_t>(n); });
  integer(options,
          {.name = "--max-message-mib",
           .value = "N",
           .meaning = "size of a message, MiB",
           .fallback = "256",
           .example = "64"},
          1, 4095, [this](int64_t mib) { serve_.zmq.max_message_bytes = mib * kMiB; });
  integer(
      options,
      {.name = "--max-batch", .value = "N", .meaning = "observations in a request", .fallback = "32", .example = "1"},
      1, 4096, [this](int64_t n) { serve_.service.rules.max_batch = n; });
  integer(options,
          {.name = "--max-image-side",
           .value = "N",
           .meaning = "height and width of a picture, pixels",
           .fallback = "8192",
           .example = "1080"},
          1, 1 << 17, [this](int64_t n) { serve_.service.rules.max_image_side = n; });
  integer(options,
          {.name = "--max-text-bytes",
           .value = "N",
           .meaning = "length of an instruction, bytes",
           .fallback = "4096",
           .example = "256"},
          1, 65536, [this](int64_t n) { serve_.service.rules.max_text_bytes = n; });
  integer(options,
          {.name = "--max-depth", .value = "N", .meaning = "nesting of a message", .fallback = "32", .example = "16"},
          1, 1024, [this](int64_t n) { serve_.service.limits.max_depth = n; });
  integer(options,
          {.name = "--max-values",
           .value = "N",
           .meaning = "values in a message, an array being one",
           .fallback = "100000",
           .example = "10000"},
          16, 100'000'000, [this](int64_t n) { serve_.service.limits.max_values = n; });
  integer(options,
          {.name = "--max-steps",
           .value = "N",
           .meaning = "denoising steps that a client may ask for",
           .fallback = "100",
           .example = "16"},
          1, 1000, [this](int64_t n) { serve_.service.max_steps = n; });
}

// What options mean together. A seed that nobody chose is another one for each call, as with the original servers.
Status Serve::settle() {
  if (strict_ && no_strict_) return fail(Code::usage, "--no-strict", "not beside --strict", "both");
  if (sim_wrapper_) serve_.service.flat = server::FlatObservations::required;
  if (strict_ && serve_.service.flat == server::FlatObservations::accepted)
    serve_.service.flat = server::FlatObservations::refused;
  serve_.service.rules.cast_types = no_strict_;
  serve_.service.allows_kill = !no_kill_;
  const auto seed = std::ranges::find(settings_.sources(), "seed", &Setting::name);
  if (seed->source != "default") serve_.service.seed = settings_.values().seed;
  return server::check(serve_);
}

Result<int> Serve::run(Console& console) {
  RAMET_TRY(const std::unique_ptr<server::Signals> signals, server::Signals::catch_them());
  RAMET_TRY_STATUS(settings_.resolve(directory_));
  RAMET_TRY_STATUS(settle());
  EngineOptions engine = settings_.engine(console);
  engine.progress = {};  // no line of progress between the lines of the log
  RAMET_TRY(Policy policy, Policy::open(directory_, {.embodiment = settings_.values().embodiment,
                                                     .data_config = settings_.values().data_config,
                                                     .steps = settings_.values().steps,
                                                     .reuse_backbone = settings_.values().reuse_backbone,
                                                     .engine = std::move(engine)}));
  RAMET_TRY_STATUS(server::serve(policy, serve_, *signals,
                                 [](const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }));
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_serve() { return std::make_unique<Serve>(); }

}  // namespace ramet::cli
