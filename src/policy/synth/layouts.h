// The files and tensors of published checkpoints, for writing synthetic ones.
//
// A layout is made from the same sizes and claims as opening such a directory, so that the two cannot disagree.
// Source: spec gr00t-n1.7, section 1; qwen3-vl, sections 1, 2 and 4.1; synth.
#pragma once

#include "weights/output_directory.h"
#include "weights/synth_writer.h"

#include <ramet/error.h>

#include <string>
#include <string_view>
#include <vector>

namespace ramet {

enum class SynthSize { tiny, full };  // full: the published sizes; tiny: those of the golden cases

struct SynthFile {
  std::string path;  // relative
  std::string text;
};

struct SynthLayout {
  std::vector<SynthFile> files;
  std::vector<TensorSpec> tensors;
};

std::vector<std::string> synth_versions();  // "n17", "qwen3-vl-2b", ...

// Errors: not_found, listing the versions.
Result<SynthLayout> published_layout(std::string_view version, SynthSize size);

Result<SynthReport> write_layout(const SynthLayout& layout, const std::filesystem::path& out, Existing existing,
                                 const SynthOptions& options, ThreadPool& pool);

}  // namespace ramet
