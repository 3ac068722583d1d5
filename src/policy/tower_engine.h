// Runs a vision tower by itself: pictures in, embeddings out.
#pragma once

#include "models/qwen_vision_tower.h"
#include "policy/compiled_programs.h"
#include "policy/execution.h"
#include "policy/image/qwen_config.h"
#include "policy/taps.h"
#include "weights/checkpoint.h"

#include <ramet/vision_tower.h>

#include <memory>

namespace ramet {

class TowerEngine {
 public:
  static Result<std::unique_ptr<TowerEngine>> open(const std::filesystem::path& directory, EngineOptions options);
  Result<Encoding> encode(std::span<const ImageView> images, const EncodeOptions& options);
  int threads() const { return execution_->threads(); }
  ExecutionFacts facts() const { return execution_->facts(); }

 private:
  struct Parts {
    Checkpoint checkpoint;
    QwenVisionTower tower;
    QwenImageProcessorConfig images;
    QwenVideoProcessorConfig videos;
  };
  TowerEngine(Parts parts, EngineOptions options, std::unique_ptr<Execution> execution);
  Result<Encoding> run(const struct PatchRows& rows, const EncodeOptions& options);
  Encoding collect(const Executor& executor, const std::vector<Grid>& grids) const;

  Parts parts_;
  EngineOptions options_;
  std::unique_ptr<Execution> execution_;
  CompiledPrograms programs_;
};

}  // namespace ramet
