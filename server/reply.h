// Replies of the endpoints as bytes.  Source: spec policy-server, sections 4, 5.4, 5.5 and 7.1.
#pragma once

#include "server/observation_reader.h"
#include "server/wire/message_writer.h"

#include <ramet/policy.h>

namespace ramet::server {

// `--wire`: what a client is told in. `automatic`: arrays in the dialect of the request, modality configs for every
// nested client at once, or N1.5's when the model is N1.5.
enum class Wire { automatic, npy, mnp, n15 };

std::string pong();
std::string nil_reply();
std::string empty_map();

// The text that a client shows: at most 300 bytes of printable UTF-8, without the paths that errors of files hold.
std::string client_text(const Error& error);
std::string error_reply(std::string_view text);

struct ActionReply {
  Api api = Api::nested;
  ArrayForm form = ArrayForm::npy;
  bool has_batch_axis = true;
  bool with_timing = false;  // in the info map
};
// One Actions per item of the batch: key -> f32 [B, horizon, dims].
std::string action_reply(std::span<const Actions> items, const ActionReply& how);

std::string modality_config_reply(const EmbodimentInfo& robot, Wire wire);

}  // namespace ramet::server
