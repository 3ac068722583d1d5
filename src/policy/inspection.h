// Fills an Inspection from headers and JSON files alone. What is wrong becomes a line of `problems`, so that a damaged
// directory can be looked at too; only one in which nothing can be read is an error.
#pragma once

#include "weights/claims.h"

#include <ramet/inspect.h>

namespace ramet {

Result<Inspection> inspect_directory(const std::filesystem::path& directory, const EngineOptions& options);

// Tensors, categories, bytes and memory modes, after a model has claimed what it needs.
void describe_weights(const WeightClaims& claims, Inspection& inspection);

}  // namespace ramet
