// Tiny synthetic directories, damaged copies of them, and observations, for the tests of this layer.
#pragma once

#include "policy/engine.h"
#include "policy/synth/layouts.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet::test {

// The tiny directory that `ramet synth --version VERSION --size tiny` writes; made once for all test programs.
std::filesystem::path tiny_directory(std::string_view version);

// A copy of a directory whose weights are links; removed in the end.
class Copy {
 public:
  explicit Copy(const std::filesystem::path& original);
  ~Copy();
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void edit(const std::string& file, const std::function<void(nlohmann::json&)>& change) const;
  // Overwrites one bf16 element of a tensor, in a copy of the weights.
  void poke(const std::string& tensor, int64_t element, uint16_t bits) const;

 private:
  std::filesystem::path path_;
};

// The robots of the tiny N1.7 directory.
inline constexpr const char* kLibero = "libero_sim";
inline constexpr const char* kDroid = "oxe_droid_relative_eef_relative_joint";
inline constexpr const char* kGoogle = "simpler_env_google";

// With the real vocabulary; `threads` 1.
PolicyOptions tiny_options(const std::string& embodiment);

// An observation of a robot of the tiny N1.7 directory. Owns its pictures.
class Scene {
 public:
  explicit Scene(const std::string& embodiment, ImageSize size = {256, 256});
  Observation observation;

  void resize(const std::string& camera, ImageSize size);  // other pictures for one camera

 private:
  ImageView draw(ImageSize size);
  std::vector<std::vector<uint8_t>> pixels_;
};

// |a - b| / |b|
double rel_l2(std::span<const float> a, std::span<const float> b);

}  // namespace ramet::test
