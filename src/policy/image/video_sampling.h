// Which frames of a video a Qwen processor looks at, and the time it prints before each pair of them.
//
// Source: spec qwen3-vl, section 4.5.
#pragma once

#include <ramet/error.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ramet {

struct VideoSampling {
  double fps = 2;
  int64_t min_frames = 4;
  int64_t max_frames = 768;

  friend bool operator==(const VideoSampling&, const VideoSampling&) = default;
};

//   n = trunc(total / video_fps * fps), at least min_frames, at most max_frames and total
//   index i = rne(i (total - 1) / (n - 1))
// Errors: invalid_value (no frames, a frame rate that is not positive and finite).
Result<std::vector<int64_t>> sample_frames(int64_t total_frames, double video_fps, const VideoSampling& sampling = {});

// Seconds, one for each group of `temporal_patch_size` frames (the last index fills up the last group): the mean of the
// group's first and last frame time. `indexes` is not empty, video_fps positive.
std::vector<double> group_timestamps(std::span<const int64_t> indexes, double video_fps, int64_t temporal_patch_size);

std::string timestamp_text(double seconds);  // "<1.6 seconds>"

}  // namespace ramet
