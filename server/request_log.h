// One line per request, as text (key=value) or as JSON, and lines about the server itself.
#pragma once

#include "server/request_record.h"

#include <functional>
#include <mutex>

namespace ramet::server {

enum class LogFormat { text, json };

class RequestLog {
 public:
  using Sink = std::function<void(const std::string& line)>;
  RequestLog(LogFormat format, Sink sink) : format_(format), sink_(std::move(sink)) {}

  void write(const RequestRecord& record);  // from any thread
  void note(const std::string& text);       // "listening on …"

 private:
  LogFormat format_;
  Sink sink_;
  std::mutex mutex_;
};

}  // namespace ramet::server
