// SigLIP's attention-pooling head: checkpoints hold it, and no policy evaluates it.
#pragma once

#include "weights/safetensors_writer.h"

#include <string>
#include <vector>

namespace ramet {

// All BF16. `prefix` ends before "probe": "...vision_model.head."
std::vector<TensorSpec> siglip_pooling_head(const std::string& prefix, int64_t hidden_size, int64_t intermediate_size);

}  // namespace ramet
