#include "policy/gr00t_n15/normalizer.h"

#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ramet {
namespace {

constexpr std::array<std::string_view, 6> kNames{"none", "min_max", "q99", "mean_std", "scale", "binary"};

struct Pair {
  Statistic a, b;
};

Pair statistics_of(NormalizerMode mode) {
  if (mode == NormalizerMode::q99) return {Statistic::q01, Statistic::q99};
  if (mode == NormalizerMode::mean_std) return {Statistic::mean, Statistic::std};
  return {Statistic::min, Statistic::max};
}

Result<std::vector<float>> column_values(const KeyStatistics& statistics, Statistic which, int64_t dims) {
  RAMET_TRY(const StatisticRows rows, statistics.require(which));
  if (rows.rows != 1 || rows.dims != dims)
    return fail(Code::shape_mismatch, fmt::format("{}.{}", statistics.where, name(which)),
                fmt::format("{} numbers, as the modality has", dims), fmt::format("{} x {}", rows.rows, rows.dims));
  return std::vector<float>(rows.values.begin(), rows.values.end());
}

float to_unit(float x, float low, float high, float without_range) {
  if (low == high) return without_range;
  return 2 * ((x - low) / (high - low)) - 1;
}

float normalize(NormalizerMode mode, float x, float a, float b) {
  switch (mode) {
    case NormalizerMode::none: break;
    case NormalizerMode::min_max: return to_unit(x, a, b, 0);
    case NormalizerMode::q99: return std::clamp(to_unit(x, a, b, x), -1.0F, 1.0F);
    case NormalizerMode::mean_std: return b == 0 ? x : (x - a) / b;
    case NormalizerMode::scale: {
      const float largest = std::max(std::abs(a), std::abs(b));
      return largest == 0 ? 0 : x / largest;
    }
    case NormalizerMode::binary: return x > 0.5F ? 1 : 0;
  }
  return x;
}

float denormalize(NormalizerMode mode, float x, float a, float b) {
  switch (mode) {
    case NormalizerMode::min_max:
    case NormalizerMode::q99: return (x + 1) / 2 * (b - a) + a;
    case NormalizerMode::mean_std: return x * b + a;
    case NormalizerMode::binary: return x > 0.5F ? 1 : 0;
    case NormalizerMode::none:
    case NormalizerMode::scale: break;
  }
  return x;
}

// Modes without statistics have none.
float value(const std::vector<float>& statistic, size_t column) { return statistic.empty() ? 0 : statistic[column]; }

}  // namespace

bool needs_statistics(NormalizerMode mode) { return mode != NormalizerMode::none && mode != NormalizerMode::binary; }

std::string_view name(NormalizerMode mode) { return kNames[static_cast<size_t>(mode)]; }

Result<NormalizerMode> parse_normalizer_mode(std::string_view text, const std::string& where) {
  const auto it = std::find(kNames.begin(), kNames.end(), text);
  if (it != kNames.end()) return static_cast<NormalizerMode>(it - kNames.begin());
  return fail(Code::invalid_value, where, "a normalisation mode", std::string(text),
              nearest_hint(text, {kNames.begin(), kNames.end()}));
}

Result<Normalizer> Normalizer::make(NormalizerMode mode, const KeyStatistics& statistics, int64_t dims) {
  Normalizer normalizer;
  normalizer.mode_ = mode;
  if (!needs_statistics(mode)) return normalizer;
  const Pair which = statistics_of(mode);
  RAMET_TRY(normalizer.a_, column_values(statistics, which.a, dims));
  RAMET_TRY(normalizer.b_, column_values(statistics, which.b, dims));
  return normalizer;
}

Normalizer Normalizer::fixed_bounds(float low, float high, int64_t dims) {
  Normalizer normalizer;
  normalizer.mode_ = NormalizerMode::min_max;
  normalizer.a_.assign(static_cast<size_t>(dims), low);
  normalizer.b_.assign(static_cast<size_t>(dims), high);
  return normalizer;
}

void Normalizer::forward(std::span<float> columns) const {
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = normalize(mode_, columns[i], value(a_, i), value(b_, i));
}

void Normalizer::inverse(std::span<float> columns) const {
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = denormalize(mode_, columns[i], value(a_, i), value(b_, i));
}

}  // namespace ramet
