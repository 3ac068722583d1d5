#include "weights/checkpoint_kind.h"

#include <algorithm>
#include <array>

namespace ramet {
namespace {

struct Kind {
  CheckpointKind kind;
  std::string_view name, description;
};

constexpr std::array kKinds{Kind{CheckpointKind::groot_n15, "n15", "a GR00T N1.5 checkpoint"},
                            Kind{CheckpointKind::groot_n16, "n16", "a GR00T N1.6 checkpoint"},
                            Kind{CheckpointKind::groot_n17, "n17", "a GR00T N1.7 checkpoint"},
                            Kind{CheckpointKind::qwen3_vl, "qwen3-vl", "a Qwen3-VL model"},
                            Kind{CheckpointKind::qwen3_5, "qwen3.5", "a Qwen3.5 model"},
                            Kind{CheckpointKind::unknown, "unknown", "a model Ramet does not know"}};

// Each generation of GR00T names its backbone differently.
struct Mark {
  std::string_view prefix;
  CheckpointKind kind;
};
constexpr std::array kGrootMarks{Mark{"backbone.eagle_model.", CheckpointKind::groot_n15},
                                 Mark{"backbone.model.vision_model.vision_model.", CheckpointKind::groot_n16},
                                 Mark{"backbone.model.model.visual.", CheckpointKind::groot_n17}};

constexpr std::string_view kPatchEmbed = "patch_embed.proj.weight";

const Kind& row(CheckpointKind kind) { return *std::ranges::find(kKinds, kind, &Kind::kind); }

bool any_with(const Checkpoint& checkpoint, const std::string& prefix) {
  return !checkpoint.with_prefix(prefix).empty();
}

CheckpointKind guess_groot(const Checkpoint& checkpoint, const std::string& container) {
  for (const Mark& mark : kGrootMarks)
    if (any_with(checkpoint, container + std::string(mark.prefix))) return mark.kind;
  return CheckpointKind::unknown;
}

// Older Qwen towers share the patch embedding's name; linear_fc1 is new in Qwen3-VL.
CheckpointKind guess_qwen(const Checkpoint& checkpoint, const std::string& tower) {
  if (checkpoint.find(tower + "blocks.0.mlp.linear_fc1.weight") == nullptr) return CheckpointKind::unknown;
  return any_with(checkpoint, tower + "deepstack_merger_list.") ? CheckpointKind::qwen3_vl : CheckpointKind::qwen3_5;
}

std::string find_tower_prefix(const Checkpoint& checkpoint, const std::string& container) {
  for (const CheckpointTensor& tensor : checkpoint.with_prefix(container))
    if (tensor.name.ends_with(kPatchEmbed))
      return tensor.name.substr(container.size(), tensor.name.size() - container.size() - kPatchEmbed.size());
  return {};
}

}  // namespace

std::string_view name(CheckpointKind kind) { return row(kind).name; }

std::string CheckpointGuess::description() const {
  return std::string(row(kind).description) + (container_prefix.empty() ? "" : " in LeRobot's layout");
}

CheckpointGuess guess(const Checkpoint& checkpoint) {
  CheckpointGuess result;
  if (any_with(checkpoint, std::string(kLeRobotPrefix))) result.container_prefix = kLeRobotPrefix;
  result.tower_prefix = find_tower_prefix(checkpoint, result.container_prefix);
  result.kind = guess_groot(checkpoint, result.container_prefix);
  if (result.kind == CheckpointKind::unknown)
    result.kind = guess_qwen(checkpoint, result.container_prefix + result.tower_prefix);
  return result;
}

}  // namespace ramet
