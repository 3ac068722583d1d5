// Any bytes as a message to the policy server: envelope, both array dialects, observations and options.
#include "server/service.h"

#include <cstdint>

namespace {

using namespace ramet;

server::ServedPolicy policy(const char* version) {
  EmbodimentInfo robot;
  robot.video_delta_indices = robot.state_delta_indices = {0};
  robot.action_delta_indices = {0, 1};
  robot.cameras = {"front"};
  robot.state = {{.key = "arm", .dims = 2}};
  robot.action = {{.key = "arm", .dims = 2}};
  robot.language_keys = {"task"};
  return {.robot = robot, .version = version, .noise_shape = {2, 4}, .act = {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const server::Service services[]{{policy("GR00T N1.7"), {}}, {policy("GR00T N1.5"), {}}};
  for (const server::Service& service : services) {
    server::RequestRecord record;
    const server::Admission admission = service.admit({reinterpret_cast<const char*>(data), size}, record);
    if (const auto* answer = std::get_if<server::Answer>(&admission))  // what is answered can be read
      if (!server::read_message(answer->body)) __builtin_trap();
  }
  return 0;
}
