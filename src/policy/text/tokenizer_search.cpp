#include "policy/text/tokenizer_search.h"

#include <fmt/format.h>

#include <string>

namespace ramet {
namespace {

constexpr const char* kWanted = "tokenizer.json, vocab.json with merges.txt, or qwen.tiktoken";

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::vector<std::filesystem::path> directories(const TokenizerSearch& search) {
  std::vector<std::filesystem::path> places{search.checkpoint, search.backbone};
  places.insert(places.end(), search.installed.begin(), search.installed.end());
  std::erase_if(places, [](const auto& place) { return place.empty(); });
  return places;
}

Result<std::filesystem::path> check_chosen(const std::filesystem::path& chosen) {
  if (is_file(chosen)) return chosen;
  if (const auto found = tokenizer_in(chosen)) return *found;
  return fail(Code::not_found, "tokenizer " + chosen.string(), fmt::format("a file, or a directory with {}", kWanted),
              is_there(chosen) ? "neither" : "no such path");
}

}  // namespace

std::optional<std::filesystem::path> tokenizer_in(const std::filesystem::path& directory) {
  if (is_file(directory / "tokenizer.json")) return directory / "tokenizer.json";
  if (is_file(directory / "vocab.json") && is_file(directory / "merges.txt")) return directory / "vocab.json";
  if (is_file(directory / "qwen.tiktoken")) return directory / "qwen.tiktoken";
  return std::nullopt;
}

Result<std::filesystem::path> find_tokenizer(const TokenizerSearch& search) {
  if (!search.chosen.empty()) return check_chosen(search.chosen);
  std::vector<std::string> looked_at;
  for (const auto& place : directories(search)) {
    if (const auto found = tokenizer_in(place)) return *found;
    looked_at.push_back(place.string());
  }
  return fail(Code::not_found, "tokenizer", kWanted,
              looked_at.empty() ? "no place to look at" : fmt::format("none in {}", fmt::join(looked_at, ", ")),
              "run `make setup`, which installs qwen.tiktoken, or name the file with --tokenizer");
}

}  // namespace ramet
