#include "policy/image/smart_resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ramet {
namespace {

constexpr double kMaxAspectRatio = 200;
constexpr int64_t kMaxBudget = int64_t{1} << 40;

int64_t round_half_even(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

// One axis under the three rules. beta is the square root of a ratio of areas.
struct SideRule {
  int64_t factor;

  int64_t nearest(int64_t side) const { return round_half_even(real(side) / real(factor)) * factor; }
  int64_t reduced(int64_t side, double beta) const {
    return std::max(factor, static_cast<int64_t>(std::floor(real(side) / beta / real(factor))) * factor);
  }
  int64_t enlarged(int64_t side, double beta) const {
    return static_cast<int64_t>(std::ceil(real(side) * beta / real(factor))) * factor;
  }
  static double real(int64_t value) { return static_cast<double>(value); }
};

Status check_size(ImageSize size) {
  if (size.height < 1 || size.width < 1) return fail(Code::invalid_value, "picture", "at least one pixel", str(size));
  const auto longest = static_cast<double>(std::max(size.height, size.width));
  const double ratio = longest / static_cast<double>(std::min(size.height, size.width));
  if (ratio <= kMaxAspectRatio) return {};
  return fail(Code::invalid_value, "picture", fmt::format("an aspect ratio of at most {}", kMaxAspectRatio),
              fmt::format("{}: {:.1f}", str(size), ratio), "crop it first");
}

// `frames` stands in beta, `rounded_frames` in the comparison; both are 1 for a picture.
ImageSize fit(ImageSize size, int64_t frames, int64_t rounded_frames, int64_t factor, PixelBudget budget) {
  const SideRule rule{factor};
  const ImageSize nearest{rule.nearest(size.height), rule.nearest(size.width)};
  const int64_t pixels = rounded_frames * nearest.height * nearest.width;
  const auto area = static_cast<double>(frames * size.height * size.width);
  if (pixels > budget.max_pixels) {
    const double beta = std::sqrt(area / static_cast<double>(budget.max_pixels));
    return {rule.reduced(size.height, beta), rule.reduced(size.width, beta)};
  }
  if (pixels < budget.min_pixels) {
    const double beta = std::sqrt(static_cast<double>(budget.min_pixels) / area);
    return {rule.enlarged(size.height, beta), rule.enlarged(size.width, beta)};
  }
  return nearest;
}

// A side below `factor` would round to nothing, so both are scaled up.
ImageSize at_least(ImageSize size, int64_t factor) {
  if (size.height >= factor && size.width >= factor) return size;
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  const double scale = std::max(real(factor) / real(size.height), real(factor) / real(size.width));
  return {static_cast<int64_t>(real(size.height) * scale), static_cast<int64_t>(real(size.width) * scale)};
}

int64_t capped_max_pixels(int64_t frames, const VideoSizeRule& rule) {
  constexpr int64_t kFrameTokens = 768;
  const int64_t frame_share = std::min(kFrameTokens * rule.factor * rule.factor, rule.budget.max_pixels / frames);
  const auto floor = static_cast<int64_t>(1.05 * static_cast<double>(rule.budget.min_pixels));
  return std::min(rule.budget.max_pixels, frames * std::max(frame_share, floor));
}

}  // namespace

Status check(PixelBudget budget, const std::string& where) {
  if (budget.min_pixels > 0 && budget.min_pixels <= budget.max_pixels && budget.max_pixels <= kMaxBudget) return {};
  return fail(Code::invalid_value, where, fmt::format("0 < min_pixels <= max_pixels <= {}", kMaxBudget),
              fmt::format("{} and {}", budget.min_pixels, budget.max_pixels));
}

Result<ImageSize> smart_resize(ImageSize size, int64_t factor, PixelBudget budget) {
  RAMET_TRY_STATUS(check(budget, "pixel budget"));
  RAMET_TRY_STATUS(check_size(size));
  return fit(size, 1, 1, factor, budget);
}

Result<ImageSize> smart_resize_video(int64_t frames, ImageSize size, const VideoSizeRule& rule) {
  RAMET_TRY_STATUS(check(rule.budget, "pixel budget"));
  if (frames < rule.temporal_patch_size)
    return fail(Code::invalid_value, "video", fmt::format("at least {} frames", rule.temporal_patch_size),
                std::to_string(frames), "give a single frame as a picture");
  RAMET_TRY_STATUS(check_size(size));
  const ImageSize grown = at_least(size, rule.factor);
  const auto groups = static_cast<double>(frames) / static_cast<double>(rule.temporal_patch_size);
  const int64_t rounded_frames = round_half_even(groups) * rule.temporal_patch_size;
  PixelBudget budget = rule.budget;
  if (rule.cap_pixels_per_frame) budget.max_pixels = capped_max_pixels(frames, rule);
  return fit(grown, frames, rounded_frames, rule.factor, budget);
}

}  // namespace ramet
