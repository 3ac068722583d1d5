// Runs a vision tower by itself: pictures in, embeddings out.
#pragma once

#include "models/qwen_vision_tower.h"
#include "policy/compiled_programs.h"
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
  int threads() const { return pool_.threads(); }

 private:
  struct Parts {
    Checkpoint checkpoint;
    QwenVisionTower tower;
    QwenImageProcessorConfig images;
    QwenVideoProcessorConfig videos;
  };
  TowerEngine(Parts parts, EngineOptions options);
  Result<Encoding> run(const struct PatchRows& rows, const EncodeOptions& options);
  Encoding collect(const OracleExecutor& executor, const std::vector<Grid>& grids) const;

  Parts parts_;
  EngineOptions options_;
  ThreadPool pool_;
  CompiledPrograms programs_;
};

}  // namespace ramet
