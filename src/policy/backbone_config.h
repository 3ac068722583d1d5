// The config of the backbone that a GR00T checkpoint names but does not hold.
//
// The first of these that exists: the directory the user chose, DIR/backbone, the Hugging Face cache, the table of
// published configs. Source: spec cli, section 2; spec gr00t-n1.7, section 1.6.
#pragma once

#include "models/qwen3_vl_config.h"

#include <ramet/error.h>

#include <filesystem>
#include <string>

namespace ramet {

struct BackboneSearch {
  std::filesystem::path chosen;      // --backbone; nothing else is tried when it is given
  std::filesystem::path checkpoint;  // DIR
  std::filesystem::path hub_cache;   // Hugging Face's folder "hub"; empty: none
  std::string model_name;            // "nvidia/Cosmos-Reason2-2B"
};

struct BackboneConfig {
  Qwen3VlConfig config;
  std::filesystem::path directory;  // empty: from the table
  std::string source;               // for people
};

// Errors: those of the file; not_found, listing every place.
Result<BackboneConfig> find_backbone_config(const BackboneSearch& search);

}  // namespace ramet
