// Where a machine keeps what a checkpoint directory may lack.
#pragma once

#include <filesystem>
#include <vector>

namespace ramet::cli {

// The vocabulary that set-up fetched or `make install` copied: PREFIX/share/ramet of an installed program, build/data
// of one in a build folder.
std::vector<std::filesystem::path> data_dirs();

// $XDG_CACHE_HOME/ramet, ~/.cache/ramet: where packed weights are kept. Empty without a home.
std::filesystem::path weight_cache();

// $HF_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub: the first that is set, as the
// Hugging Face libraries choose it. Empty without a home.
std::filesystem::path hub_cache();

}  // namespace ramet::cli
