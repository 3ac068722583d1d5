#include "server/request_log.h"

#include "policy/text/utf8.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace ramet::server {
namespace {

using nlohmann::ordered_json;

std::string now() {
  const auto time = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(time)), ms);
}

double rounded(double ms) { return std::round(ms * 1000) / 1000; }

ordered_json times(const RequestRecord& record) {
  ordered_json document{{"read", rounded(record.read_ms)}};
  if (record.predict_ms > 0) {
    document["queue"] = rounded(record.queue_ms);
    document["predict"] = rounded(record.predict_ms);
    document["reply"] = rounded(record.reply_ms);
  }
  document["total"] = rounded(record.total_ms);
  return document;
}

ordered_json document_of(const RequestRecord& record) {
  ordered_json document{{"time", now()},
                        {"request", record.id},
                        {"transport", record.transport},
                        {"peer", record.peer},
                        {"endpoint", record.endpoint},
                        {"code", record.code},
                        {"bytes_in", record.bytes_in},
                        {"bytes_out", record.bytes_out}};
  if (record.batch > 0) {
    document["api"] = record.api;
    document["dialect"] = record.dialect;
    document["batch"] = record.batch;
  }
  if (record.seed) document["seed"] = *record.seed;
  if (!record.ignored.empty()) document["ignored_options"] = record.ignored;
  document["ms"] = times(record);
  if (!record.error.empty()) document["error"] = record.error;
  return document;
}

std::string json_text(const ordered_json& value) {
  return value.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

// key=value pairs; texts with blanks or quotes are JSON strings, so a line stays a line.
std::string text_line(const ordered_json& document) {
  std::string line;
  for (const auto& [key, value] : document.items()) {
    if (key == "ms") {
      for (const auto& [stage, ms] : value.items()) line += fmt::format(" {}_ms={}", stage, json_text(ms));
      continue;
    }
    const bool is_plain = value.is_string() && key != "error";
    line += fmt::format(" {}={}", key, is_plain ? value.get<std::string>() : json_text(value));
  }
  return line.substr(1);
}

}  // namespace

void RequestLog::write(const RequestRecord& record) {
  const ordered_json document = document_of(record);
  const std::string line = format_ == LogFormat::json ? json_text(document) : text_line(document);
  const std::lock_guard lock(mutex_);
  sink_(line);
}

void RequestLog::note(const std::string& text) {
  const ordered_json document{{"time", now()}, {"note", text}};
  const std::string line = format_ == LogFormat::json ? json_text(document) : "ramet: " + text;
  const std::lock_guard lock(mutex_);
  sink_(line);
}

}  // namespace ramet::server
