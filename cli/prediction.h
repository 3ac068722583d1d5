// The result of `ramet predict` in each of its forms.
#pragma once

#include "run_facts.h"
#include "staged_files.h"

#include <ramet/policy.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace ramet::cli {

struct Prediction {
  Actions actions = {};
  uint64_t seed = 0;
  std::filesystem::path noise;  // replaces the seed; may be empty
  std::vector<Timing> runs = {};
  RunFacts facts = {};
};

nlohmann::ordered_json to_json(const Prediction& prediction);
std::string to_csv(const Actions& actions);  // step, then one column per dimension, in the order of the checkpoint
std::string to_table(const Prediction& prediction, int columns);

enum class OutputFormat { json, npz, safetensors, csv };

// By suffix. Errors: usage.
Result<OutputFormat> output_format(const std::filesystem::path& path);
Status stage(const Prediction& prediction, const std::filesystem::path& path, StagedFiles& files);

}  // namespace ramet::cli
