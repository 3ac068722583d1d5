#include "policy/execution.h"

#include "policy/threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

Result<std::unique_ptr<Execution>> Execution::make(const EngineOptions& options) {
  RAMET_TRY(const Isa isa, choose_isa(options.isa));
  RAMET_TRY(PrecisionTable precision, PrecisionTable::parse(options.precision));
  std::unique_ptr<Execution> execution(new Execution(choose_threads(options.threads)));
  if (options.executor == ExecutorKind::tuned)
    execution->tuning_ = Tuning{.precision = std::move(precision), .isa = isa, .weights = &execution->weights_};
  return execution;
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

}  // namespace ramet
