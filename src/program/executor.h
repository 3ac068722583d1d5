// Runs a program, as the oracle or tuned.
//
// compile() makes a schedule, plans memory, allocates it and computes what depends on weights alone. After that a
// replay is: write the inputs, run, read the outputs; it allocates nothing (after the first run of weights that a file
// keeps, a thread moves them: packed_weights.h). The oracle runs every recorded op in plain
// float32, unfused, in the recorded order; the tuned executor runs what tuned_schedule.h makes of the same program.
// Program, checkpoint, pool and packed weights outlive the executor. Not thread-safe.
#pragma once

#include "base/thread_pool.h"
#include "program/memory_plan.h"
#include "program/program.h"
#include "program/schedule.h"
#include "program/tuned_schedule.h"
#include "tensor/buffer.h"

#include <ramet/error.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct ExecutorOptions {
  std::vector<std::string> taps;                  // globs ("vision.block.*"): taps whose values are kept
  std::function<void(double share)> on_progress;  // called between steps with the share of the work done, 0..1
  std::optional<Tuning> tuning;                   // none: the oracle
  std::string resumable_stage;                    // a stage that may run alone after a whole run; empty: none
};

class Executor {
 public:
  static Result<Executor> compile(const Program& program, ThreadPool& pool, ExecutorOptions options);

  View input(std::string_view name);              // asserts that the program has it
  ConstView output(std::string_view name) const;  // valid until the next run

  // Runs all stages. not_finite: names the first tap, in the order they are computed, that holds a NaN or an infinity.
  Status run();
  // Runs the resumable stage and those after it; the earlier ones keep the results of the last run.
  Status resume();
  bool can_resume() const { return is_complete_; }  // a resumable stage is set, and all before it ran

  // The kept taps in recorded order; valid until the next run.
  struct Tap {
    std::string_view name;
    ConstView view;
  };
  std::vector<Tap> taps() const;

  struct StageTime {
    std::string_view stage;
    double ms;
  };
  const std::vector<StageTime>& times() const { return times_; }  // of the last run
  const MemoryPlan& memory() const { return plan_; }

  struct StageWork {
    std::string_view stage;
    int64_t multiply_adds = 0;
    int64_t weight_bytes = 0;  // read by a run, a weight once for each time it is used
  };
  std::vector<StageWork> stage_work() const;

  struct StepTime {
    std::string_view stage, label;
    double ms;  // of the last run
    int64_t multiply_adds, weight_bytes;
  };
  std::vector<StepTime> step_times() const;

 private:
  enum class Check { outputs, every_tap };

  // A step bound to its memory.
  struct BoundStep {
    const Step* step;
    std::vector<const Program::Named*> taps;  // taps that are complete after this step
    double share_done;                        // of the work of a replay, with this step
    double ms = 0;                            // in the last run
  };

  Executor(const Program& program, ThreadPool& pool, ExecutorOptions options);
  Status allocate();
  void bind();
  void share_work();
  Status run_from(size_t first);
  Status run_from(size_t first, Check check);
  void release_weights(const BoundStep& hoisted) const;
  void run_step(const BoundStep& step);
  Status check_taps(const std::vector<const Program::Named*>& taps) const;
  Status check_outputs();
  bool has_memory(Value root) const;
  std::byte* memory_of(Value root);
  View view(Value value);
  size_t first_step_of(std::string_view stage) const;

  const Program* program_;
  ThreadPool* pool_;
  ExecutorOptions options_;
  std::vector<Value> kept_;
  Schedule schedule_;
  MemoryPlan plan_;
  Buffer arena_, persistent_, scratch_;
  std::vector<View> views_;  // by value id
  std::vector<BoundStep> hoisted_, steps_;
  std::vector<StageTime> times_;
  bool is_complete_ = false;
};

}  // namespace ramet
