#include "places.h"

#include <cstdlib>
#include <optional>

namespace ramet::cli {
namespace {

std::optional<std::filesystem::path> variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

}  // namespace

std::vector<std::filesystem::path> data_dirs() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  std::vector<std::filesystem::path> folders;
  if (std::filesystem::exists(folder / "CMakeCache.txt", error)) folders.push_back(folder.parent_path() / "data");
  folders.push_back(folder.parent_path() / "share/ramet");
  return folders;
}

std::filesystem::path weight_cache() {
  if (const auto cache = variable("XDG_CACHE_HOME")) return *cache / "ramet";
  if (const auto home = variable("HOME")) return *home / ".cache/ramet";
  return {};
}

std::filesystem::path hub_cache() {
  if (const auto hub = variable("HF_HUB_CACHE")) return *hub;
  if (const auto home = variable("HF_HOME")) return *home / "hub";
  if (const auto cache = variable("XDG_CACHE_HOME")) return *cache / "huggingface/hub";
  if (const auto home = variable("HOME")) return *home / ".cache/huggingface/hub";
  return {};
}

}  // namespace ramet::cli
