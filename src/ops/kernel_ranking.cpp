#include "ops/kernel_ranking.h"

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/json.h"
#include "device/cpu.h"
#include "ops/operand.h"
#include "tensor/buffer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <system_error>
#include <vector>

namespace ramet::ops {
namespace {

// Few rows and weights that leave the second-level cache, as in an action head.
constexpr int64_t kRows = 48, kDepth = 1024, kOut = 1024;
constexpr int kRepeats = 5;
constexpr double kMargin = 0.95;
constexpr int64_t kVersion = 1;
constexpr uint64_t kMaxFileBytes = 1 << 20;

bool is_measured(const ProductKernel& kernel) {
  const CpuFeatures& cpu = cpu_features();
  return kernel.isa > Isa::scalar && cpu.has(kernel.isa) && kernel.runs_on(cpu);
}

// Values of about 1, none alike; what they are does not matter.
std::vector<float> filling(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) * 0x1p-9F - 1.0F;
  return values;
}

// One product of a layer as Product runs it: packing rows, then strip after strip.
class Trial {
 public:
  explicit Trial(const ProductKernel& kernel)
      : kernel_(kernel),
        tiles_(bytes(num_tiles_ * kernel.tile_bytes(kDepth))),
        panels_(bytes(num_panels_ * kernel.panel_bytes(kDepth))),
        scratch_(bytes(kernel.scratch_bytes(kDepth))),
        sums_(bytes(strip_panels_ * num_tiles_ * kernel.tile_rows * kernel.panel_columns * 4)) {
    for (int64_t p = 0; p < num_panels_; ++p)
      kernel_.pack_panel(some(p * kernel_.panel_columns, kernel_.panel_columns, kOut), kDepth,
                         at(panels_) + p * kernel_.panel_bytes(kDepth));
  }

  double best_seconds() {
    double best = run();
    for (int i = 1; i < kRepeats; ++i) best = std::min(best, run());
    return best;
  }

 private:
  static Buffer bytes(int64_t count) { return Buffer::make(DType::u8, {std::max<int64_t>(count, 1)}).value(); }
  static std::byte* at(Buffer& buffer) { return buffer.view().bytes(); }

  // Rows or columns first..first+count, all cut from the same values.
  std::span<const float* const> some(int64_t first, int64_t count, int64_t end) {
    pointers_.clear();
    for (int64_t i = first; i < std::min(end, first + count); ++i) pointers_.push_back(values_.data() + i % 16 * 7);
    return pointers_;
  }

  double run() {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t t = 0; t < num_tiles_; ++t)
      kernel_.pack_tile(some(t * kernel_.tile_rows, kernel_.tile_rows, kRows), kDepth,
                        at(tiles_) + t * kernel_.tile_bytes(kDepth));
    for (int64_t p = 0; p < num_panels_; p += strip_panels_)
      kernel_.multiply({at(tiles_), num_tiles_, at(panels_) + p * kernel_.panel_bytes(kDepth),
                        std::min(strip_panels_, num_panels_ - p), kDepth},
                       at(scratch_), reinterpret_cast<float*>(at(sums_)));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const ProductKernel& kernel_;
  int64_t num_tiles_ = div_up(kRows, kernel_.tile_rows), num_panels_ = div_up(kOut, kernel_.panel_columns);
  int64_t strip_panels_ = kernel_.blocking(num_tiles_, kDepth).strip_panels;
  std::vector<float> values_ = filling(kDepth + 16 * 7);
  std::vector<const float*> pointers_;
  Buffer tiles_, panels_, scratch_, sums_;
};

}  // namespace

KernelRanking KernelRanking::of(std::map<std::string, double, std::less<>> seconds) {
  KernelRanking ranking;
  ranking.seconds_ = std::move(seconds);
  return ranking;
}

bool KernelRanking::is_needed(Isa limit) {
  constexpr std::array kPrecisions{Precision::fp32, Precision::bf16, Precision::int8};
  return std::ranges::any_of(kPrecisions, [&](Precision precision) {
    return std::ranges::count_if(product_kernels(), [&](const ProductKernel* kernel) {
             return is_measured(*kernel) && kernel->isa <= limit && kernel->precision == precision;
           }) > 1;
  });
}

KernelRanking KernelRanking::measure() {
  KernelRanking ranking;
  for (const ProductKernel* kernel : product_kernels())
    if (is_measured(*kernel)) ranking.seconds_.emplace(kernel->name, Trial(*kernel).best_seconds());
  return ranking;
}

std::optional<double> KernelRanking::seconds(const ProductKernel& kernel) const {
  const auto it = seconds_.find(kernel.name);
  return it == seconds_.end() ? std::nullopt : std::optional(it->second);
}

bool KernelRanking::covers_this_machine() const {
  return std::ranges::all_of(product_kernels(), [&](const ProductKernel* kernel) {
    return !is_measured(*kernel) || seconds_.contains(kernel->name);
  });
}

Result<KernelRanking> KernelRanking::read(const std::filesystem::path& path, std::string_view cpu_model) {
  RAMET_TRY(const JsonFile file, JsonFile::load(path, kMaxFileBytes));
  const auto refuse = [&](std::string_view key, std::string expected, std::string found) {
    return fail(Code::invalid_file, fmt::format("{}: {}", path.string(), key), std::move(expected), std::move(found),
                "it is measured again");
  };
  RAMET_TRY(const int64_t version, file.root().get<int64_t>("version"));
  if (version != kVersion) return refuse("version", std::to_string(kVersion), std::to_string(version));
  RAMET_TRY(const std::string model, file.root().get<std::string>("cpu"));
  if (model != cpu_model) return refuse("cpu", std::string(cpu_model), model);
  RAMET_TRY(const Json kernels, file.root().at("seconds"));
  RAMET_TRY(const auto items, kernels.items());
  KernelRanking ranking;
  for (const auto& [name, value] : items) {
    RAMET_TRY(const double seconds, value.as<double>());
    if (seconds <= 0) return refuse("seconds." + name, "more than 0", fmt::format("{}", seconds));
    ranking.seconds_.emplace(name, seconds);
  }
  if (!ranking.covers_this_machine())
    return refuse("seconds", "every kernel of this machine", fmt::format("{} kernels", items.size()));
  return ranking;
}

Status KernelRanking::write(const std::filesystem::path& file, std::string_view cpu_model) const {
  const nlohmann::json json{{"version", kVersion}, {"cpu", cpu_model}, {"seconds", seconds_}};
  return write_file(file, json.dump(2) + "\n");
}

LoadedRanking load_kernel_ranking(const std::filesystem::path& file) {
  LoadedRanking loaded;
  const std::string model = cpu_model();
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    auto ranking = KernelRanking::read(file, model);
    if (ranking) return {.ranking = std::move(*ranking)};
    loaded.problem = std::move(ranking.error());
  }
  loaded.ranking = KernelRanking::measure();
  loaded.measured = true;
  const Status written = loaded.ranking.write(file, model);
  if (!written) loaded.problem = written.error();
  return loaded;
}

const ProductKernel& choose_product_kernel(Precision precision, DType dtype, Isa limit, const KernelRanking& ranking) {
  const CpuFeatures& cpu = cpu_features();
  const ProductKernel* best = &choose_product_kernel(precision, dtype, limit);
  const int64_t most_bytes = size_bytes(best->weights);
  for (const ProductKernel* kernel : product_kernels()) {
    const bool is_candidate = kernel->isa <= limit && cpu.has(kernel->isa) && kernel->runs_on(cpu) &&
                              kernel->serves(precision, dtype) && size_bytes(kernel->weights) <= most_bytes;
    const auto seconds = ranking.seconds(*kernel), to_beat = ranking.seconds(*best);
    if (is_candidate && seconds && to_beat && *seconds < kMargin * *to_beat) best = kernel;
  }
  return *best;
}

}  // namespace ramet::ops
