// What is known about one request: filled while it is served, then logged and counted once.
#pragma once

#include <ramet/types.h>

namespace ramet::server {

struct RequestRecord {
  uint64_t id = 0;
  std::string transport = {};          // "zmq", "http"
  std::string peer = {};               // address
  std::string endpoint = "unknown";    // or the name of a known one
  std::string api = {}, dialect = {};  // of get_action
  size_t bytes_in = 0, bytes_out = 0;
  int64_t batch = 0;  // observations
  std::optional<uint64_t> seed = {};
  std::vector<std::string> ignored = {};  // options without meaning here
  std::string code = "ok";
  std::string error = {};  // the whole text, which may hold paths
  double read_ms = 0, queue_ms = 0, predict_ms = 0, reply_ms = 0, total_ms = 0;
  std::vector<StageMs> stages = {};  // of predict, summed over the batch
};

}  // namespace ramet::server
