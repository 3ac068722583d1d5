// How an engine executes its programs: the choice of executor, and what all of them share.
#pragma once

#include "base/pages.h"
#include "base/thread_pool.h"
#include "program/executor.h"
#include "program/packed_weights.h"
#include "weights/checkpoint.h"

#include <ramet/types.h>

#include <memory>

namespace ramet {

class Execution {
 public:
  // Errors: usage (unknown instruction set or precision), no_resource (an instruction set that the machine lacks).
  static Result<std::unique_ptr<Execution>> make(const EngineOptions& options);

  // Where the weights of the programs come from; packed ones are kept in options.cache.
  void attach(const Checkpoint& checkpoint, const EngineOptions& options);

  ThreadPool& pool() { return pool_; }
  int threads() const { return pool_.threads(); }
  // The tuning of the tuned executor; none for the oracle. Points at this.
  const std::optional<Tuning>& tuning() const { return tuning_; }
  ExecutionFacts facts() const;
  Result<ExecutionPlan> plan(const Program& program) const;  // usage: the precision names no site of it
  MachinePeak measure_peak();
  void settle() { weights_.wait_until_settled(); }

 private:
  explicit Execution(int threads) : pool_(threads) {}

  ThreadPool pool_;
  PackedWeights weights_;
  Pages peak_memory_;  // to measure reading with, once that is asked for
  std::optional<Tuning> tuning_;
};

}  // namespace ramet
