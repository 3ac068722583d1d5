#include "program/executor.h"

#include "base/assert.h"
#include "base/glob.h"
#include "base/pages.h"
#include "ops/operand.h"
#include "program/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<Buffer> raw_memory(int64_t bytes) { return Buffer::make(DType::u8, Shape{bytes}); }

const Program::Named& find(const std::vector<Program::Named>& list, std::string_view name) {
  const auto it = std::ranges::find(list, name, &Program::Named::name);
  RAMET_ASSERT(it != list.end(), name);
  return *it;
}

// The first NaN or infinity of a float32 view, as "nan at [row,col]".
std::optional<std::string> first_not_finite(ConstView view) {
  const int64_t cols = view.shape().cols();
  for (int64_t r = 0; r < view.shape().rows(); ++r) {
    const float* row = ops::row_of<float>(view, r);
    const float* bad = std::find_if(row, row + cols, [](float value) { return !std::isfinite(value); });
    if (bad != row + cols) return fmt::format("{} at [{},{}]", *bad, r, bad - row);
  }
  return std::nullopt;
}

// Values that stage `first` or a later one reads of those before it.
std::vector<Value> read_across(const Program& program, int first) {
  std::vector<bool> made_before(program.values.size(), false);
  std::vector<Value> crossing;
  for (const Program::Node& node : program.nodes) {
    if (node.stage < first) {
      made_before[static_cast<size_t>(node.output.id)] = true;
      continue;
    }
    for (const Value input : node.inputs)
      if (made_before[static_cast<size_t>(program.root(input).id)]) crossing.push_back(program.root(input));
  }
  return crossing;
}

int stage_index(const Program& program, std::string_view stage) {
  const auto it = std::ranges::find(program.stages, stage);
  RAMET_ASSERT(it != program.stages.end(), stage);
  return static_cast<int>(it - program.stages.begin());
}

Schedule make_schedule(const Program& program, const std::vector<Value>& kept, int threads,
                       const ExecutorOptions& options) {
  if (!options.tuning) return oracle_schedule(program, kept, threads);
  return tuned_schedule(program, kept, threads, *options.tuning);
}

}  // namespace

Executor::Executor(const Program& program, ThreadPool& pool, ExecutorOptions options)
    : program_(&program), pool_(&pool), options_(std::move(options)) {
  for (const Program::Named& tap : program.taps)
    if (matches_any(options_.taps, tap.name)) kept_.push_back(tap.value);
  if (!options_.resumable_stage.empty())
    for (const Value value : read_across(program, stage_index(program, options_.resumable_stage)))
      kept_.push_back(value);
  schedule_ = make_schedule(program, kept_, pool.threads(), options_);
  plan_ = plan_memory(program, schedule_, kept_);
  for (const std::string& stage : program.stages) times_.push_back({stage, 0.0});
}

Result<Executor> Executor::compile(const Program& program, ThreadPool& pool, ExecutorOptions options) {
  Executor executor(program, pool, std::move(options));
  RAMET_TRY_STATUS(executor.allocate());
  executor.bind();
  for (const BoundStep& step : executor.hoisted_) {
    executor.run_step(step);
    executor.release_weights(step);
    RAMET_TRY_STATUS(executor.check_taps(step.taps));
  }
  return executor;
}

// What runs once is not read again: a mapped weight gives its memory back.
void Executor::release_weights(const BoundStep& hoisted) const {
  if (!options_.tuning || !options_.tuning->weights->have_mapped_sources()) return;
  for (const Value read : hoisted.step->reads)
    if (program_->info(read).origin == Program::Origin::weight)
      release_pages({program_->info(read).view.bytes(), static_cast<size_t>(program_->info(read).view.size_bytes())});
}

Status Executor::allocate() {
  RAMET_TRY(arena_, raw_memory(plan_.arena_bytes));
  RAMET_TRY(persistent_, raw_memory(plan_.persistent_bytes));
  RAMET_TRY(scratch_, raw_memory(plan_.scratch_bytes));
  if (options_.tuning) RAMET_TRY_STATUS(options_.tuning->weights->prepare(*pool_));
  return {};
}

bool Executor::has_memory(Value root) const { return plan_.offsets[static_cast<size_t>(root.id)] != MemoryPlan::kNone; }

std::byte* Executor::memory_of(Value root) {
  const auto id = static_cast<size_t>(root.id);
  Buffer& part = plan_.persistent[id] ? persistent_ : arena_;
  return part.view().bytes() + plan_.offsets[id];
}

// Weights and constants are only ever operands: nothing writes through their view.
View Executor::view(Value value) {
  const Program::ValueInfo& info = program_->info(value);
  std::byte* data = const_cast<std::byte*>(info.view.bytes());
  if (data == nullptr && has_memory(info.root))
    data = memory_of(info.root) + info.offset * size_bytes(info.view.dtype());
  return {data, info.view.dtype(), info.view.shape(), info.view.strides()};
}

void Executor::bind() {
  for (int32_t id = 0; id < static_cast<int32_t>(program_->values.size()); ++id) views_.push_back(view({id}));
  for (const Step& step : schedule_) {
    step.body->bind(views_);
    BoundStep bound{.step = &step, .taps = {}, .share_done = 0};
    for (const Program::Named& tap : program_->taps)
      if (std::ranges::find(step.writes, program_->root(tap.value)) != step.writes.end()) bound.taps.push_back(&tap);
    (step.hoisted ? hoisted_ : steps_).push_back(std::move(bound));
  }
  share_work();
}

void Executor::share_work() {
  int64_t done = 0;
  for (BoundStep& step : steps_) {
    done += step.step->work;
    step.share_done = static_cast<double>(done);
  }
  for (BoundStep& step : steps_) step.share_done /= static_cast<double>(std::max<int64_t>(done, 1));
}

void Executor::run_step(const BoundStep& step) {
  Stream stream{*pool_, scratch_.flat<std::byte>(), options_.tuning ? options_.tuning->isa : Isa::scalar};
  step.step->body->run(stream);
}

Status Executor::check_taps(const std::vector<const Program::Named*>& taps) const {
  for (const Program::Named* tap : taps)
    if (const auto found = first_not_finite(views_[static_cast<size_t>(tap->value.id)]))
      return fail(Code::not_finite, "tap " + tap->name, "finite numbers", *found,
                  "all taps before it are finite; look at the weights and inputs of this part");
  return {};
}

// What is not finite anywhere on the way is nearly always so at the end. Only then the way is walked again, looking.
Status Executor::check_outputs() {
  for (const Program::Named& output : program_->outputs) {
    const auto found = first_not_finite(views_[static_cast<size_t>(output.value.id)]);
    if (!found) continue;
    RAMET_TRY_STATUS(run_from(0, Check::every_tap));
    return fail(Code::not_finite, "output " + output.name, "finite numbers", *found, "all taps are finite");
  }
  return {};
}

Status Executor::run_from(size_t first, Check check) {
  for (StageTime& time : times_) time.ms = 0;
  for (size_t i = first; i < steps_.size(); ++i) {
    const auto start = Clock::now();
    run_step(steps_[i]);
    if (check == Check::every_tap) RAMET_TRY_STATUS(check_taps(steps_[i].taps));
    steps_[i].ms = ms_since(start);
    times_[static_cast<size_t>(steps_[i].step->stage)].ms += steps_[i].ms;
    if (options_.on_progress) options_.on_progress(steps_[i].share_done);
  }
  return {};
}

Status Executor::run() {
  is_complete_ = false;
  RAMET_TRY_STATUS(run_from(0));
  is_complete_ = !options_.resumable_stage.empty();
  if (options_.tuning) options_.tuning->weights->settle();  // who ran once may run again
  return {};
}

Status Executor::resume() {
  RAMET_ASSERT(can_resume());
  return run_from(first_step_of(options_.resumable_stage));
}

Status Executor::run_from(size_t first) {
  if (!options_.tuning) return run_from(first, Check::every_tap);
  RAMET_TRY_STATUS(run_from(first, Check::outputs));
  return check_outputs();
}

size_t Executor::first_step_of(std::string_view stage) const {
  const int index = stage_index(*program_, stage);
  const auto it = std::ranges::find_if(steps_, [&](const BoundStep& step) { return step.step->stage >= index; });
  return static_cast<size_t>(it - steps_.begin());
}

View Executor::input(std::string_view name) {
  return views_[static_cast<size_t>(find(program_->inputs, name).value.id)];
}

ConstView Executor::output(std::string_view name) const {
  return views_[static_cast<size_t>(find(program_->outputs, name).value.id)];
}

std::vector<Executor::Tap> Executor::taps() const {
  std::vector<Tap> result;
  for (const Program::Named& tap : program_->taps)
    if (matches_any(options_.taps, tap.name)) result.push_back({tap.name, views_[static_cast<size_t>(tap.value.id)]});
  return result;
}

std::vector<Executor::StepTime> Executor::step_times() const {
  std::vector<StepTime> result;
  for (const BoundStep& bound : steps_) {
    const Step& step = *bound.step;
    result.push_back({.stage = program_->stages[static_cast<size_t>(step.stage)],
                      .label = step.label,
                      .ms = bound.ms,
                      .multiply_adds = step.multiply_adds,
                      .weight_bytes = step.weight_bytes});
  }
  return result;
}

std::vector<Executor::StageWork> Executor::stage_work() const {
  std::vector<StageWork> result;
  for (const std::string& stage : program_->stages) result.push_back({.stage = stage});
  for (const BoundStep& step : steps_) {
    StageWork& stage = result[static_cast<size_t>(step.step->stage)];
    stage.multiply_adds += step.step->multiply_adds;
    stage.weight_bytes += step.step->weight_bytes;
  }
  return result;
}

}  // namespace ramet
