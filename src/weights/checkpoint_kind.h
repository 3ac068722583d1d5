// What a checkpoint probably is, told by characteristic tensor names alone.
#pragma once

#include "weights/checkpoint.h"

#include <string>
#include <string_view>

namespace ramet {

enum class CheckpointKind {
  groot_n15,
  groot_n16,
  groot_n17,
  qwen3_vl,  // tower with deepstack mergers
  qwen3_5,   // the same tower without them
  unknown,
};

std::string_view name(CheckpointKind kind);  // "n15", ..., "qwen3-vl", "qwen3.5", "unknown"

inline constexpr std::string_view kLeRobotPrefix = "_groot_model.";

struct CheckpointGuess {
  CheckpointKind kind = CheckpointKind::unknown;
  std::string container_prefix;  // kLeRobotPrefix, or empty: what Checkpoint::open has to strip
  std::string tower_prefix;      // of a Qwen3-VL tower, container prefix not included: "model.visual."

  std::string description() const;  // "a GR00T N1.5 checkpoint in LeRobot's layout"
};

CheckpointGuess guess(const Checkpoint& checkpoint);

}  // namespace ramet
