// Any bytes as an observation; what parses is checked against a robot and normalised.
#include "policy/robot/observation.h"
#include "policy/robot/state_processor.h"

#include <cstdint>

namespace {

using namespace ramet;

constexpr std::string_view kRobot = R"({
  "video": {"delta_indices": [0], "modality_keys": ["front"]},
  "state": {"delta_indices": [0], "modality_keys": ["joints"]},
  "action": {"delta_indices": [0], "modality_keys": ["joints"]},
  "language": {"delta_indices": [0], "modality_keys": ["task"]}})";
constexpr std::string_view kRanges = R"({"arm": {"state": {"joints": {"min": [0, -1], "max": [1, 1]}}}})";

template <class T>
T must(Result<T> result) {
  if (!result) __builtin_trap();
  return std::move(*result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ModalityConfig modality = must(parse_modality_config(must(JsonFile::parse(kRobot, "m")).root()));
  static const Statistics statistics = must(Statistics::parse(must(JsonFile::parse(kRanges, "s")).root()));
  static const StateProcessor state = must(StateProcessor::make({}, modality.state, statistics, "arm"));

  const auto file = JsonFile::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!file) return 0;
  const auto observation = parse_observation(file->root(), "/folder");
  if (!observation) return 0;
  Observation seen{observation->name, {}, observation->state, observation->language};
  for (const auto& [camera, frames] : observation->video) seen.video[camera].resize(frames.size());
  static_cast<void>(check(seen, modality));
  if (state.check(seen.state, "fuzz") && !state.normalize(seen.state, "fuzz")) __builtin_trap();
  return 0;
}
