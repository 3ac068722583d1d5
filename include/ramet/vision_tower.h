// The vision tower of a Qwen3-VL, Qwen3.5 or GR00T N1.7 checkpoint by itself: pictures to embeddings.
//
//   Result<VisionTower> tower = VisionTower::open("DIR");
//   Result<Encoding> encoding = tower->encode(images);
#pragma once

#include <ramet/types.h>

#include <array>
#include <memory>

namespace ramet {

struct EncodeOptions {
  bool video = false;             // the images are the frames of one video, oldest first
  std::vector<std::string> taps;  // globs
};

struct Encoding {
  FloatArray out;                     // [tokens, out_hidden_size], images one after the other
  std::vector<FloatArray> deepstack;  // the same rows at each deepstack level
  std::vector<std::array<int64_t, 3>>
      grid;  // per image: frame groups, rows, columns of patches; 4 patches make a token
  std::vector<StageMs> timing;
  std::vector<Tap> taps;
};

class VisionTower {
 public:
  static Result<VisionTower> open(const std::filesystem::path& directory, EngineOptions options = {});
  VisionTower(VisionTower&&) noexcept;
  VisionTower& operator=(VisionTower&&) noexcept;
  ~VisionTower();

  Result<Encoding> encode(std::span<const ImageView> images, const EncodeOptions& options = {});
  int threads() const;
  ExecutionFacts facts() const;

 private:
  struct Impl;
  explicit VisionTower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
