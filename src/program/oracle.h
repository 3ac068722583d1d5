// The oracle: runs every recorded op in plain float32, unfused, in the recorded order.
//
// compile() plans memory, allocates it and computes what depends on weights alone. After that a replay is: write the
// inputs, run, read the outputs; it allocates nothing. Program, checkpoint and pool outlive the executor. Not
// thread-safe.
#pragma once

#include "base/thread_pool.h"
#include "program/memory_plan.h"
#include "program/program.h"
#include "tensor/buffer.h"

#include <ramet/error.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ramet {

struct ExecutorOptions {
  std::vector<std::string> taps;                  // globs ("vision.block.*"): taps whose values are kept
  std::function<void(double share)> on_progress;  // called between ops with the share of the work done, 0..1
};

class OracleExecutor {
 public:
  static Result<OracleExecutor> compile(const Program& program, ThreadPool& pool, ExecutorOptions options);

  View input(std::string_view name);              // asserts that the program has it
  ConstView output(std::string_view name) const;  // valid until the next run

  // Runs all stages. not_finite: names the first tap, in the order they are computed, that holds a NaN or an infinity.
  Status run();

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

 private:
  struct Step {
    const Program::Node* node;
    std::vector<ConstView> operands;
    View output;
    std::vector<const Program::Named*> taps;  // taps that are complete after this step
    double share_done;                        // of the work of a replay, with this step
  };

  OracleExecutor(const Program& program, ThreadPool& pool, ExecutorOptions options);
  Status allocate();
  void make_steps();
  void share_work();
  void run_step(const Step& step);
  Status check_finite(const Step& step) const;
  bool has_memory(Value root) const;
  std::byte* memory_of(Value root);
  View view(Value value);

  const Program* program_;
  ThreadPool* pool_;
  ExecutorOptions options_;
  std::vector<Value> kept_;
  MemoryPlan plan_;
  Buffer arena_, persistent_, scratch_;
  std::vector<View> views_;  // by value id
  std::vector<Step> hoisted_, steps_;
  std::vector<StageTime> times_;
};

}  // namespace ramet
