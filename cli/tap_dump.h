// Intermediate results that someone else computed: a safetensors file of taps by name, or taps of the other executor.
//
// `<tap>.rows` (integers) says that the file keeps only these rows of <tap>. With prefixes, only names under one of
// them whose rest starts with a stage of the pipeline count, and they count without the prefix.
#pragma once

#include "weights/safetensors.h"

#include <ramet/error.h>
#include <ramet/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ramet::cli {

struct TapSelection {
  std::vector<std::string> prefixes;
  std::string only = "*";
  std::vector<std::string> skip;
};

struct DumpedTap {
  Tap tap;
  std::optional<std::vector<int64_t>> rows;
};

class TapDump {
 public:
  static Result<TapDump> open(const std::filesystem::path& path, const TapSelection& selection);

  static TapDump of(std::vector<Tap> taps, const TapSelection& selection);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  Result<DumpedTap> read(const std::string& name) const;

 private:
  TapDump() = default;
  explicit TapDump(SafetensorsFile file) : file_(std::move(file)) {}
  Result<Tap> read_entry(const std::string& name, const SafetensorsEntry& entry) const;

  SafetensorsFile file_;
  std::map<std::string, std::string> entries_;  // tap -> name in the file; rows lists included
  std::vector<std::string> names_;
  std::vector<Tap> taps_;  // instead of a file
};

}  // namespace ramet::cli
