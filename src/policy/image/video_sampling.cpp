#include "policy/image/video_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

int64_t frame_count(int64_t total_frames, double video_fps, const VideoSampling& sampling) {
  const double wanted = std::trunc(static_cast<double>(total_frames) / video_fps * sampling.fps);
  const double at_least = std::max(wanted, static_cast<double>(sampling.min_frames));
  const int64_t at_most = std::min(sampling.max_frames, total_frames);
  return at_least < static_cast<double>(at_most) ? static_cast<int64_t>(at_least) : at_most;
}

}  // namespace

Result<std::vector<int64_t>> sample_frames(int64_t total_frames, double video_fps, const VideoSampling& sampling) {
  if (total_frames < 1) return fail(Code::invalid_value, "video", "at least one frame", std::to_string(total_frames));
  if (!std::isfinite(video_fps) || video_fps <= 0)
    return fail(Code::invalid_value, "video frame rate", "a positive number", fmt::format("{}", video_fps));
  const int64_t count = frame_count(total_frames, video_fps, sampling);
  const double step = count > 1 ? static_cast<double>(total_frames - 1) / static_cast<double>(count - 1) : 0;
  std::vector<int64_t> indexes(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    indexes[static_cast<size_t>(i)] = static_cast<int64_t>(std::nearbyint(static_cast<double>(i) * step));
  return indexes;
}

std::vector<double> group_timestamps(std::span<const int64_t> indexes, double video_fps, int64_t temporal_patch_size) {
  const auto time = [&](size_t k) { return static_cast<double>(indexes[std::min(k, indexes.size() - 1)]) / video_fps; };
  const auto group = static_cast<size_t>(temporal_patch_size);
  std::vector<double> stamps;
  for (size_t first = 0; first < indexes.size(); first += group)
    stamps.push_back((time(first) + time(first + group - 1)) / 2);
  return stamps;
}

std::string timestamp_text(double seconds) { return fmt::format("<{:.1f} seconds>", seconds); }

}  // namespace ramet
