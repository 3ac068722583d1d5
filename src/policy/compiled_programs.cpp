#include "policy/compiled_programs.h"

#include <algorithm>

namespace ramet {

CompiledPrograms::Entry* CompiledPrograms::find(const ProgramKey& key) {
  const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (it == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it);
  return &entries_.front();
}

Result<OracleExecutor*> CompiledPrograms::add(const ProgramKey& key, Program program, ExecutorOptions options) {
  Entry entry{.key = key, .program = std::make_unique<Program>(std::move(program)), .executor = {}};
  RAMET_TRY(entry.executor, OracleExecutor::compile(*entry.program, *pool_, std::move(options)));
  entries_.push_front(std::move(entry));
  if (entries_.size() > kKept) entries_.pop_back();
  return &*entries_.front().executor;
}

}  // namespace ramet
