#include "policy/compiled_programs.h"

#include <algorithm>

namespace ramet {

CompiledPrograms::Entry* CompiledPrograms::find(const ProgramKey& key) {
  const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (it == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it);
  return &entries_.front();
}

Result<Executor*> CompiledPrograms::add(const ProgramKey& key, Program program, ExecutorOptions options) {
  options.tuning = tuning_;
  if (tuning_) RAMET_TRY_STATUS(tuning_->precision.check(site_names(program)));
  Entry entry{.key = key, .program = std::make_unique<Program>(std::move(program)), .executor = {}};
  RAMET_TRY(entry.executor, Executor::compile(*entry.program, *pool_, std::move(options)));
  entries_.push_front(std::move(entry));
  if (entries_.size() > kKept) entries_.pop_back();
  return &*entries_.front().executor;
}

}  // namespace ramet
