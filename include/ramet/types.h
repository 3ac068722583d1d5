// The vocabulary of the public interface: what goes into a policy or a tower and what comes out.
#pragma once

#include <ramet/error.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

// One 8-bit RGB picture, rows of `width * 3` bytes without gaps. Borrowed: the pixels stay the caller's.
struct ImageView {
  std::span<const uint8_t> rgb;  // height * width * 3
  int64_t height = 0;
  int64_t width = 0;
};

// What the robot sees, feels and is told. Keys are those of the Python API and of the checkpoint.
struct Observation {
  std::string name = "observation";                              // stands for it in errors
  std::map<std::string, std::vector<ImageView>> video;           // camera -> frames, oldest first
  std::map<std::string, std::vector<std::vector<float>>> state;  // key -> [history][dims], oldest first
  std::map<std::string, std::string> language;                   // key -> text; the key "" fits any robot
};

// An observation whose pictures are still files.
struct ObservationFiles {
  std::string name = "observation";        // stands for it in errors: the file
  std::string embodiment_tag;              // empty: not given
  std::optional<std::string> data_config;  // N1.5 only
  std::map<std::string, std::vector<std::filesystem::path>> video;
  std::map<std::string, std::vector<std::vector<float>>> state;
  std::map<std::string, std::string> language;
};

// One state or action key of a robot.
struct ModalityKey {
  std::string key;
  int64_t dims = 0;                  // 0: unknown
  std::string normalization = {};    // "min_max", "percentiles", "mean_std", "sin_cos", "none"
  std::string representation = {};   // actions: "absolute", "relative", "relative_eef", "delta"
  std::string unit = {};             // where known, else empty
  std::string action_type = {};      // actions: "EEF", "NON_EEF"; empty: the version has none
  std::string action_format = {};    // actions: "DEFAULT", "XYZ_ROT6D", "XYZ_ROTVEC"; empty: the version has none
  std::string reference_state = {};  // actions: the state key that a relative action is added to
};

// What one robot sends and receives. Delta indices are the time offsets of frames or rows, in steps.
struct EmbodimentInfo {
  std::string tag;
  int64_t slot = -1;
  std::vector<int64_t> video_delta_indices, state_delta_indices, action_delta_indices;
  int64_t action_horizon = 0;
  std::vector<std::string> cameras;
  std::vector<ModalityKey> state, action;
  std::vector<std::string> language_keys;  // the instruction is the text under the first
  std::string problem;                     // why this embodiment cannot be used; empty: it can

  std::string language_key() const { return language_keys.empty() ? std::string() : language_keys.front(); }
};

// A small dense array that owns its numbers.
struct FloatArray {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

// A named intermediate result; exactly one of the two vectors is filled.
struct Tap {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> floats;
  std::vector<int64_t> integers;
};

struct StageMs {
  std::string stage;  // preprocess, vision, llm, adapter, denoise, decode
  double ms = 0;
};

// Called during long work: what is being done and the share done, 0..1.
using Progress = std::function<void(std::string_view what, double share)>;
// One line, key=value pairs.
using Log = std::function<void(std::string_view line)>;

// oracle: every recorded op in plain float32. tuned: the same program fused, with packed weights and vector kernels.
enum class ExecutorKind { tuned, oracle };

struct EngineOptions {
  int threads = 0;  // 0: physical cores
  ExecutorKind executor = ExecutorKind::tuned;
  std::string precision = "bf16";                // of the tuned executor: a preset, then SITE=PRECISION by commas
  std::string isa;                               // scalar, avx2, avx512, amx: no better one is used; empty: the best
  std::filesystem::path cache;                   // folder that keeps packed weights; empty: they are not kept
  std::filesystem::path backbone;                // directory with the backbone's config; empty: searched
  std::filesystem::path tokenizer;               // file or directory; empty: searched
  std::filesystem::path hub_cache;               // Hugging Face's cache of repositories; empty: not searched
  std::vector<std::filesystem::path> data_dirs;  // installed data, searched last
  std::map<std::string, std::string> quirks;     // switch -> value, as `ramet inspect` lists them
  Progress progress;
  Log log;
};

// What computed, for reports.
struct ExecutionFacts {
  std::string executor, precision, isa;
  int threads = 0;
  int64_t packed_bytes = 0;  // weights as the tuned executor holds them
};

// What one stage of a program does in a run.
// One step of a run: a product with what is fused to it, an attention, or another op.
struct StepMs {
  std::string stage, step;  // "vision", "vision.block.3.fc1 1792x1024 -> 4096"
  double ms = 0;
  double gflop = 0;          // of the matrix products; a multiply-add counts two
  int64_t weight_bytes = 0;  // of packed weights
};

struct StageWork {
  std::string stage;
  double gflop = 0;          // of the matrix products; a multiply-add counts two
  int64_t weight_bytes = 0;  // of packed weights, once for each time they are read
};

// A matrix product and what it may round.
struct SiteInfo {
  std::string site, precision;
  std::vector<int64_t> shape;  // of its weight, [out, in]; empty: products of queries, keys and values
};

// What a program of a layout will need, before a byte of weights is read.
struct ExecutionPlan {
  std::string layout, meaning;
  int64_t weights_bytes = 0;  // packed
  int64_t arena_bytes = 0;    // everything else that a program allocates
  std::vector<SiteInfo> sites;
};

// What the machine does at the moment on the engine's threads: multiply-adds in registers by the instruction that the
// engine's kernels use, and reading memory.
struct MachinePeak {
  double compute_gflops = 0;
  double read_gbs = 0;
};

}  // namespace ramet
