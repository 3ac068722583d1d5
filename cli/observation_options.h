// The observation of a command: OBS.json, single parts of it as options, which win, and the initial noise.
#pragma once

#include "options.h"

#include <ramet/observation_file.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ramet::cli {

class ObservationOptions {
 public:
  void declare(Options& options);
  bool given() const;

  // Errors: usage when nothing is given; those of read_observation.
  Result<ObservationFiles> read() const;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, std::vector<std::filesystem::path>> video_;
  std::map<std::string, std::vector<std::vector<float>>> state_;
  std::optional<std::string> instruction_;
};

class NoiseOption {
 public:
  void declare(Options& options);
  const std::filesystem::path& file() const { return file_; }

  // The tensor `noise` of the file; nothing where no file was given.
  Result<std::optional<FloatArray>> read() const;

  // The policy knows its noise as "noise"; the user knows the file.
  template <class T>
  Result<T> with_file(Result<T> result) const {
    if (!result && result.error().where == "noise" && !file_.empty()) result.error().where = file_.string() + ": noise";
    return result;
  }

 private:
  std::filesystem::path file_;
};

}  // namespace ramet::cli
