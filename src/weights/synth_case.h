// The checkpoint of a golden case: its files copied, its weights synthesised and checked against the listed hashes.
//
//   CASE/case.json                        seed, and profile (or profiles, the first of which is the default)
//   CASE/checkpoint/**                 -> OUT/**, except the lists tensors*.tsv
//   CASE/companion/**                  -> OUT/backbone/**
//   CASE/checkpoint/tensors.tsv        -> OUT/model.safetensors, or shards with an index
//   CASE/checkpoint/tensors.PROFILE.tsv   hashes of the tensors that differ in another profile of the case
//
// Hashes are checked for the case's own seed and profiles; for others none are known.
// Errors: not_found and invalid_file (the case), usage (OUT has files), no_resource.  Source: spec cli (synth),
// goldens.
#pragma once

#include "base/thread_pool.h"
#include "weights/output_directory.h"
#include "weights/synth_writer.h"

#include <ramet/error.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ramet {

struct SynthCaseOptions {
  std::optional<uint64_t> seed{};         // default: the case's
  std::optional<SynthProfile> profile{};  // default: the case's first
  Existing existing = Existing::refuse;
  SynthProgress progress{};
};

Result<SynthReport> synth_from_case(const std::filesystem::path& case_directory, const std::filesystem::path& out,
                                    const SynthCaseOptions& options, ThreadPool& pool);

}  // namespace ramet
