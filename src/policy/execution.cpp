#include "policy/execution.h"

#include "ops/machine_peak.h"
#include "policy/threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

namespace ramet {
namespace {

std::vector<std::string_view> isa_names() {
  std::vector<std::string_view> names;
  for (const Isa isa : kIsas) names.push_back(name(isa));
  return names;
}

Result<Isa> choose_isa(const std::string& asked) {
  const CpuFeatures& cpu = cpu_features();
  if (asked.empty()) return cpu.best();
  const auto isa = parse_isa(asked);
  if (!isa) return fail(Code::usage, "isa", fmt::format("one of {}", fmt::join(isa_names(), ", ")), asked);
  if (!cpu.has(*isa))
    return fail(Code::no_resource, "isa", fmt::format("a machine with {}", asked),
                fmt::format("one whose best is {}", name(cpu.best())));
  return *isa;
}

// Name, size and time of change of every file.
std::string identity_of_files(const Checkpoint& checkpoint) {
  std::string text;
  for (const SafetensorsFile& file : checkpoint.files()) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(file.name(), error);
    const auto changed = std::filesystem::last_write_time(path, error).time_since_epoch().count();
    text += fmt::format("{} {} {}\n", path.string(), std::filesystem::file_size(path, error), changed);
  }
  return text;
}

// The kernels that pack the weights.
std::string kernel_names(const Tuning& tuning) {
  std::string names;
  for (const ops::Precision precision : {ops::Precision::fp32, ops::Precision::bf16, ops::Precision::int8})
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      names += fmt::format("{} ", tuning.kernel(precision, dtype).name);
  return names;
}

// Measured where there is a choice, and kept beside the packed weights.
ops::KernelRanking rank_kernels(Isa isa, const EngineOptions& options) {
  if (!ops::KernelRanking::is_needed(isa)) return {};
  if (options.cache.empty()) return ops::KernelRanking::measure();
  std::error_code error;
  std::filesystem::create_directories(options.cache, error);
  ops::LoadedRanking loaded = ops::load_kernel_ranking(options.cache / "kernels.json");
  if (loaded.problem && options.log)
    options.log("event=kernels_measured_again reason=\"" + loaded.problem->message() + "\"");
  return std::move(loaded.ranking);
}

WeightCache weight_cache(const Checkpoint& checkpoint, const Tuning& tuning, const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::canonical(checkpoint.directory(), error);
  const std::string table = fmt::format("{} {}", tuning.precision.text(), name(tuning.isa));
  const std::string place = directory.string() + "\n" + table;
  return {.file = folder / fmt::format("{}-{:016x}.safetensors", directory.filename().string(),
                                       XXH3_64bits(place.data(), place.size())),
          .identity = fmt::format("ramet packed weights, layout {}\n{}\n{}\n{}", ops::kPackedLayout,
                                  tuning.precision.meaning(), kernel_names(tuning), identity_of_files(checkpoint))};
}

}  // namespace

Result<std::unique_ptr<Execution>> Execution::make(const EngineOptions& options) {
  RAMET_TRY(const Isa isa, choose_isa(options.isa));
  RAMET_TRY(PrecisionTable precision, PrecisionTable::parse(options.precision));
  std::unique_ptr<Execution> execution(new Execution(choose_threads(options.threads)));
  if (options.executor == ExecutorKind::tuned)
    execution->tuning_ = Tuning{.precision = std::move(precision),
                                .isa = isa,
                                .weights = &execution->weights_,
                                .ranking = rank_kernels(isa, options)};
  return execution;
}

void Execution::attach(const Checkpoint& checkpoint, const EngineOptions& options) {
  if (!tuning_) return;
  weights_.sources_are_mapped();
  weights_.report_to(options.log, options.progress);
  if (!options.cache.empty()) weights_.use_cache(weight_cache(checkpoint, *tuning_, options.cache));
}

ExecutionFacts Execution::facts() const {
  ExecutionFacts facts{.executor = "oracle", .precision = "fp32", .isa = std::string(name(cpu_features().best()))};
  facts.threads = threads();
  if (!tuning_) return facts;
  facts.executor = "tuned";
  facts.precision = tuning_->precision.text();
  facts.isa = name(tuning_->isa);
  facts.packed_bytes = weights_.bytes();
  return facts;
}

Result<ExecutionPlan> Execution::plan(const Program& program) const {
  PackedWeights wanted;
  Schedule schedule = oracle_schedule(program, {}, threads());
  ExecutionPlan plan;
  if (tuning_) {
    RAMET_TRY_STATUS(tuning_->precision.check(site_names(program)));
    for (const Site& site : sites_of(program))
      plan.sites.push_back({site.name, std::string(ops::name(tuning_->precision.at(site.name))), site.shape});
    Tuning tuning = *tuning_;
    tuning.weights = &wanted;
    schedule = tuned_schedule(program, {}, threads(), tuning);
  }
  plan.weights_bytes = wanted.wanted_bytes();
  plan.arena_bytes = plan_memory(program, schedule, {}).total_bytes();
  return plan;
}

MachinePeak Execution::measure_peak() {
  constexpr double kSeconds = 0.03;
  constexpr size_t kBytes = size_t{1} << 28;  // more than caches hold
  if (peak_memory_.bytes().empty()) {
    if (auto memory = Pages::anonymous(kBytes)) peak_memory_ = std::move(*memory);
    std::ranges::fill(peak_memory_.bytes(), std::byte{1});
  }
  const ops::ProductKernel& kernel =
      tuning_ ? tuning_->kernel(tuning_->precision.base(), DType::bf16)
              : ops::choose_product_kernel(ops::Precision::fp32, DType::f32, cpu_features().best());
  return {.compute_gflops = 1e-9 * ops::compute_peak(pool_, kernel, kSeconds),
          .read_gbs = 1e-9 * ops::read_peak(pool_, peak_memory_.bytes())};
}

}  // namespace ramet
