#include "program/memory_plan.h"

#include "program/packed_weights.h"
#include "program/testing.h"
#include "program/tuned_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace ramet {
namespace {

std::vector<Value> some_taps(const Program& program, size_t every) {
  std::vector<Value> kept;
  for (size_t i = 0; i < program.taps.size(); i += every) kept.push_back(program.taps[i].value);
  return kept;
}

// Runs a plan on paper: remembers who wrote each line of memory last.
class PaperRun {
 public:
  PaperRun(const Program& program, const Schedule& schedule, const MemoryPlan& plan, const std::vector<Value>& kept)
      : program_(program),
        schedule_(schedule),
        plan_(plan),
        kept_(kept),
        arena_(lines(plan.arena_bytes), kNobody),
        persistent_(lines(plan.persistent_bytes), kNobody) {}

  void run() {
    for (const auto& input : program_.inputs) write(input.value);
    run_nodes(true);
    for (int replay = 0; replay < 2; ++replay) {
      run_nodes(false);
      for (const auto& input : program_.inputs) expect_held(input.value);
      for (const auto& output : program_.outputs) expect_held(output.value);
      for (const Value value : kept_) expect_held(value);
    }
  }

 private:
  static constexpr int32_t kNobody = -1;
  static size_t lines(int64_t bytes) {
    return static_cast<size_t>((bytes + MemoryPlan::kAlignment - 1) / MemoryPlan::kAlignment);
  }

  void run_nodes(bool hoisted) {
    for (const Step& step : schedule_) {
      if (step.hoisted != hoisted) continue;
      for (const Value read : step.reads) expect_held(read);
      for (const Value written : step.writes) write(written);
      for (const Value read : step.reads) expect_held(read);  // no result overlaps an operand
    }
  }

  std::span<int32_t> memory(Value root) {
    const auto id = static_cast<size_t>(root.id);
    const int64_t offset = plan_.offsets[id];
    EXPECT_GE(offset, 0);
    EXPECT_EQ(offset % MemoryPlan::kAlignment, 0);
    std::vector<int32_t>& part = plan_.persistent[id] ? persistent_ : arena_;
    return std::span(part).subspan(lines(offset), lines(program_.info(root).view.size_bytes()));
  }

  void write(Value root) { std::ranges::fill(memory(root), root.id); }

  void expect_held(Value value) {
    const Value root = program_.info(value).root;
    if (program_.info(root).view.bytes() != nullptr) return;  // weights and constants have memory of their own
    for (const int32_t owner : memory(root)) ASSERT_EQ(owner, root.id) << "value " << root.id << " was overwritten";
  }

  const Program& program_;
  const Schedule& schedule_;
  const MemoryPlan& plan_;
  const std::vector<Value>& kept_;
  std::vector<int32_t> arena_, persistent_;
};

MemoryPlan plan_oracle(const Program& program, const std::vector<Value>& kept = {}, int threads = 1) {
  return plan_memory(program, oracle_schedule(program, kept, threads), kept);
}

TEST(MemoryPlan, NothingIsOverwrittenWhileNeeded) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    test::WeightStore weights;
    const Program program = test::random_program(seed, weights);
    const std::vector<Value> kept = some_taps(program, 1 + seed % 50);
    PackedWeights packed;
    for (const bool tuned : {false, true}) {
      const Schedule schedule = tuned ? tuned_schedule(program, kept, 1, {.precision = {}, .weights = &packed})
                                      : oracle_schedule(program, kept, 1);
      PaperRun(program, schedule, plan_memory(program, schedule, kept), kept).run();
    }
    if (HasFailure()) break;
  }
}

// What the outputs and kept values need, found from their end.
std::set<int32_t> needed_roots(const Program& program, const std::vector<Value>& kept) {
  std::set<int32_t> needed;
  const std::function<void(Value)> need = [&](Value value) {
    const Value root = program.info(value).root;
    if (!needed.insert(root.id).second) return;
    for (const Program::Node& node : program.nodes)
      if (node.output == root) std::for_each(node.inputs.begin(), node.inputs.end(), need);
  };
  for (const auto& output : program.outputs) need(output.value);
  std::for_each(kept.begin(), kept.end(), need);
  return needed;
}

TEST(MemoryPlan, RunsWhatIsNeededAndNothingElse) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    test::WeightStore weights;
    const Program program = test::random_program(seed, weights);
    const std::vector<Value> kept = some_taps(program, 15);
    const MemoryPlan plan = plan_oracle(program, kept);
    const NodeUse use = find_node_use(program, kept);
    const std::set<int32_t> needed = needed_roots(program, kept);
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      const int32_t output = program.nodes[i].output.id;
      ASSERT_EQ(use.live[i], needed.contains(output)) << "seed " << seed << ", node " << i;
      ASSERT_EQ(plan.offsets[static_cast<size_t>(output)] != MemoryPlan::kNone, use.live[i]);
    }
  }
}

TEST(MemoryPlan, ChainsTakeTurnsInTwoPlaces) {
  Recorder rec;
  rec.begin_stage("chain");
  Value x = rec.input("x", DType::f32, {10, 100});
  for (int i = 0; i < 20; ++i) x = rec.silu(x);
  rec.output("y", x);
  const Program program = std::move(rec).finish();
  const MemoryPlan plan = plan_oracle(program);
  const int64_t one = 4032;  // 4000 bytes, rounded up to lines
  EXPECT_EQ(plan.arena_bytes, 2 * one);
  EXPECT_EQ(plan.persistent_bytes, 2 * one);  // x and y
  EXPECT_EQ(plan.total_bytes(), plan.arena_bytes + plan.persistent_bytes + plan.scratch_bytes);
}

TEST(MemoryPlan, HoistsWhatDependsOnWeightsAlone) {
  test::WeightStore weights;
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {1, 8});
  const Value bias = rec.parameter(weights.random({1, 8}));
  const Value folded = rec.add(rec.slice_cols(bias, 0, 8), rec.constant({1, 8}, test::counted(8)));
  const Value unused = rec.relu(folded);
  rec.output("y", rec.add(x, folded));
  const Program program = std::move(rec).finish();
  const MemoryPlan plan = plan_oracle(program);
  const NodeUse use = find_node_use(program, {});
  EXPECT_EQ(use.hoisted, (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(use.live, (std::vector<bool>{true, true, false, true}));
  EXPECT_TRUE(plan.persistent[static_cast<size_t>(folded.id)]);
  EXPECT_EQ(plan.offsets[static_cast<size_t>(unused.id)], MemoryPlan::kNone);
  EXPECT_EQ(plan.arena_bytes, 0);
}

TEST(MemoryPlan, ScratchIsTheLargestWishOfAStep) {
  test::WeightStore weights;
  Recorder rec;
  rec.begin_stage("s");
  const Value x = rec.input("x", DType::f32, {40, 300});
  const Weight wide = weights.random({100, 300});
  rec.output("y", rec.linear(x, wide));
  rec.tap("unused", rec.linear(rec.concat_rows({x, x, x}), wide));
  const Program program = std::move(rec).finish();
  for (const int threads : {1, 3}) {
    const std::vector<ConstView> operands{program.info(x).view, wide.view};
    const int64_t wish = ops::Linear{}.scratch_bytes(operands, threads);
    const int64_t planned = plan_oracle(program, {}, threads).scratch_bytes;
    EXPECT_GE(planned, wish);
    EXPECT_LT(planned, wish + MemoryPlan::kAlignment);
  }
}

}  // namespace
}  // namespace ramet
