#include "policy/text/positions.h"

#include <fmt/format.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr int64_t kMaxSide = 1 << 20;
constexpr int64_t kMaxPatches = 1 << 28;

// The frame groups of a list of items, one after the other.
class FrameGroups {
 public:
  FrameGroups(std::string_view kind, std::span<const Grid> grids) : kind_(kind), grids_(grids) {}

  Status check() const {
    for (size_t i = 0; i < grids_.size(); ++i) {
      RAMET_TRY_STATUS(check_grid(grids_[i], fmt::format("grid of {} {}", kind_, i)));
    }
    return {};
  }
  bool done() const { return item_ == grids_.size(); }
  Result<Grid> take(size_t token, int64_t run) {
    if (done())
      return fail(Code::invalid_value, fmt::format("token {}", token), fmt::format("{} {}s", item_, kind_),
                  fmt::format("pads of one more"));
    const Grid grid = grids_[item_];
    if (run != merged_tokens(grid))
      return fail(Code::invalid_value, fmt::format("token {}", token),
                  fmt::format("{} pads in a row for {} {}", merged_tokens(grid), kind_, item_), fmt::format("{}", run));
    if (++frame_ == grid.t) {
      frame_ = 0;
      ++item_;
    }
    return grid;
  }
  Status check_done() const {
    if (done()) return {};
    return fail(Code::invalid_value, "prompt", fmt::format("pads for {} {}s", grids_.size(), kind_),
                fmt::format("for {}", item_));
  }

 private:
  std::string_view kind_;
  std::span<const Grid> grids_;
  size_t item_ = 0;
  int64_t frame_ = 0;
};

class Walk {
 public:
  explicit Walk(size_t tokens) : tokens_(tokens) { positions_.values.resize(3 * tokens); }

  void text(size_t token) {
    put(token, next_, next_, next_);
    ++next_;
  }
  void run(size_t token, const Grid& grid) {
    const int64_t rows = grid.h / kSpatialMerge;
    const int64_t cols = grid.w / kSpatialMerge;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < cols; ++col) put(token++, next_, next_ + row, next_ + col);
    next_ += std::max(rows, cols);
  }
  MropePositions finish() && {
    positions_.delta = next_ - static_cast<int64_t>(tokens_);
    return std::move(positions_);
  }

 private:
  void put(size_t token, int64_t t, int64_t h, int64_t w) {
    positions_.values[token] = t;
    positions_.values[tokens_ + token] = h;
    positions_.values[2 * tokens_ + token] = w;
  }

  size_t tokens_;
  int64_t next_ = 0;
  MropePositions positions_;
};

size_t run_end(std::span<const int64_t> ids, size_t begin) {
  size_t end = begin;
  while (end < ids.size() && ids[end] == ids[begin]) ++end;
  return end;
}

}  // namespace

Status check_grid(const Grid& grid, const std::string& where) {
  const bool sides = grid.t > 0 && grid.h > 0 && grid.w > 0 && grid.t <= kMaxSide && grid.h <= kMaxSide &&
                     grid.w <= kMaxSide && grid.h % kSpatialMerge == 0 && grid.w % kSpatialMerge == 0;
  if (sides && grid.h * grid.w <= kMaxPatches && grid.patches() <= kMaxPatches) return {};
  return fail(Code::invalid_value, where,
              fmt::format("positive extents, rows and columns even, at most {} patches", kMaxPatches),
              fmt::format("[{},{},{}]", grid.t, grid.h, grid.w));
}

Result<MropePositions> mrope_positions(std::span<const int64_t> ids, const VisionPads& pads,
                                       std::span<const Grid> images, std::span<const Grid> videos) {
  FrameGroups image_runs("image", images);
  FrameGroups video_runs("video", videos);
  RAMET_TRY_STATUS(image_runs.check());
  RAMET_TRY_STATUS(video_runs.check());
  Walk walk(ids.size());
  for (size_t token = 0; token < ids.size();) {
    if (ids[token] != pads.image && ids[token] != pads.video) {
      walk.text(token++);
      continue;
    }
    const size_t end = run_end(ids, token);
    FrameGroups& runs = ids[token] == pads.image ? image_runs : video_runs;
    RAMET_TRY(const Grid grid, runs.take(token, static_cast<int64_t>(end - token)));
    walk.run(token, grid);
    token = end;
  }
  RAMET_TRY_STATUS(image_runs.check_done());
  RAMET_TRY_STATUS(video_runs.check_done());
  return std::move(walk).finish();
}

}  // namespace ramet
