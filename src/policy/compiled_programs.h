// Programs compiled for the layouts seen last. Looking one up costs nothing; compiling takes a moment.
#pragma once

#include "models/layout.h"
#include "program/executor.h"

#include <ramet/error.h>

#include <list>
#include <memory>

namespace ramet {

struct ProgramKey {
  Layout layout;
  int64_t steps = 0;
  std::vector<std::string> taps;

  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
};

class CompiledPrograms {
 public:
  static constexpr size_t kKept = 4;

  CompiledPrograms(ThreadPool& pool, std::optional<Tuning> tuning) : pool_(&pool), tuning_(std::move(tuning)) {}

  // The executor for `key`; `record` makes the program if it is new. Valid until the next call.
  template <class Record>
  Result<Executor*> get(const ProgramKey& key, const Record& record, ExecutorOptions options) {
    if (Entry* found = find(key)) return &*found->executor;
    return add(key, record(), std::move(options));
  }

 private:
  struct Entry {
    ProgramKey key;
    std::unique_ptr<Program> program;
    std::optional<Executor> executor;
  };
  Entry* find(const ProgramKey& key);
  Result<Executor*> add(const ProgramKey& key, Program program, ExecutorOptions options);

  ThreadPool* pool_;
  std::optional<Tuning> tuning_;
  std::list<Entry> entries_;  // latest first
};

}  // namespace ramet
