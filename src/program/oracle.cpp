#include "program/oracle.h"

#include "base/assert.h"
#include "base/glob.h"
#include "ops/operand.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<Buffer> raw_memory(int64_t bytes) { return Buffer::make(DType::u8, Shape{bytes}); }

const Program::Named& find(const std::vector<Program::Named>& list, std::string_view name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const auto& named) { return named.name == name; });
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

// How long an op takes compared to others: multiply-adds of the matrix products, else the elements of the result.
int64_t work(const ops::Linear&, ops::Operands in, View y) { return y.shape().elements() * in[0].shape().cols(); }

int64_t work(const ops::Attention& op, ops::Operands, View y) {
  int64_t pairs = 0;  // of queries and keys; each takes part in two products
  for (const auto& segment : op.segments)
    pairs += (segment.q_end - segment.q_begin) * (segment.k_end - segment.k_begin);
  return 2 * pairs * y.shape().cols();
}

template <class OpType>
int64_t work(const OpType&, ops::Operands, View y) {
  return y.shape().elements();
}

}  // namespace

OracleExecutor::OracleExecutor(const Program& program, ThreadPool& pool, ExecutorOptions options)
    : program_(&program), pool_(&pool), options_(std::move(options)) {
  for (const Program::Named& tap : program.taps)
    if (matches_any(options_.taps, tap.name)) kept_.push_back(tap.value);
  plan_ = plan_memory(program, kept_, pool.threads());
  for (const std::string& stage : program.stages) times_.push_back({stage, 0.0});
}

Result<OracleExecutor> OracleExecutor::compile(const Program& program, ThreadPool& pool, ExecutorOptions options) {
  OracleExecutor executor(program, pool, std::move(options));
  RAMET_TRY_STATUS(executor.allocate());
  executor.make_steps();
  for (const Step& step : executor.hoisted_) {
    executor.run_step(step);
    RAMET_TRY_STATUS(executor.check_finite(step));
  }
  return executor;
}

Status OracleExecutor::allocate() {
  RAMET_TRY(arena_, raw_memory(plan_.arena_bytes));
  RAMET_TRY(persistent_, raw_memory(plan_.persistent_bytes));
  RAMET_TRY(scratch_, raw_memory(plan_.scratch_bytes));
  return {};
}

bool OracleExecutor::has_memory(Value root) const {
  return plan_.offsets[static_cast<size_t>(root.id)] != MemoryPlan::kNone;
}

std::byte* OracleExecutor::memory_of(Value root) {
  const auto id = static_cast<size_t>(root.id);
  Buffer& part = plan_.persistent[id] ? persistent_ : arena_;
  return part.view().bytes() + plan_.offsets[id];
}

// Weights and constants are only ever operands: nothing writes through their view.
View OracleExecutor::view(Value value) {
  const Program::ValueInfo& info = program_->info(value);
  std::byte* data = const_cast<std::byte*>(info.view.bytes());
  if (data == nullptr && has_memory(info.root))
    data = memory_of(info.root) + info.offset * size_bytes(info.view.dtype());
  return {data, info.view.dtype(), info.view.shape(), info.view.strides()};
}

void OracleExecutor::make_steps() {
  for (int32_t id = 0; id < static_cast<int32_t>(program_->values.size()); ++id) views_.push_back(view({id}));
  const auto view_of = [&](Value value) { return views_[static_cast<size_t>(value.id)]; };
  for (size_t i = 0; i < program_->nodes.size(); ++i) {
    if (!plan_.live[i]) continue;
    const Program::Node& node = program_->nodes[i];
    Step step{.node = &node, .operands = {}, .output = view_of(node.output), .taps = {}, .share_done = 0};
    for (const Value input : node.inputs) step.operands.push_back(view_of(input));
    for (const Program::Named& tap : program_->taps)
      if (program_->info(tap.value).root == node.output) step.taps.push_back(&tap);
    (plan_.hoisted[i] ? hoisted_ : steps_).push_back(std::move(step));
  }
  share_work();
}

void OracleExecutor::share_work() {
  int64_t done = 0;
  for (Step& step : steps_) {
    done += std::visit([&](const auto& op) { return work(op, step.operands, step.output); }, step.node->op);
    step.share_done = static_cast<double>(done);
  }
  for (Step& step : steps_) step.share_done /= static_cast<double>(std::max<int64_t>(done, 1));
}

void OracleExecutor::run_step(const Step& step) {
  Stream stream{*pool_, scratch_.flat<std::byte>()};
  std::visit([&](const auto& op) { op.reference(stream, step.operands, step.output); }, step.node->op);
}

Status OracleExecutor::check_finite(const Step& step) const {
  for (const Program::Named* tap : step.taps)
    if (const auto found = first_not_finite(views_[static_cast<size_t>(tap->value.id)]))
      return fail(Code::not_finite, "tap " + tap->name, "finite numbers", *found,
                  "all taps before it are finite; look at the weights and inputs of this part");
  return {};
}

Status OracleExecutor::run() {
  for (StageTime& time : times_) time.ms = 0;
  for (const Step& step : steps_) {
    const auto start = Clock::now();
    run_step(step);
    RAMET_TRY_STATUS(check_finite(step));
    times_[static_cast<size_t>(step.node->stage)].ms += ms_since(start);
    if (options_.on_progress) options_.on_progress(step.share_done);
  }
  return {};
}

View OracleExecutor::input(std::string_view name) {
  return views_[static_cast<size_t>(find(program_->inputs, name).value.id)];
}

ConstView OracleExecutor::output(std::string_view name) const {
  return views_[static_cast<size_t>(find(program_->outputs, name).value.id)];
}

std::vector<OracleExecutor::Tap> OracleExecutor::taps() const {
  std::vector<Tap> result;
  for (const Program::Named& tap : program_->taps)
    if (matches_any(options_.taps, tap.name)) result.push_back({tap.name, views_[static_cast<size_t>(tap.value.id)]});
  return result;
}

}  // namespace ramet
